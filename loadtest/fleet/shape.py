"""How many requests a second each tenant sends, by time: the typical week or a file, growth, and bursts on top."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.rates_file import RatesFile
from loadtest.fleet.timeline import Burst, Timeline

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
HOUR_S = 3600
DAY_S = 86_400
WEEK_S = 604_800
_HOUR_NS = 3_600_000_000_000
_DAY_H = 24
_DAY_MINUTES = 1440
_PEAK_HOUR = 14.0
_NIGHT_PEAK_HOUR = 2.0
_SATURDAY = 5
_THURSDAY = 3  # weekday of 1970-01-01, Monday is 0
_NOISE_STREAM = 1


class Cells(NamedTuple):
    """Stretches of time with a constant rate each.

    edges  (cells + 1,) seconds since the origin
    rates  (cells, tenants) arrivals per second
    """

    edges: Floats
    rates: Floats

    def arrivals(self, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Poisson arrivals in order, and the tenant of each."""
        widths = np.diff(self.edges)
        counts = rng.poisson(self.rates * widths[:, None])
        cells, tenants = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), counts.shape[1])
        seconds = self.edges[cells] + rng.random(len(cells)) * widths[cells]
        order = np.argsort(seconds, kind="stable")
        return seconds[order], tenants[order]


@dataclass(frozen=True)
class Shape:
    """Rates of a fleet's tenants; `course` replaces day, night, weekend, noise and pulses of the typical week."""

    plan: FleetPlan
    timeline: Timeline = ()
    course: RatesFile | None = None

    def hour(self, hour: int, rng: np.random.Generator) -> Cells:
        """Rates of one hour since the origin; pulses come from `rng`."""
        start_s = float(hour * HOUR_S)
        cells = self._typical(hour, rng) if self.course is None else self._course(self.course, start_s)
        if self.plan.traffic.growth_per_week != 1.0:
            cells = Cells(cells.edges, cells.rates * self.growth(_middles(cells.edges))[:, None])
        return self._burst(cells)

    def peak(self) -> Floats:
        """(tenants,) rates at the busiest hour of a weekday, or that one window of the course in twenty exceeds."""
        if self.course is not None:
            return self.mean * self.course.peak()
        return np.asarray(self.mean * self._wave(np.array([_PEAK_HOUR]))[0] / self._mean_wave)

    def growth(self, at_s: float | Floats) -> Floats:
        """Factor on all rates at these seconds: 1 at the origin, `growth_per_week` one week later."""
        return np.asarray(self.plan.traffic.growth_per_week ** (np.asarray(at_s) / WEEK_S))

    def factors(self, at_s: Floats, tenants: Ints) -> Floats:
        """(n,) growth and bursts for arrivals that come from elsewhere."""
        factors = self.growth(at_s)
        for burst in self._bursts(-math.inf, math.inf):
            inside = (at_s >= burst.at_s) & (at_s < burst.until_s)
            factors = np.where(inside, factors * self._of_tier(burst)[tenants], factors)
        return factors

    @cached_property
    def shares(self) -> Floats:
        """(tenants,) parts of all requests; they sum to 1."""
        shares = np.array([tenant.share for tenant in self.plan.tenants])
        return np.asarray(shares / shares.sum())

    @cached_property
    def mean(self) -> Floats:
        """(tenants,) arrivals per second over a typical week."""
        return np.asarray(self.plan.traffic.requests_per_day / DAY_S * self.shares)

    def _course(self, course: RatesFile, start_s: float) -> Cells:
        edges = course.edges(start_s, start_s + HOUR_S)
        return Cells(edges, course.at(_middles(edges))[:, None] * self.mean)

    def _typical(self, hour: int, rng: np.random.Generator) -> Cells:
        of_day = (self.plan.origin_ns // _HOUR_NS + hour) % _DAY_H * 60
        factor = self._noise(hour) * self._pulses(rng)
        minutes = self._day(hour)[of_day : of_day + 60] * factor[:, None]
        return Cells(np.linspace(hour * HOUR_S, (hour + 1) * HOUR_S, 61), minutes)

    def _day(self, hour: int) -> Floats:
        days = (self.plan.origin_ns // _HOUR_NS + hour) // _DAY_H
        return self._days[int((days + _THURSDAY) % 7 >= _SATURDAY)]

    @cached_property
    def _days(self) -> tuple[Floats, Floats]:
        """(minutes, tenants) rates of a weekday and of a weekend day, noise and pulses aside."""
        weekday = self._wave(_middles(np.arange(_DAY_MINUTES + 1) / 60)) * self.mean / self._mean_wave
        return weekday, weekday * self._weekend

    def _wave(self, of_day: Floats) -> Floats:
        """(hours, tenants) relative rate of a weekday by hour of the day."""
        peaks = [_NIGHT_PEAK_HOUR if tenant.is_nocturnal else _PEAK_HOUR for tenant in self.plan.tenants]
        swing = 0.5 + 0.5 * np.cos(2 * np.pi * (of_day[:, None] - np.array(peaks)) / _DAY_H)
        floor = self.plan.traffic.night_floor
        return np.asarray(floor + (1 - floor) * swing**1.3)

    @cached_property
    def _weekend(self) -> Floats:
        return np.array([1.0 if tenant.is_nocturnal else self.plan.traffic.weekend for tenant in self.plan.tenants])

    @cached_property
    def _mean_wave(self) -> Floats:
        """(tenants,) mean of the waves and the pulses over a week, so that requests_per_day is met."""
        traffic = self.plan.traffic
        factor, minutes = sum(traffic.pulse_factor) / 2, sum(traffic.pulse_minutes) / 2
        pulses = 1.0 + traffic.pulses_per_day * minutes / _DAY_MINUTES * (factor - 1.0)
        waves = self._wave(_middles(np.arange(_DAY_H + 1) / 1.0)).mean(axis=0)
        return np.asarray(waves * (5 + 2 * self._weekend) / 7 * pulses)

    def _noise(self, hour: int) -> Floats:
        """(60,) slow factor: independent draws at full hours, interpolated between them."""
        ends = [np.random.default_rng((self.plan.seed, _NOISE_STREAM, at)).normal() for at in (hour, hour + 1)]
        between = (np.arange(60) + 0.5) / 60
        sigma = self.plan.traffic.noise
        return np.asarray(np.exp(sigma * (ends[0] * (1 - between) + ends[1] * between) - sigma * sigma / 3))

    def _pulses(self, rng: np.random.Generator) -> Floats:
        """(60,) factor: a pulse in some hours, most often none."""
        traffic = self.plan.traffic
        factor = np.ones(60)
        if rng.random() < traffic.pulses_per_day / _DAY_H:
            length = int(rng.integers(*traffic.pulse_minutes, endpoint=True))
            start = int(rng.integers(0, 60 - length, endpoint=True))
            factor[start : start + length] = rng.uniform(*traffic.pulse_factor)
        return factor

    def _burst(self, cells: Cells) -> Cells:
        """Cells cut where bursts begin and end, the rates inside of them multiplied."""
        start_s, end_s = float(cells.edges[0]), float(cells.edges[-1])
        bursts = self._bursts(start_s, end_s)
        if not bursts:
            return cells
        cuts = [second for burst in bursts for second in (burst.at_s, burst.until_s) if start_s < second < end_s]
        edges = np.union1d(cells.edges, np.array(cuts))
        middles = _middles(edges)
        rates = cells.rates[np.searchsorted(cells.edges, middles) - 1]
        for burst in bursts:
            rates[(middles > burst.at_s) & (middles < burst.until_s)] *= self._of_tier(burst)
        return Cells(edges, rates)

    def _bursts(self, start_s: float, end_s: float) -> list[Burst]:
        return [
            happening
            for happening in self.timeline
            if isinstance(happening, Burst) and happening.at_s < end_s and happening.until_s > start_s
        ]

    def _of_tier(self, burst: Burst) -> Floats:
        """(tenants,) factor of a burst."""
        tiers = [tenant.service_tier for tenant in self.plan.tenants]
        return np.array([burst.factor if burst.service_tier in (None, tier) else 1.0 for tier in tiers])


def _middles(edges: Floats) -> Floats:
    return np.asarray((edges[1:] + edges[:-1]) / 2)
