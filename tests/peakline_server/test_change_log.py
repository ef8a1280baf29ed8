"""Changes reach the store once, also when it could not take them at first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

import pytest

from peakline_server.change_log import ACTOR, WAITING_MAX, ChangeLog
from peakline_server.reloading import Change
from vocabulary.changes import ChangeEvent, ChangeKind
from vocabulary.errors import StoreUnavailableError
from vocabulary.pools import Window

NOW_NS = 1_796_043_600_000_000_000


@dataclass
class Book:
    """A store that can be down."""

    is_down: bool = False
    events: list[ChangeEvent] = field(default_factory=list)

    def append_changes(self, changes: Sequence[ChangeEvent]) -> None:
        if self.is_down:
            raise StoreUnavailableError("the disk is full")
        self.events += changes

    def changes(self, window: Window, limit: int) -> Sequence[ChangeEvent]:
        return [one for one in reversed(self.events) if window.start_ns <= one.at_ns < window.end_ns][:limit]


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture
def log(book: Book) -> ChangeLog:
    ids: Iterator[int] = count(1)
    return ChangeLog(book, book, lambda: NOW_NS, lambda: f"change-{next(ids)}")


def change(subject: str = "alert rules") -> Change:
    return Change(subject, f"{subject} adopted", "aa", "bb", NOW_NS, is_adopted=True)


def test_a_change_becomes_an_event_of_the_configuration(book: Book, log: ChangeLog) -> None:
    log.note(change())
    (event,) = book.events
    assert (event.event_id, event.kind, event.subject, event.actor) == (
        "change-1",
        ChangeKind.CONFIGURATION,
        "alert rules",
        ACTOR,
    )
    assert (event.before_digest, event.after_digest, event.detail) == ("aa", "bb", {"adopted": True})


def test_what_the_store_cannot_take_waits_and_is_written_once(
    book: Book, log: ChangeLog, caplog: pytest.LogCaptureFixture
) -> None:
    book.is_down = True
    log.note(change())
    assert "not in the store yet" in caplog.text
    with pytest.raises(StoreUnavailableError):
        log.write()
    book.is_down = False
    log.note(change("alias table"))
    log.write()
    assert [event.event_id for event in book.events] == ["change-1", "change-2"]


def test_a_change_that_finds_no_room_any_more_is_told_as_lost(
    book: Book, log: ChangeLog, caplog: pytest.LogCaptureFixture
) -> None:
    book.is_down = True
    for _ in range(WAITING_MAX + 1):
        log.note(change())
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "the change of alert rules is lost: the store took none for too long"
    ]


def test_the_newest_changes_come_first(log: ChangeLog) -> None:
    log.note(change())
    log.note(change("alias table"))
    assert [event.subject for event in log.newest(1)] == ["alias table"]
