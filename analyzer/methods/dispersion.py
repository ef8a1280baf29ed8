"""How much more defect counts scatter between days than independent requests would."""

import numpy as np
import numpy.typing as npt

BOUNDS = (1.0, 5.0)
LOAD_BIN_LOG = 0.04
LOAD_QUANTILE = 0.90
MIN_DEGREES = 10


def overdispersion(
    day: npt.NDArray[np.int64],
    load: npt.NDArray[np.float64],
    requests: npt.NDArray[np.float64],
    defects: npt.NDArray[np.float64],
) -> float:
    """Pearson over-dispersion over (day, load bin) cells below P90 of load, clipped to 1..5.

    day, load, requests, defects  (k,) one entry per time cell; load > 0 in requests/s
    returns                       1 where fewer than ten degrees of freedom can tell
    source                        Breslow 1984; bins of 4 % in load, so that load itself explains no scatter
    """
    kept = (requests > 0) & (load > 0)
    if not kept.any():
        return BOUNDS[0]
    kept &= load <= np.quantile(load[kept], LOAD_QUANTILE)
    _, bins = np.unique(np.floor(np.log(load[kept]) / LOAD_BIN_LOG), return_inverse=True)
    _, days = np.unique(day[kept], return_inverse=True)
    shape = (int(days.max()) + 1, int(bins.max()) + 1)
    n, y = np.zeros(shape), np.zeros(shape)
    np.add.at(n, (days, bins), requests[kept])
    np.add.at(y, (days, bins), defects[kept])
    return _pearson(n, y)


def _pearson(n: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float:
    rate = y.sum(axis=0) / n.sum(axis=0)
    expected = n * rate
    told = expected > 0
    degrees = int(told.sum()) - int(told.any(axis=0).sum())
    if degrees < MIN_DEGREES:
        return BOUNDS[0]
    statistic = np.sum((y[told] - expected[told]) ** 2 / expected[told]) / degrees
    return float(np.clip(statistic, *BOUNDS))
