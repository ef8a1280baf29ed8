"""What the simulated cluster is made of: frozen facts, no behaviour.

Times are seconds of simulated time unless the name says otherwise, lengths are tokens.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lengths:
    """Log-normal token counts, cut at `largest`; the median and the shape of production traces."""

    median: float
    spread: float
    largest: int


@dataclass(frozen=True, slots=True)
class EnginePlan:
    """Physics of one replica with continuous batching.

    batch_max              sequences that decode at once (`max_num_seqs`)
    kv_tokens              tokens of KV cache; a full cache preempts the youngest sequence, which is computed again
    queue_max              requests that may wait at the engine; beyond that it answers 503
    prefill_tokens_per_s   prompt tokens computed per second, one prompt after another
    prefill_share          part of the decode speed that a running prefill takes (chunked prefill)
    step_s                 one decode step with one sequence and an empty cache
    step_per_sequence_s    added per further sequence
    step_per_kv_token_s    added per cached token that the step must read
    error_probability      chance that a request dies inside the engine, whatever the load
    empty_probability      chance that a request ends at once without a token, whatever the load
    """

    batch_max: int
    kv_tokens: int
    queue_max: int
    prefill_tokens_per_s: float
    prefill_share: float
    step_s: float
    step_per_sequence_s: float
    step_per_kv_token_s: float
    error_probability: float
    empty_probability: float


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """A served model, its replicas and the gateway's limits for it.

    share            part of all requests that ask for it, 0..1
    in_flight_max    requests that the gateway forwards at once
    queue_max        requests that may wait at the gateway; beyond that it answers 429
    timeout_s        seconds after which the gateway gives up
    patience         seconds a client waits for the first token, log-normal
    """

    name: str
    revision: str
    quantization: str
    context_window: int
    replicas: int
    share: float
    prompt: Lengths
    output: Lengths
    engine: EnginePlan
    in_flight_max: int
    queue_max: int
    timeout_s: float
    patience: Lengths


@dataclass(frozen=True, slots=True)
class TenantPlan:
    """A caller: its service tier, its part of the week's requests, and whether it works at night."""

    name: str
    service_tier: str
    share: float
    is_nocturnal: bool = False


@dataclass(frozen=True, slots=True)
class TrafficPlan:
    """Arrivals of a typical week.

    requests_per_day   mean over a week
    night_floor        night rate as a part of the day's peak
    weekend            weekend rate as a part of the weekday's
    noise              standard deviation of the log rate, correlated over about an hour
    pulses_per_day     sudden rises: how many, how strong, how long
    """

    requests_per_day: float
    night_floor: float = 0.30
    weekend: float = 0.72
    noise: float = 0.10
    pulses_per_day: float = 7.0
    pulse_factor: tuple[float, float] = (1.5, 2.6)
    pulse_minutes: tuple[int, int] = (2, 7)


@dataclass(frozen=True, slots=True)
class RisePlan:
    """The live part: load rises from a weekday peak to a multiple of it and stays there.

    from_factor, to_factor  multiples of the typical weekday peak
    rise_s                  seconds of the rise
    """

    from_factor: float = 1.0
    to_factor: float = 2.4
    rise_s: float = 180.0


@dataclass(frozen=True, slots=True)
class Fault:
    """From `at_s` on one replica is bad; nothing of this leaves the simulation.

    replica   index into the replicas of the model
    speed     factor on its compute speed
    """

    at_s: float
    model: int
    replica: int
    error_probability: float
    empty_probability: float
    speed: float


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """A whole cluster. Equal plans with equal origins emit equal bytes.

    origin_ns  epoch nanoseconds of simulated second 0, on a full hour
    """

    seed: int
    origin_ns: int
    service: str
    models: tuple[ModelPlan, ...]
    tenants: tuple[TenantPlan, ...]
    traffic: TrafficPlan
