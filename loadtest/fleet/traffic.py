"""When requests arrive and what they ask for.

Arrivals are a Poisson process whose rate follows the hour, the weekday, slow noise and sudden pulses, or a file of
rates; or they are those of a file of arrivals. Every hour draws from its own seeded stream, and a conversation
reaches back one hour at most, so any stretch can be produced again without what came before.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import numpy.typing as npt

from loadtest.fleet.arrivals_file import ArrivalsFile, read_arrivals
from loadtest.fleet.columns import Columns, pick
from loadtest.fleet.plan import FleetPlan, RisePlan
from loadtest.fleet.rates_file import read_rates
from loadtest.fleet.request import Request
from loadtest.fleet.sessions import Sessions
from loadtest.fleet.shape import HOUR_S, Cells, Shape
from loadtest.fleet.timeline import Timeline
from loadtest.fleet.traffic_file import TrafficFileError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_RISE_CELL_S = 5
_RISE_STRETCH_S = 600
_HISTORY_STREAM, _RISE_STREAM = 0, 2  # the shape's noise is 1
_NUMBERS_PER_STRETCH = 1 << 24  # request numbers of one stretch never meet those of the next
_RISE_NUMBERS = 1 << 40


@dataclass(frozen=True)
class Traffic:
    """Draws first tries of requests for a fleet. The same plan and timeline always draw the same requests.

    raises  TrafficFileError when the plan names a traffic file that cannot be used
    """

    plan: FleetPlan
    timeline: Timeline = ()

    def __post_init__(self) -> None:
        if self._file is not None and self.plan.traffic.rates_file is not None:
            raise TrafficFileError(
                self.plan.traffic.rates_file, "a file of arrivals is named already; name one of them"
            )
        _ = self._shape  # a bad file is told at once

    def history(self, start_s: float, end_s: float) -> Iterator[Request]:
        """Requests that arrive in [start_s, end_s), in order; `end_s` may be infinite."""
        hours = self._linked(self._hour, int(start_s // HOUR_S), HOUR_S, 0)
        for hour, columns in hours:
            rows = columns.between(start_s, end_s)
            yield from columns.requests(self.plan.models, rows, hour * _NUMBERS_PER_STRETCH)
            if (hour + 1) * HOUR_S >= end_s:
                return

    def rise(self, start_s: float, rise: RisePlan) -> Iterator[Request]:
        """Requests from `start_s` on, without end: load rises from a weekday peak and stays up, without bursts."""

        def stretch(at: int) -> Columns:
            rng = np.random.default_rng((self.plan.seed, _RISE_STREAM, at))
            return self._typical(rng, self._rise_cells(start_s, rise, at))

        for at, columns in self._linked(stretch, 0, _RISE_STRETCH_S, _RISE_NUMBERS, start_s):
            everything = slice(0, len(columns.arrival_s))
            yield from columns.requests(self.plan.models, everything, _RISE_NUMBERS + at * _NUMBERS_PER_STRETCH)

    def weekday_peak(self, at_s: float = 0.0) -> Floats:
        """Arrivals per second of each tenant at the busiest hour of a weekday; noise, pulses and bursts aside.

        at_s  when: traffic may grow from week to week

        With a traffic file: the rate that one window of it in twenty exceeds (a minute of a file of arrivals).
        """
        peak = self._shape.peak() if self._file is None else self._shape.mean * self._file.peak()
        return np.asarray(peak * self._shape.growth(at_s))

    @cached_property
    def _shape(self) -> Shape:
        path = self.plan.traffic.rates_file
        return Shape(self.plan, self.timeline, None if path is None else read_rates(path))

    @cached_property
    def _file(self) -> ArrivalsFile | None:
        path = self.plan.traffic.arrivals_file
        return None if path is None else read_arrivals(path)

    def _hour(self, hour: int) -> Columns:
        rng = np.random.default_rng((self.plan.seed, _HISTORY_STREAM, hour))
        if self._file is not None:
            return self._replayed(self._file, hour * HOUR_S, rng)
        return self._typical(rng, self._shape.hour(hour, rng))

    def _typical(self, rng: np.random.Generator, cells: Cells) -> Columns:
        columns = Columns.draw(rng, self.plan.models, *cells.arrivals(rng))
        if self._file is not None:
            rows = rng.integers(0, len(self._file.prompt), len(columns.arrival_s))
            columns.replay(self.plan.models, self._file.prompt[rows], self._file.generated[rows])
        return columns

    def _replayed(self, file: ArrivalsFile, start_s: float, rng: np.random.Generator) -> Columns:
        """One hour of the file, its rows left out or repeated where growth and bursts want it."""
        arrivals, rows = file.play(start_s, start_s + HOUR_S, float(self._shape.mean.sum()))
        tenants = pick(rng.random(len(rows)), self._shape.shares)
        times = np.floor(self._shape.factors(arrivals, tenants) + rng.random(len(rows))).astype(np.int64)
        if (times != 1).any():
            played = np.repeat(np.arange(len(rows)), times)
            arrivals = _apart(rng, arrivals[played], played)
            order = np.argsort(arrivals, kind="stable")
            arrivals, rows, tenants = arrivals[order], rows[played][order], tenants[played][order]
        columns = Columns.draw(rng, self.plan.models, arrivals, tenants)
        columns.replay(self.plan.models, file.prompt[rows], file.generated[rows])
        return columns

    def _rise_cells(self, start_s: float, rise: RisePlan, stretch: int) -> Cells:
        cells = _RISE_STRETCH_S // _RISE_CELL_S
        past_s = np.linspace(stretch * _RISE_STRETCH_S, (stretch + 1) * _RISE_STRETCH_S, cells + 1)
        grown = np.minimum(past_s[:-1] / rise.rise_s, 1.0)
        factors = rise.from_factor + (rise.to_factor - rise.from_factor) * grown
        return Cells(start_s + past_s, factors[:, None] * self.weekday_peak(start_s))

    def _linked(
        self, draw: Callable[[int], Columns], first: int, seconds: int, first_session: int, start_s: float = 0.0
    ) -> Iterator[tuple[int, Columns]]:
        """Stretches from `first` on with their sessions; those of a stretch are known once the next one is drawn."""
        share = 0.0 if self._file is not None else self.plan.traffic.session_share
        sessions = Sessions(self.plan.models, len(self.plan.tenants), share, seconds)
        before, now = None if first == 0 else draw(first - 1), draw(first)
        sessions.link(before, now, start_s + first * seconds, first_session + first * _NUMBERS_PER_STRETCH)
        for at in count(first + 1):
            before, now = now, draw(at)
            sessions.link(before, now, start_s + at * seconds, first_session + at * _NUMBERS_PER_STRETCH)
            yield at - 1, before


def _apart(rng: np.random.Generator, arrivals: Floats, played: Ints) -> Floats:
    """Repeated arrivals, all but the first of each moved to a later moment of its second."""
    again = np.append(False, played[1:] == played[:-1])
    ends = np.nextafter(np.floor(arrivals) + 1.0, 0.0)
    return np.asarray(np.where(again, arrivals + rng.random(len(arrivals)) * (ends - arrivals), arrivals))
