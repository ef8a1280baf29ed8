"""Hops of recent traces come back whole, from the newest commit that touched them."""

import numpy as np

from collector.arrays import fingerprint, words
from collector.recent_hops import RecentHops
from tests.factories.hops import hop, hop_table


def _add(recent: RecentHops, *hops: dict[str, object]) -> None:
    table = hop_table(hops)
    recent.add(fingerprint(1, words(table["trace_id"])), table)


def _traces(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return fingerprint(1, words(hop_table([hop(1, trace_number=number) for number in numbers])["trace_id"]))


def test_a_trace_comes_back_with_all_hops_of_its_newest_commit() -> None:
    recent = RecentHops()
    _add(recent, hop(1, trace_number=1), hop(9, trace_number=2))
    _add(recent, hop(1, trace_number=1), hop(2, trace_number=1))
    tables, found = recent.take(_traces(1, 3))
    assert found.tolist() == [True, False]
    assert [table.num_rows for table in tables] == [2]


def test_traces_of_several_commits_are_gathered() -> None:
    recent = RecentHops()
    _add(recent, hop(1, trace_number=1))
    _add(recent, hop(2, trace_number=2), hop(3, trace_number=4))
    tables, found = recent.take(_traces(1, 2))
    assert found.all()
    assert sum(table.num_rows for table in tables) == 2


def test_the_oldest_commits_leave_when_the_room_is_full() -> None:
    recent = RecentHops(rows_max=3)
    for number in range(1, 6):
        _add(recent, hop(number, trace_number=number))
    _, found = recent.take(_traces(1, 2, 3, 4, 5))
    assert found.tolist() == [False, False, True, True, True]


def test_nothing_is_kept_of_an_empty_commit() -> None:
    recent = RecentHops()
    _add(recent)
    assert recent.take(_traces(1))[1].tolist() == [False]
