"""How many times more likely a defect is at one load than at another."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
from scipy import special

MIN_BLOCKS = 2
"""Fewest blocks (days) that say anything about how much blocks differ."""


class IntervalMethod(StrEnum):
    """Where the width of an interval comes from: differences between days, or counts alone."""

    DAY_JACKKNIFE = "day_jackknife"
    BINOMIAL = "binomial"


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """Requests and defects of one tier, one entry per block (day); both (G,) arrays in the same order of blocks."""

    defects: npt.NDArray[np.float64]
    requests: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Multiplier:
    """Ratio of two rates with its interval; all three are positive."""

    estimate: float
    low: float
    high: float
    method: IntervalMethod


def multiplier(low: BlockCounts, high: BlockCounts, *, phi: float = 1.0, level: float = 0.95) -> Multiplier:
    """Rate of `high` over rate of `low`, half a defect and one request added to each.

    low, high  the same G blocks; a block without requests of either tier does not count as evidence
    phi        over-dispersion >= 1; widens the binomial fallback only
    returns    interval by delete-one-block jackknife and t(G-1); by counts alone where fewer than two blocks
               hold requests or leaving one block out empties a tier
    raises     ValueError when a tier has no requests or the blocks differ
    source     MacKinnon, Nielsen, Webb 2023 (cluster jackknife); Katz et al. 1978 (log of a ratio of rates)
    """
    if low.requests.shape != high.requests.shape:
        message = "both tiers must have the same blocks"
        raise ValueError(message)
    if low.requests.sum() <= 0 or high.requests.sum() <= 0:
        message = "a multiplier needs requests in both tiers"
        raise ValueError(message)
    centre = float(_log_ratio(low.defects.sum(), low.requests.sum(), high.defects.sum(), high.requests.sum()))
    half = _jackknife_half_width(low, high, centre, level)
    method = IntervalMethod.DAY_JACKKNIFE
    if half is None:
        half = _binomial_half_width(float(low.defects.sum()), float(high.defects.sum()), phi, level)
        method = IntervalMethod.BINOMIAL
    return Multiplier(float(np.exp(centre)), float(np.exp(centre - half)), float(np.exp(centre + half)), method)


def _log_ratio(
    low_defects: npt.ArrayLike, low_requests: npt.ArrayLike, high_defects: npt.ArrayLike, high_requests: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    rate_low = (np.asarray(low_defects, dtype=np.float64) + 0.5) / (np.asarray(low_requests, dtype=np.float64) + 1)
    rate_high = (np.asarray(high_defects, dtype=np.float64) + 0.5) / (np.asarray(high_requests, dtype=np.float64) + 1)
    return np.asarray(np.log(rate_high / rate_low), dtype=np.float64)


def _binomial_half_width(low_defects: float, high_defects: float, phi: float, level: float) -> float:
    z = float(special.ndtri(0.5 + level / 2))
    return z * float(np.sqrt(phi * (1 / (low_defects + 0.5) + 1 / (high_defects + 0.5))))


def _jackknife_half_width(low: BlockCounts, high: BlockCounts, centre: float, level: float) -> float | None:
    """Half width on the log scale, None where the blocks cannot carry it."""
    used = (low.requests + high.requests) > 0
    y_low, n_low, y_high, n_high = low.defects[used], low.requests[used], high.defects[used], high.requests[used]
    blocks = int(used.sum())
    rest_low, rest_high = n_low.sum() - n_low, n_high.sum() - n_high
    if blocks < MIN_BLOCKS or np.any(rest_low <= 0) or np.any(rest_high <= 0):
        return None
    without = _log_ratio(y_low.sum() - y_low, rest_low, y_high.sum() - y_high, rest_high)
    error = np.sqrt((blocks - 1) / blocks * np.sum((without - centre) ** 2))
    return float(special.stdtrit(blocks - 1, 0.5 + level / 2) * error)
