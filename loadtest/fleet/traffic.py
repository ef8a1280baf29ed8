"""When requests arrive and what they ask for.

Arrivals are a Poisson process whose rate follows the hour, the weekday, slow noise and sudden pulses. Every
cell of time draws from its own seeded stream, so any stretch can be produced again without what came before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile

import numpy as np
import numpy.typing as npt

from loadtest.fleet.plan import FleetPlan, Lengths, ModelPlan, RisePlan
from loadtest.fleet.request import Request

Floats = npt.NDArray[np.float64]
_HOUR_NS = 3_600_000_000_000
_HOUR_S = 3600
_DAY_H = 24
_WEEK_H = 168
_PEAK_HOUR = 14.0
_NIGHT_PEAK_HOUR = 2.0
_SATURDAY = 5
_THURSDAY = 3  # weekday of 1970-01-01, Monday is 0
_RISE_CELL_S = 5
_MAX_TOKENS = (0, 512, 1024, 2048, 4096)
_MAX_TOKENS_SHARES = (0.40, 0.14, 0.22, 0.16, 0.08)
_TEMPERATURES = (0.0, 0.2, 0.7, 1.0)
_TEMPERATURE_SHARES = (0.20, 0.25, 0.40, 0.15)
_HISTORY_STREAM, _NOISE_STREAM, _RISE_STREAM = range(3)
_NUMBERS_PER_CELL = 1 << 20  # request numbers of one cell never meet those of the next


@dataclass(frozen=True)
class Traffic:
    """Draws requests for a fleet. The same plan always draws the same requests."""

    plan: FleetPlan

    def history(self, start_s: float, end_s: float) -> Iterator[Request]:
        """Requests that arrive in [start_s, end_s), in order."""
        for hour in _hours(start_s, end_s):
            for request in self._hour(hour):
                if start_s <= request.arrival_s < end_s:
                    yield request

    def rise(self, start_s: float, rise: RisePlan) -> Iterator[Request]:
        """Requests from `start_s` on, without end: load rises from a weekday peak and stays up."""
        for cell in count():
            past_s = cell * _RISE_CELL_S
            grown = min(past_s / rise.rise_s, 1.0)
            factor = rise.from_factor + (rise.to_factor - rise.from_factor) * grown
            rates = self.weekday_peak() * factor
            rng = np.random.default_rng((self.plan.seed, _RISE_STREAM, cell))
            numbers = count((1 << 40) + cell * _NUMBERS_PER_CELL)
            yield from self._draw(rng, rates[None, :], start_s + past_s, _RISE_CELL_S, numbers)

    def weekday_peak(self) -> Floats:
        """Arrivals per second of each tenant at the busiest hour of a weekday, noise and pulses aside."""
        shares = np.array([tenant.share for tenant in self.plan.tenants])
        peak_hour = self._shape(np.array([_PEAK_HOUR]), weekend=False)[0]
        mean_rate = self.plan.traffic.requests_per_day / (_DAY_H * _HOUR_S)
        return np.asarray(mean_rate * shares * peak_hour / self._mean_shape())

    def _hour(self, hour: int) -> Iterator[Request]:
        rng = np.random.default_rng((self.plan.seed, _HISTORY_STREAM, hour))
        rates = self._minute_rates(hour) * self._pulses(rng)[:, None]
        yield from self._draw(rng, rates, hour * _HOUR_S, 60, count(hour * _NUMBERS_PER_CELL))

    def _minute_rates(self, hour: int) -> Floats:
        """(60, tenants) arrivals per second, pulses aside."""
        epoch_hour = self.plan.origin_ns // _HOUR_NS + hour
        of_day: Floats = epoch_hour % _DAY_H + (np.arange(60, dtype=np.float64) + 0.5) / 60
        weekend = (epoch_hour // _DAY_H + _THURSDAY) % 7 >= _SATURDAY
        mean_rate = self.plan.traffic.requests_per_day / (_DAY_H * _HOUR_S)
        shape = self._shape(of_day, weekend=bool(weekend)) / self._mean_shape()
        shares = np.array([tenant.share for tenant in self.plan.tenants])
        return np.asarray(mean_rate * shape * shares * self._noise(hour)[:, None])

    def _shape(self, of_day: Floats, *, weekend: bool) -> Floats:
        """(hours, tenants) relative rate by hour of the day."""
        traffic = self.plan.traffic
        columns = []
        for tenant in self.plan.tenants:
            peak = _NIGHT_PEAK_HOUR if tenant.is_nocturnal else _PEAK_HOUR
            swing = 0.5 + 0.5 * np.cos(2 * np.pi * (of_day - peak) / _DAY_H)
            wave = traffic.night_floor + (1 - traffic.night_floor) * swing**1.3
            columns.append(wave * (traffic.weekend if weekend and not tenant.is_nocturnal else 1.0))
        return np.stack(columns, axis=1)

    def _mean_shape(self) -> Floats:
        """(tenants,) mean of the shape and the pulses over a week, so that requests_per_day is met."""
        hours: Floats = np.arange(_DAY_H, dtype=np.float64) + 0.5
        weekday, weekend = self._shape(hours, weekend=False), self._shape(hours, weekend=True)
        traffic = self.plan.traffic
        factor, minutes = sum(traffic.pulse_factor) / 2, sum(traffic.pulse_minutes) / 2
        pulses = 1.0 + traffic.pulses_per_day * minutes / (_DAY_H * 60) * (factor - 1.0)
        return np.asarray((5 * weekday.mean(axis=0) + 2 * weekend.mean(axis=0)) / 7 * pulses)

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
            start = int(rng.integers(0, 60 - length))
            factor[start : start + length] = rng.uniform(*traffic.pulse_factor)
        return factor

    def _draw(
        self, rng: np.random.Generator, rates: Floats, start_s: float, cell_s: int, numbers: Iterator[int]
    ) -> Iterator[Request]:
        """Requests of consecutive cells of `cell_s` seconds, rates (cells, tenants) per second."""
        counts = rng.poisson(rates * cell_s)
        total = int(counts.sum())
        cells, tenants = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), counts.shape[1])
        arrivals = start_s + (cells + rng.random(total)) * cell_s
        order = np.argsort(arrivals, kind="stable")
        columns = _Columns.draw(rng, self.plan.models, total)
        for number, position in zip(numbers, order.tolist(), strict=False):
            yield columns.request(position, number, float(arrivals[position]), int(tenants[position]))


@dataclass(frozen=True)
class _Columns:
    """What (n,) requests ask for, as lists: one numpy draw per column, one list access per request."""

    model: list[int]
    prompt: list[int]
    output: list[int]
    max_tokens: list[int]
    is_cut: list[bool]
    is_streamed: list[bool]
    temperature: list[float]
    patience: list[float]
    luck: list[float]
    when: list[float]

    @classmethod
    def draw(cls, rng: np.random.Generator, models: tuple[ModelPlan, ...], total: int) -> "_Columns":
        chosen = rng.choice(len(models), total, p=[model.share for model in models])
        prompt = _lengths(rng, [model.prompt for model in models], chosen)
        natural = _lengths(rng, [model.output for model in models], chosen)
        patience = _lengths(rng, [model.patience for model in models], chosen)
        asked = rng.choice(_MAX_TOKENS, total, p=_MAX_TOKENS_SHARES)
        room = np.array([model.context_window for model in models])[chosen] - prompt
        limit = np.maximum(np.where(asked > 0, np.minimum(asked, room), room), 1)
        return cls(
            model=chosen.tolist(),
            prompt=prompt.tolist(),
            output=np.minimum(natural, limit).tolist(),
            max_tokens=asked.tolist(),
            is_cut=(natural > limit).tolist(),
            is_streamed=(rng.random(total) < 0.7).tolist(),  # noqa: PLR2004 - the share of streaming callers
            temperature=rng.choice(_TEMPERATURES, total, p=_TEMPERATURE_SHARES).tolist(),
            patience=patience.astype(float).tolist(),
            luck=rng.random(total).tolist(),
            when=rng.random(total).tolist(),
        )

    def request(self, position: int, number: int, arrival_s: float, tenant: int) -> Request:
        return Request(
            number=number,
            arrival_s=arrival_s,
            model=self.model[position],
            tenant=tenant,
            prompt_tokens=self.prompt[position],
            output_tokens=self.output[position],
            max_tokens=self.max_tokens[position],
            is_cut=self.is_cut[position],
            is_streamed=self.is_streamed[position],
            temperature=self.temperature[position],
            patience_s=self.patience[position],
            luck=self.luck[position],
            when=self.when[position],
        )


def _lengths(rng: np.random.Generator, plans: list[Lengths], chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(n,) log-normal draws, each from the plan that its row chose."""
    medians = np.log([plan.median for plan in plans])[chosen]
    spreads = np.array([plan.spread for plan in plans])[chosen]
    largest = np.array([plan.largest for plan in plans])[chosen]
    drawn = np.exp(medians + spreads * rng.normal(size=len(chosen)))
    return np.clip(np.rint(drawn), 1, largest).astype(np.int64)


def _hours(start_s: float, end_s: float) -> Iterator[int]:
    """Full hours that the half-open stretch touches; `end_s` may be infinite."""
    return takewhile(lambda hour: hour * _HOUR_S < end_s, count(int(start_s // _HOUR_S)))
