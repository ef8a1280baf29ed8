from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from store.control.alert_states import SqlAlertBook, StoredAlert, StoredTransition
from store.control.open import Control, open_control
from store.control.tables import CONTROL
from vocabulary.errors import StoreUnavailableError


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'control.db'}"


@pytest.fixture
def book(any_control: Control) -> SqlAlertBook:
    return SqlAlertBook(any_control.engine)


def an_alert(series: str = "a", state: str = "firing", value: float | None = 4.5) -> StoredAlert:
    return StoredAlert("near", series, state, 2**62, 7, value, 4.0, 9)


def a_transition(at_ns: int, rule_id: str = "near") -> StoredTransition:
    return StoredTransition(rule_id, "a", "pending", "firing", at_ns, 4.5, 4.0, 3.4, "d" * 64, "4.5 for 30 s")


def test_a_recorded_alert_reads_back_as_it_was(book: SqlAlertBook) -> None:
    book.record(an_alert(), a_transition(5))
    assert book.states() == [an_alert()]
    assert book.transitions(10) == [a_transition(5)]


def test_a_series_stands_in_one_place(book: SqlAlertBook) -> None:
    book.record(an_alert(state="pending"), None)
    book.record(an_alert(value=None), None)
    book.record(an_alert(series="b"), None)
    assert book.states() == [an_alert(value=None), an_alert(series="b")]
    assert book.transitions(10) == []


def test_transitions_come_newest_first_and_bounded(book: SqlAlertBook) -> None:
    for at_ns in (3, 1, 3, 2):
        book.record(an_alert(), a_transition(at_ns))
    assert [transition.at_ns for transition in book.transitions(3)] == [3, 3, 2]


def test_a_state_is_not_written_without_its_transition(book: SqlAlertBook) -> None:
    nameless = a_transition(1, rule_id=None)  # type: ignore[arg-type]  # the database must refuse it
    with pytest.raises(IntegrityError):
        book.record(an_alert(), nameless)
    assert book.states() == []


def test_the_book_survives_the_process(url: str) -> None:
    first = open_control(url)
    SqlAlertBook(first.engine).record(an_alert(), a_transition(5))
    first.close()
    second = open_control(url)
    assert SqlAlertBook(second.engine).states() == [an_alert()]
    second.close()


def test_a_book_that_cannot_be_used_says_that_later_may_work(url: str) -> None:
    control = open_control(url)
    CONTROL.drop_all(control.engine)
    with pytest.raises(StoreUnavailableError, match="cannot be used now: no such table") as refusal:
        SqlAlertBook(control.engine).states()
    control.close()
    assert not refusal.value.permanent
