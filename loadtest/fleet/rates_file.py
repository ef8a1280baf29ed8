"""A course of arrival rates out of a file, such as ServeGen's, instead of the typical week's."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loadtest.fleet.traffic_file import RATES, TrafficFileError, rows_of

Floats = npt.NDArray[np.float64]
_MOST = 1e15
_STEP_MIN_S = 1.0


@dataclass(frozen=True)
class RatesFile:
    """Relative rates of windows of equal length; after the last one the first comes again.

    step_s    seconds of one window
    relative  (windows,) rate of each as a part of the mean rate
    """

    step_s: float
    relative: Floats

    def edges(self, start_s: float, end_s: float) -> Floats:
        """Where windows begin inside of [start_s, end_s), with both ends."""
        first, last = math.floor(start_s / self.step_s) + 1, math.ceil(end_s / self.step_s)
        return np.concatenate([[start_s], np.arange(first, last) * self.step_s, [end_s]])

    def at(self, seconds: Floats) -> Floats:
        """(n,) relative rate at these seconds since the origin."""
        windows = np.floor(seconds / self.step_s).astype(np.int64) % len(self.relative)
        return np.asarray(self.relative[windows])

    def peak(self) -> float:
        """Relative rate that one window in twenty exceeds."""
        return float(np.quantile(self.relative, 0.95))


def read_rates(path: str) -> RatesFile:
    """The course of a CSV `t_s,req_per_s[,…]`; its second 0 is the fleet's origin, its unit does not matter.

    Windows with rate 0 are gaps of the measurement, not silence: they are filled with a straight line between
    their neighbours, across the end of the file to its beginning where need be.

    raises  TrafficFileError for a file that cannot be used
    """
    seconds, rates = [], []
    for line, (second, rate) in rows_of(path, RATES):
        seconds.append(_number(path, line, RATES[0], second))
        rates.append(_number(path, line, RATES[1], rate))
        _check_step(path, line, seconds)
    if len(seconds) < 2:  # noqa: PLR2004 - the length of a window is seen between two
        raise TrafficFileError(path, "at least two rows are needed")
    if not any(rates):
        raise TrafficFileError(path, "every rate is 0")
    filled = _without_gaps(np.array(rates))
    return RatesFile(seconds[1] - seconds[0], filled / filled.mean())


def _number(path: str, line: int, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (0 <= value <= _MOST):
        raise TrafficFileError(path, f"{column} {text[:20]!r} is no number from 0 up", line)
    return value


def _check_step(path: str, line: int, seconds: list[float]) -> None:
    if len(seconds) == 1 and seconds[0] != 0:
        raise TrafficFileError(path, "t_s must begin with 0", line)
    if len(seconds) > 1 and seconds[-1] <= seconds[-2]:
        raise TrafficFileError(path, "t_s does not rise", line)
    if len(seconds) > 1 and seconds[1] < _STEP_MIN_S:
        raise TrafficFileError(path, f"windows of {seconds[1]:g} s are shorter than {_STEP_MIN_S:g} s", line)
    if len(seconds) > 2 and not math.isclose(seconds[-1] - seconds[-2], seconds[1], rel_tol=1e-6):  # noqa: PLR2004
        raise TrafficFileError(path, f"t_s is not {seconds[1]:g} s after the row before", line)


def _without_gaps(rates: Floats) -> Floats:
    at = np.arange(len(rates))
    known = rates > 0
    return np.interp(at, at[known], rates[known], period=len(rates))
