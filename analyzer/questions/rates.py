"""A defect rate with its evidence, from counts."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analyzer.methods.interval import wilson
from analyzer.questions.answers import Interval, Rate, Status

MIN_REQUESTS = 30
"""Fewest requests with a known outcome that a rate is shown for without a warning."""


def rates(requests: npt.NDArray[np.int64], defective: npt.NDArray[np.int64], phi: npt.ArrayLike = 1.0) -> list[Rate]:
    """Rates cell by cell; `requests` are those with a known outcome, `phi` widens the interval for over-dispersion.

    Without requests there is no rate and no interval: nothing observed is not a rate of 0.
    """
    # A defect needs an outcome, so defective never exceeds requests; the store's word is not taken for that.
    counted = np.minimum(defective, requests)
    low, high = wilson(counted / np.asarray(phi), requests / np.asarray(phi))
    return [
        Rate(n, y, y / n, Interval(lower, upper)) if n else Rate(0, 0, None, Interval(None, None))
        for n, y, lower, upper in zip(requests.tolist(), counted.tolist(), low.tolist(), high.tolist(), strict=True)
    ]


def rate(requests: int, defective: int, phi: float = 1.0) -> Rate:
    """One rate; see `rates`."""
    return rates(np.array([requests]), np.array([defective]), phi)[0]


def status_of(requests_all: int, requests_known: int) -> Status:
    """How far a rate over `requests_known` of `requests_all` requests can be trusted."""
    if requests_all == 0:
        return Status.EMPTY
    if requests_known == 0:
        return Status.NO_OUTCOME
    return Status.OK if requests_known >= MIN_REQUESTS else Status.INSUFFICIENT_DATA


def best_of(statuses: Sequence[Status]) -> Status:
    """Status of a whole from its parts: as good as its best part, empty without parts."""
    order = (Status.OK, Status.INSUFFICIENT_DATA, Status.NO_OUTCOME, Status.EMPTY)
    return min(statuses, key=order.index, default=Status.EMPTY)
