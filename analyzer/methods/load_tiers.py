"""Load tiers: where a minute's load stands among the loads that requests met."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vocabulary.tiers import LOAD_TIER_QUANTILES


def weighted_quantiles(
    values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], levels: Sequence[float]
) -> npt.NDArray[np.float64]:
    """Smallest value with at least `level` of the whole weight at or below it.

    values, weights  (k,) k >= 1, weights >= 0 with a positive sum
    returns          (len(levels),) always members of `values`, so that ties fall on one side together
    raises           ValueError when there is no weight
    """
    total = float(weights.sum())
    if not total > 0:
        message = "quantiles need a positive total weight"
        raise ValueError(message)
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    reached = np.cumsum(weights[order])
    # A tolerance of 1e-12 of the total undoes the rounding of level * total.
    found = np.searchsorted(reached, np.asarray(levels) * total - 1e-12 * total)
    return np.asarray(values[order[np.minimum(found, order.size - 1)]], dtype=np.float64)


def tier_edges(load_rps: npt.NDArray[np.float64], requests: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Upper edges (inclusive) of off_peak, normal and busy: request-weighted P50, P85 and P95 of load.

    load_rps  (k,) arrival rate per ready replica, one entry per minute
    requests  (k,) requests of that minute
    returns   (3,) ascending; equal edges where few minutes or many ties leave a tier empty
    raises    ValueError when there are no requests
    """
    return weighted_quantiles(load_rps, requests, LOAD_TIER_QUANTILES)


def tier_of(load_rps: npt.NDArray[np.float64], edges_rps: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Position of each load in LoadTier: 0 off_peak .. 3 peak; a load on an edge belongs below it."""
    return np.searchsorted(edges_rps, load_rps, side="left").astype(np.int64)
