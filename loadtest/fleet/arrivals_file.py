"""Arrivals and lengths out of a file, such as Azure's trace of a language model service, played over and over."""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loadtest.fleet.traffic_file import ARRIVALS, TrafficFileError, rows_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_TIME = re.compile(r"((?:19|20)\d\d-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?:Z|\+00:?00)?", re.ASCII)
_TOKENS_MAX = 2**31
_DIGITS_MAX = 10
_MINUTE_S = 60.0


@dataclass(frozen=True)
class ArrivalsFile:
    """The rows of a trace in the order of time.

    offset_s   (n,) seconds since the first row
    prompt     (n,) context tokens
    generated  (n,) generated tokens
    """

    offset_s: Floats
    prompt: Ints
    generated: Ints

    @property
    def loop_s(self) -> float:
        """Seconds from the first row to the first row again: one mean gap follows the last row."""
        return float(self.offset_s[-1] * len(self.offset_s) / (len(self.offset_s) - 1))

    def play(self, start_s: float, end_s: float, per_s: float) -> tuple[Floats, Ints]:
        """Arrivals in [start_s, end_s), in order, and the row that each one repeats.

        per_s  arrivals per second in the long run; the file's time is stretched or shrunk to it
        """
        rows, loop_s = len(self.offset_s), len(self.offset_s) / per_s
        scale = loop_s / self.loop_s
        plays = np.arange(self._count(start_s, loop_s, scale), self._count(end_s, loop_s, scale))
        loops, row = np.divmod(plays, rows)
        arrivals = loops * loop_s + self.offset_s[row] * scale
        return np.clip(arrivals, start_s, np.nextafter(end_s, start_s)), row

    def peak(self) -> float:
        """Rate of a minute that one minute of the file in twenty exceeds, as a part of the mean rate."""
        minutes = np.bincount((self.offset_s // _MINUTE_S).astype(np.int64))
        return float(np.quantile(minutes, 0.95) / (len(self.offset_s) * _MINUTE_S / self.loop_s))

    def _count(self, before_s: float, loop_s: float, scale: float) -> int:
        """Arrivals before a second, so that neighbouring stretches share none and lose none."""
        loop, rest_s = divmod(before_s, loop_s)
        return int(loop) * len(self.offset_s) + int(np.searchsorted(self.offset_s * scale, rest_s))


def read_arrivals(path: str) -> ArrivalsFile:
    """The rows of a CSV `TIMESTAMP,ContextTokens,GeneratedTokens`, times in UTC.

    raises  TrafficFileError for a file that cannot be used
    """
    times: list[int] = []
    tokens: list[tuple[int, int]] = []
    for line, (time, prompt, generated) in rows_of(path, ARRIVALS):
        times.append(_time_ns(path, line, time))
        tokens.append((_tokens(path, line, ARRIVALS[1], prompt), _tokens(path, line, ARRIVALS[2], generated)))
        if len(times) > 1 and times[-1] < times[-2]:
            raise TrafficFileError(path, "its time is before that of the row above", line)
    if len(times) < 2 or times[0] == times[-1]:  # noqa: PLR2004 - one row has no rate
        raise TrafficFileError(path, "at least two rows at different times are needed")
    columns = np.array(tokens, dtype=np.int64)
    return ArrivalsFile((np.array(times) - times[0]) / 1e9, columns[:, 0], columns[:, 1])


def _time_ns(path: str, line: int, text: str) -> int:
    match = _TIME.fullmatch(text)
    try:
        at = np.datetime64(f"{match[1]}T{match[2]}", "ns") if match else np.datetime64("NaT", "ns")
    except ValueError:
        at = np.datetime64("NaT", "ns")
    if np.isnat(at):
        raise TrafficFileError(path, f"{text[:40]!r} is no time such as 2023-11-16 18:17:03.9799600", line)
    return int(at.astype(np.int64))


def _tokens(path: str, line: int, column: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX and int(text) < _TOKENS_MAX):
        raise TrafficFileError(path, f"{column} {text[:20]!r} is no token count", line)
    return int(text)
