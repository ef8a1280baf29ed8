"""What requests ask for: one numpy draw per column, no Python per request but making it."""

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields

import numpy as np
import numpy.typing as npt

from loadtest.fleet.plan import Lengths, ModelPlan
from loadtest.fleet.request import Request

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_MAX_TOKENS = np.array((0, 512, 1024, 2048, 4096))
_MAX_TOKENS_SHARES = (0.40, 0.14, 0.22, 0.16, 0.08)
_TEMPERATURES = np.array((0.0, 0.2, 0.7, 1.0))
_TEMPERATURE_SHARES = (0.20, 0.25, 0.40, 0.15)
_STREAMING = 0.7  # share of the callers that stream
_DRAWN = [one.name for one in fields(Request) if one.default is MISSING and one.default_factory is MISSING]


@dataclass(slots=True)
class Columns:
    """(n,) requests in the order of arrival; names as in Request, `lane` and `luck_of_turn` are uniform draws."""

    arrival_s: Floats
    tenant: Ints
    model: Ints
    session: Ints
    prefix_tokens: Ints
    prompt_tokens: Ints
    natural_tokens: Ints
    max_tokens: Ints
    is_streamed: npt.NDArray[np.bool_]
    temperature: Floats
    patience_s: Floats
    luck: Floats
    when: Floats
    lane: Floats
    luck_of_turn: Floats

    @classmethod
    def draw(
        cls, rng: np.random.Generator, models: tuple[ModelPlan, ...], arrival_s: Floats, tenant: Ints
    ) -> "Columns":
        """Requests without sessions at these seconds, from these tenants."""
        uniform = rng.random((9, len(arrival_s)))
        model = pick(uniform[0], [one.share for one in models])
        is_long = uniform[1] < np.array([one.long_share for one in models])[model]
        prompts = [one.prompt for one in models] + [one.long_prompt for one in models]
        return cls(
            arrival_s=arrival_s,
            tenant=tenant,
            model=model,
            session=np.full(len(arrival_s), -1),
            prefix_tokens=np.zeros(len(arrival_s), dtype=np.int64),
            prompt_tokens=_lengths(rng, prompts, model + len(models) * is_long),
            natural_tokens=_lengths(rng, [one.output for one in models], model),
            max_tokens=_MAX_TOKENS[pick(uniform[2], _MAX_TOKENS_SHARES)],
            is_streamed=uniform[3] < _STREAMING,
            temperature=_TEMPERATURES[pick(uniform[4], _TEMPERATURE_SHARES)],
            patience_s=_lengths(rng, [one.patience for one in models], model).astype(np.float64),
            luck=uniform[5],
            when=uniform[6],
            lane=uniform[7],
            luck_of_turn=uniform[8],
        )

    def replay(self, models: tuple[ModelPlan, ...], prompt: Ints, generated: Ints) -> None:
        """Take lengths that a file tells: prompts below the window, answers that nobody cuts short of it."""
        windows = np.array([one.context_window for one in models])[self.model]
        self.prompt_tokens = np.clip(prompt, 1, np.maximum(windows - 1, 1))
        self.natural_tokens = np.maximum(generated, 1)
        self.max_tokens = np.zeros_like(self.max_tokens)

    def between(self, start_s: float, end_s: float) -> slice:
        """The rows that arrive in [start_s, end_s)."""
        low, high = np.searchsorted(self.arrival_s, (start_s, end_s))
        return slice(int(low), int(high))

    def requests(self, models: tuple[ModelPlan, ...], rows: slice, first_number: int) -> Iterator[Request]:
        """These rows as requests; row 0 bears `first_number`."""
        windows = np.array([one.context_window for one in models])[self.model[rows]]
        told: dict[str, Sequence[object]] = {
            name: getattr(self, name)[rows].tolist() for name in _DRAWN if name not in ("number", "limit_tokens")
        }
        told["number"] = range(first_number + rows.start, first_number + rows.stop)
        told["limit_tokens"] = _limits(windows - self.prompt_tokens[rows], self.max_tokens[rows]).tolist()
        return map(Request, *(told[name] for name in _DRAWN))


def pick(uniform: Floats, shares: Sequence[float] | Floats) -> Ints:
    """(n,) indices drawn with these shares, which need not sum to 1."""
    ends = np.cumsum(shares)
    return np.searchsorted(ends[:-1] / ends[-1], uniform, side="right").astype(np.int64)


def _limits(room: Ints, asked: Ints) -> Ints:
    return np.maximum(np.where(asked > 0, np.minimum(asked, room), room), 1)


def _lengths(rng: np.random.Generator, plans: list[Lengths], chosen: Ints) -> Ints:
    """(n,) log-normal draws, each from the plan that its row chose."""
    medians = np.log([plan.median for plan in plans])[chosen]
    spreads = np.array([plan.spread for plan in plans])[chosen]
    largest = np.array([plan.largest for plan in plans])[chosen]
    drawn = np.exp(medians + spreads * rng.standard_normal(len(chosen)))
    return np.clip(np.rint(drawn), 1, largest).astype(np.int64)
