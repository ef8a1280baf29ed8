import threading

import pytest

from store.telemetry.open import Telemetry
from tests.factories.changes import change
from tests.factories.stores import START_NS, request, requests
from vocabulary.changes import ChangeKind
from vocabulary.pools import SECOND_NS, Window

DAY = Window(START_NS, START_NS + 86_400 * SECOND_NS)


@pytest.mark.parametrize("kind", [*ChangeKind])
def test_a_change_comes_back_as_it_went_in(store: Telemetry, kind: ChangeKind) -> None:
    event = change(
        kind=kind,
        event_id="it's 100% 'odd'\\",
        summary="Zeile\n二\t\\'%s",
        before_digest="0" * 64,
        after_digest="f" * 64,
        detail={"files": ["a", "b"], "rules": {"added": 2, "share": 0.5, "note": None, "is_new": True}},
    )
    store.writer.append_changes([event])
    assert store.reader.changes(DAY, 10) == [event]


def test_changes_come_newest_first_and_windows_are_half_open(store: Telemetry) -> None:
    early, late, outside = change(0), change(5), change(86_400)
    store.writer.append_changes([early, outside])
    store.writer.append_changes([late])
    assert store.reader.changes(DAY, 10) == [late, early]
    assert store.reader.changes(DAY, 1) == [late]


def test_a_change_that_is_appended_again_is_read_once(store: Telemetry) -> None:
    event, other = change(1), change(2)
    store.writer.append_changes([event, other])
    store.writer.append_changes([event])
    assert store.reader.changes(DAY, 10) == [other, event]


def test_no_changes_are_no_insert(store: Telemetry) -> None:
    store.writer.append_changes([])
    assert store.reader.changes(DAY, 10) == []


def test_changes_may_be_appended_by_many_threads_beside_commits(store: Telemetry) -> None:
    events = [change(second) for second in range(24)]
    faults: list[BaseException] = []

    def appending(mine: int) -> None:
        try:
            for event in events[mine::4]:
                store.writer.append_changes([event])
        except BaseException as fault:  # noqa: BLE001 - a thread tells the test what went wrong
            faults.append(fault)

    threads = [threading.Thread(target=appending, args=(mine,)) for mine in range(4)]
    rows = [request(second) for second in range(8)]
    for thread in threads:
        thread.start()
    for row in rows:
        store.writer.append_requests(requests(row))
    for thread in threads:
        thread.join()
    assert not faults
    assert store.reader.changes(DAY, 100) == events[::-1]
    assert all(store.reader.request(row["request_key"]) is not None for row in rows)


def test_a_reader_that_is_limited_to_tenants_sees_no_changes(store: Telemetry) -> None:
    store.writer.append_changes([change()])
    assert store.reader.within(frozenset({"team-a"})).changes(DAY, 10) == []
    assert len(store.reader.within(None).changes(DAY, 10)) == 1
