import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.methods.sketch import bucket_of, merged, quantiles, seconds_of

durations = st.lists(st.floats(1e-4, 1e4), min_size=1, max_size=200)


def sketch_of(values: list[float]) -> dict[int, int]:
    buckets, counts = np.unique(bucket_of(values), return_counts=True)
    return dict(zip(buckets.tolist(), counts.tolist(), strict=True))


@pytest.mark.parametrize(("seconds", "bucket"), [(1.0, 0), (1.05, 1), (0.95, 0), (0.5, -7), (10.0, 25)])
def test_a_bucket_is_the_rounded_up_logarithm(seconds: float, bucket: int) -> None:
    assert bucket_of([seconds]).tolist() == [bucket]


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan])
def test_durations_without_a_logarithm_are_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        bucket_of([seconds])


def test_an_empty_sketch_has_no_quantiles() -> None:
    assert quantiles({}, (0.5, 0.99)) == [None, None]
    assert quantiles({3: 0}, (0.5,)) == [None]


def test_ranks_are_whole_values() -> None:
    sketch = {0: 95, 10: 5}
    low, high = seconds_of([0, 10]).tolist()
    assert quantiles(sketch, (0.0, 0.95, 0.951, 1.0)) == [low, low, high, high]


def test_merging_adds_counts() -> None:
    assert merged([{1: 2, 5: 1}, {}, {5: 4}]) == {1: 2, 5: 5}


@given(durations, st.floats(0, 1))
def test_a_quantile_is_at_most_five_percent_off(values: list[float], level: float) -> None:
    (found,) = quantiles(sketch_of(values), (level,))
    rank = max(math.ceil(round(level * len(values), 9)), 1)
    exact = sorted(values)[rank - 1]
    assert found == pytest.approx(exact, rel=0.0477)


@given(durations, durations)
def test_merging_sketches_is_sketching_everything(left: list[float], right: list[float]) -> None:
    assert merged([sketch_of(left), sketch_of(right)]) == sketch_of(left + right)
    assert merged([sketch_of(right), sketch_of(left)]) == sketch_of(left + right)
