"""Histograms of finished requests per replica, as vLLM keeps them; all durations are seconds of the wall clock."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from loadtest.endpoint.clock import Clock
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import End, Request

_LATENCY = (
    *(0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0),
    *(120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0),
)
_FIRST_TOKEN = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5),
    *(10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0),
)
_PER_TOKEN = (
    *(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5),
    *(10.0, 20.0, 40.0, 80.0),
)
HISTOGRAMS: dict[str, tuple[str, tuple[float, ...] | None]] = {
    "time_to_first_token_seconds": ("Histogram of time to first token in seconds.", _FIRST_TOKEN),
    "inter_token_latency_seconds": ("Histogram of inter-token latency in seconds.", _PER_TOKEN),
    "request_time_per_output_token_seconds": (
        "Histogram of time_per_output_token_seconds per request.",
        _PER_TOKEN,
    ),
    "e2e_request_latency_seconds": ("Histogram of e2e request latency in seconds.", _LATENCY),
    "request_queue_time_seconds": ("Histogram of time spent in WAITING phase for request.", _LATENCY),
    "request_prefill_time_seconds": ("Histogram of time spent in PREFILL phase for request.", _LATENCY),
    "request_decode_time_seconds": ("Histogram of time spent in DECODE phase for request.", _LATENCY),
    "request_inference_time_seconds": ("Histogram of time spent in RUNNING phase for request.", _LATENCY),
    "request_prompt_tokens": ("Number of prefill tokens processed.", None),
    "request_generation_tokens": ("Number of generation tokens processed.", None),
    "request_params_max_tokens": ("Histogram of the max_tokens request parameter.", None),
    "request_params_n": ("Histogram of the n request parameter.", (1.0, 2.0, 5.0, 10.0, 20.0)),
}
"""Name without `vllm:`, its help, its upper bounds; None: 1, 2, 5, 10 … up to the model's context window."""
_FINISHED = frozenset({End.COMPLETED, End.ENGINE_ERROR})


@dataclass(slots=True)
class Histogram:
    """Counts between bounds; the last count is above all of them."""

    bounds: tuple[float, ...]
    total: float = 0.0
    counts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def add(self, value: float, times: int = 1) -> None:
        """Count a value, so often."""
        self.counts[bisect_left(self.bounds, value)] += times
        self.total += value * times

    def buckets(self) -> Iterator[tuple[str, float]]:
        """(upper bound, values up to it), `+Inf` last."""
        below = 0
        for bound, counted in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            below += counted
            yield bound, below


@dataclass(slots=True)
class RequestRecord:
    """Histograms by (model, place) and name."""

    plan: FleetPlan
    clock: Clock
    histograms: dict[tuple[int, int], dict[str, Histogram]] = field(default_factory=dict)

    def of(self, model: int, place: int) -> dict[str, Histogram]:
        """The histograms of one replica; empty ones when nothing finished there yet."""
        known = self.histograms.get((model, place))
        if known is None:
            window = self.plan.models[model].context_window
            known = {name: Histogram(bounds or token_bounds(window)) for name, (_, bounds) in HISTOGRAMS.items()}
            self.histograms[model, place] = known
        return known

    def add(self, request: Request) -> None:
        """Count a request that an engine finished; others it never tells of."""
        if request.end not in _FINISHED or request.first_token_s < 0:
            return
        of, wall_s = self.of(request.model, request.place), self.clock.wall_s
        decode_s = wall_s(request.ended_s - request.first_token_s)
        gaps = int(request.tokens) - 1
        of["time_to_first_token_seconds"].add(wall_s(request.first_token_s - request.forwarded_s))
        of["e2e_request_latency_seconds"].add(wall_s(request.ended_s - request.forwarded_s))
        of["request_queue_time_seconds"].add(wall_s(request.scheduled_s - request.forwarded_s))
        of["request_prefill_time_seconds"].add(wall_s(request.first_token_s - request.scheduled_s))
        of["request_inference_time_seconds"].add(wall_s(request.ended_s - request.scheduled_s))
        of["request_decode_time_seconds"].add(decode_s)
        if gaps > 0:
            of["inter_token_latency_seconds"].add(decode_s / gaps, gaps)
            of["request_time_per_output_token_seconds"].add(decode_s / gaps)
        of["request_prompt_tokens"].add(request.prompt_tokens)
        of["request_generation_tokens"].add(int(request.tokens))
        of["request_params_max_tokens"].add(request.limit_tokens)
        of["request_params_n"].add(1)


def token_bounds(largest: int) -> tuple[float, ...]:
    """1, 2, 5, 10, 20 … up to `largest`, as vLLM's token histograms have them."""
    bounds = [step * 10**power for power in range(len(str(largest))) for step in (1, 2, 5)]
    return tuple(float(bound) for bound in bounds if bound <= largest)
