"""Quantiles from integer log buckets: deterministic, merged by adding, at most 5 % off."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

GAMMA = 1.1
"""Ratio of neighbouring bucket borders; the relative error of a quantile is at most (GAMMA - 1) / (GAMMA + 1)."""

Sketch = Mapping[int, int]
"""Bucket ceil(log(seconds) / log(GAMMA)) -> number of values."""


def bucket_of(seconds: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Bucket of each duration: the values in (GAMMA**(b-1), GAMMA**b] share bucket b.

    raises  ValueError for durations that are not positive: they have no logarithm and no place in a sketch
    """
    values = np.asarray(seconds, dtype=np.float64)
    if np.any(~(values > 0)):
        message = "only positive durations have a bucket"
        raise ValueError(message)
    return np.asarray(np.ceil(np.log(values) / np.log(GAMMA)), dtype=np.int64)


def seconds_of(bucket: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The value that stands for a bucket: the point whose relative error is the same at both borders."""
    return np.asarray(GAMMA ** np.asarray(bucket, dtype=np.float64) * 2 / (1 + GAMMA), dtype=np.float64)


def merged(sketches: Iterable[Sketch]) -> dict[int, int]:
    """One sketch of all values of several; the order of the sketches does not matter."""
    total: Counter[int] = Counter()
    for sketch in sketches:
        total.update(sketch)
    return dict(total)


def quantiles(sketch: Sketch, levels: Sequence[float]) -> list[float | None]:
    """Seconds at the given levels (0..1), None from an empty sketch.

    The value at level q is the smallest with at least q of all values at or below it.
    source  Masson, Rim, Lee 2019 (DDSketch)
    """
    filled = sorted((bucket, count) for bucket, count in sketch.items() if count > 0)
    if not filled:
        return [None] * len(levels)
    buckets = np.array([bucket for bucket, _ in filled])
    reached = np.cumsum([count for _, count in filled])
    # A rank is a whole number of values; rounding keeps 0.95 * 100 from becoming 95.00000000000001.
    ranks = np.ceil(np.round(np.asarray(levels) * reached[-1], 9))
    found = np.searchsorted(reached, np.maximum(ranks, 1))
    return [float(value) for value in seconds_of(buckets[found])]
