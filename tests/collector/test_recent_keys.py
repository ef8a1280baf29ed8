"""The recent-key filter never forgets a key within its reach."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from collector.recent_keys import RecentKeys


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=20), max_size=12))
def test_every_added_key_is_found_and_no_other(batches: list[list[int]]) -> None:
    recent = RecentKeys(capacity=1_000)
    for batch in batches:
        recent.add(np.array(batch, dtype=np.uint64))
    added = {key for batch in batches for key in batch}
    asked = sorted(added | {1, 2, 3})
    assert recent.contains(np.array(asked, dtype=np.uint64)).tolist() == [key in added for key in asked]


def test_the_newest_keys_stay_and_the_oldest_leave() -> None:
    recent = RecentKeys(capacity=100)
    for start in range(0, 1000, 10):
        recent.add(np.arange(start, start + 10, dtype=np.uint64))
    assert recent.contains(np.arange(900, 1000, dtype=np.uint64)).all()
    assert not recent.contains(np.arange(0, 700, dtype=np.uint64)).any()
