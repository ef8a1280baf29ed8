"""Intervals of a rate from counts."""

import numpy as np
import numpy.typing as npt
from scipy import special

Numbers = npt.NDArray[np.float64]


def wilson(defects: npt.ArrayLike, requests: npt.ArrayLike, level: float = 0.95) -> tuple[Numbers, Numbers]:
    """Score interval of a defect rate, cell by cell.

    defects   (k,) requests with at least one defect, 0 <= defects <= requests
    requests  (k,) effective requests, n divided by the over-dispersion
    returns   two (k,) arrays, rates in 0..1; (0, 1) where requests is 0
    raises    ValueError when shapes differ or counts contradict one another
    source    Wilson 1927; Brown, Cai, DasGupta 2001, section 3
    """
    count, total = _checked(defects, requests)
    z = float(special.ndtri(0.5 + level / 2))
    known = total > 0
    size = np.where(known, total, 1.0)
    rate = count / size
    centre = (rate + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * np.sqrt(rate * (1 - rate) / size + z * z / (4 * size * size))
    # Where no request or every request is defective the formula is off by a rounding error from exactly 0 or 1.
    low = np.where(known & (count > 0), np.maximum(centre - half, 0.0), 0.0)
    high = np.where(known & (count < total), np.minimum(centre + half, 1.0), 1.0)
    return low, high


def clopper_pearson(defects: npt.ArrayLike, requests: npt.ArrayLike, level: float = 0.95) -> tuple[Numbers, Numbers]:
    """Exact interval of a defect rate, cell by cell: never covers less than `level`; for gates and alarms.

    arguments, returns, raises  as `wilson`
    source    Clopper and Pearson 1934
    """
    count, total = _checked(defects, requests)
    tail = (1 - level) / 2
    low_open, high_open = count > 0, count < total
    low = special.betaincinv(np.where(low_open, count, 1.0), np.where(low_open, total - count + 1, 1.0), tail)
    high = special.betaincinv(np.where(high_open, count + 1, 1.0), np.where(high_open, total - count, 1.0), 1 - tail)
    return np.where(low_open, low, 0.0), np.where(high_open, high, 1.0)


def _checked(defects: npt.ArrayLike, requests: npt.ArrayLike) -> tuple[Numbers, Numbers]:
    count, total = np.asarray(defects, dtype=np.float64), np.asarray(requests, dtype=np.float64)
    if count.shape != total.shape:
        message = f"defects and requests differ in shape: {count.shape} and {total.shape}"
        raise ValueError(message)
    if np.any(count < 0) or np.any(count > total):
        message = "defects must lie between 0 and requests in every cell"
        raise ValueError(message)
    return count, total
