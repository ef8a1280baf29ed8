"""What the simulated cluster is made of: frozen facts, no behaviour. A scenario file is one of these, written in YAML.

Times are seconds of simulated time unless the name says otherwise, lengths are tokens, probabilities and shares 0..1.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Share = Annotated[float, Meta(ge=0.0, le=1.0)]
_FINITE = 1e12  # no time, rate or factor is larger; it keeps infinity out, as a bound keeps out what is no number
Positive = Annotated[float, Meta(gt=0.0, le=_FINITE)]
Amount = Annotated[float, Meta(ge=0.0, le=_FINITE)]
Whole = Annotated[int, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]


Pulse = Annotated[float, Meta(gt=0.0, le=1_000.0)]
Minutes = Annotated[int, Meta(ge=1, le=59)]


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen fact; unknown fields are refused when it is read from a file."""


class Lengths(Plan, frozen=True, kw_only=True):
    """Log-normal amounts, cut at `largest`; the median and the shape of production traces."""

    median: Positive
    spread: Amount
    largest: Count


class Behaviour(Plan, frozen=True, kw_only=True):
    """How a replica treats requests whatever the load.

    speed                factor on its compute speed; 0 stalls it: arrivals, no completions
    error_probability    chance that a request dies inside the engine
    empty_probability    chance that a request ends at once without a token
    runaway_probability  chance that a request does not stop by itself: it goes on to its limit
    hang_probability     chance that a request stops after its first token and keeps its slot and its cache
    output_factor        factor on the natural length of answers: what other weights say differs in length
    """

    speed: Amount = 1.0
    error_probability: Share = 0.0016
    empty_probability: Share = 0.0008
    runaway_probability: Share = 0.0002
    hang_probability: Share = 0.0
    output_factor: Positive = 1.0


class Version(Plan, frozen=True, kw_only=True):
    """What a replica runs; all but the behaviour is what its telemetry says of itself."""

    revision: str
    quantization: str = "fp8"
    dtype: str = "bfloat16"
    engine_version: str = "0.33.0"
    behaviour: Behaviour = Behaviour()


class EnginePlan(Plan, frozen=True, kw_only=True):
    """Physics of one replica with continuous batching, on healthy hardware.

    batch_max              sequences that decode at once (`max_num_seqs`)
    kv_tokens              tokens of KV cache; a full cache evicts cached prefixes, then preempts the youngest sequence
    queue_max              requests that may wait at the engine; beyond that it answers 503
    prefill_tokens_per_s   prompt tokens computed per second, one prompt after another
    prefill_share          part of the decode speed that a running prefill takes (chunked prefill)
    step_s                 one decode step with one sequence and an empty cache
    step_per_sequence_s    added per further sequence
    step_per_kv_token_s    added per cached token that the step must read
    exchange_s             part of a step that waits for the other cards, over healthy links inside one rack
    exchange_per_sequence_s  added to it per further sequence: more tokens are to be exchanged
    cards                  accelerators that one replica spans
    load_s                 seconds from a start to the first request: weights are loaded, graphs captured
    prefix_cache           whether contexts of finished turns stay in the cache until room is needed
    accelerator            name of the card, as node labels tell it
    memory_bytes           memory of one card
    """

    batch_max: Count
    kv_tokens: Count
    queue_max: Whole
    prefill_tokens_per_s: Positive
    prefill_share: Share
    step_s: Positive
    step_per_sequence_s: Amount = 0.0
    step_per_kv_token_s: Amount = 0.0
    exchange_s: Amount = 0.0
    exchange_per_sequence_s: Amount = 0.0
    cards: Count = 1
    load_s: float = 90.0
    prefix_cache: bool = True
    accelerator: str = "NVIDIA-L40S"
    memory_bytes: Count = 48 << 30


class ModelPlan(Plan, frozen=True, kw_only=True):
    """A served model: a pool of replicas behind the gateways, and the gateways' limits for it.

    share            part of all requests that ask for it
    in_flight_max    requests that the gateways together forward at once
    queue_max        requests that may wait at the gateways together; beyond that they answer 429
    timeout_s        seconds after which a gateway gives up
    patience         seconds a client waits for the first thing that it sees, log-normal: the first token of a stream,
                     or the whole answer
    long_share       part of its prompts that are long contexts
    long_prompt      their lengths
    affinity         whether the router prefers the replica that still holds a session's context
    """

    name: Name
    version: Version
    context_window: Count
    replicas: Count
    share: Share
    prompt: Lengths
    output: Lengths
    engine: EnginePlan
    in_flight_max: Count
    queue_max: Whole
    timeout_s: Positive
    patience: Lengths
    long_share: Share = 0.0
    long_prompt: Lengths = Lengths(median=6_000, spread=0.35, largest=16_000)
    affinity: bool = True


class RateLimit(Plan, frozen=True, kw_only=True):
    """A token bucket: requests a second in the long run, and how many at once."""

    requests_per_s: Positive
    burst: Count


class TenantPlan(Plan, frozen=True, kw_only=True):
    """A caller: service tier, part of the week's requests, whether it works at night, its limit over all gateways."""

    name: Name
    service_tier: str
    share: Share
    is_nocturnal: bool = False
    rate_limit: RateLimit | None = None


class Retries(Plan, frozen=True, kw_only=True):
    """Attempts after failures: of a client (each a request of its own), or of a gateway (inside one request).

    share         part of the requests whose sender tries again at all
    attempts_max  attempts in all, the first one included
    backoff_s     mean wait before the second attempt, doubled before each further one; half of it is chance
    """

    share: Share = 0.0
    attempts_max: Count = 1
    backoff_s: Amount = 1.0


class Breaker(Plan, frozen=True, kw_only=True):
    """A gateway stops asking a replica after failures in a row, for a while; then it tries again.

    failures  in a row that open it
    cool_s    seconds until one request may try the replica again
    """

    failures: Count = 5
    cool_s: Positive = 20.0


class GatewayPlan(Plan, frozen=True, kw_only=True):
    """The processes in front. A connection holds a file descriptor, and so does each forwarded request.

    count      processes; connections are spread evenly
    fd_limit   open files of one process
    fd_idle    descriptors that it always holds
    retries    its own further attempts after an engine's failure, before the answer has begun
    """

    count: Count = 1
    fd_limit: Count = 1_024
    fd_idle: Whole = 40
    retries: Retries = Retries(share=1.0, attempts_max=2, backoff_s=0.4)
    breaker: Breaker = Breaker()


class DependencyPlan(Plan, frozen=True, kw_only=True):
    """Something a gateway asks before it forwards a request.

    kind         `cache`: the session's context, asked by follow-up turns; `vector`: documents, asked by a share;
                 `queue`: requests of the batch tier wait in it until a worker takes them
    system       its name in telemetry: redis, milvus, kafka …
    latency_ms   of one healthy call
    timeout_s    after which a call is given up
    share        part of the requests that ask it, where the kind does not say
    is_needed    a failed call fails the request; otherwise it goes on without
    """

    name: Name
    kind: Literal["cache", "vector", "queue"]
    system: Name
    latency_ms: Lengths
    timeout_s: Positive = 5.0
    share: Share = 0.0
    is_needed: bool = False


class TrafficPlan(Plan, frozen=True, kw_only=True):
    """Arrivals of a typical week.

    requests_per_day   mean over a week, retries not counted
    night_floor        night rate as a part of the day's peak
    weekend            weekend rate as a part of the weekday's
    noise              standard deviation of the log rate, correlated over about an hour
    pulses_per_day     sudden rises: how many, how strong, how long
    session_share      part of the requests that are further turns of a conversation
    growth_per_week    factor on the rate from one week to the next
    arrivals_file      a CSV of `TIMESTAMP,ContextTokens,GeneratedTokens` (Azure's trace) whose times and lengths are
                       played over and over instead; the rate is scaled to requests_per_day
    rates_file         a CSV of `t_s,req_per_s` (ServeGen's) whose course replaces the typical week's, scaled likewise
    """

    requests_per_day: Positive
    night_floor: Share = 0.30
    weekend: Positive = 0.72
    noise: Annotated[float, Meta(ge=0.0, le=2.0)] = 0.10
    pulses_per_day: Annotated[float, Meta(ge=0.0, le=24.0)] = 7.0
    pulse_factor: tuple[Pulse, Pulse] = (1.5, 2.6)
    pulse_minutes: tuple[Minutes, Minutes] = (2, 7)
    session_share: Share = 0.45
    growth_per_week: Annotated[float, Meta(ge=0.1, le=10.0)] = 1.0
    arrivals_file: str | None = None
    rates_file: str | None = None


class RisePlan(Plan, frozen=True, kw_only=True):
    """Live traffic: load rises from a multiple of the typical weekday peak to another one and stays there.

    from_factor, to_factor  multiples of the typical weekday peak
    rise_s                  seconds of the rise
    """

    from_factor: Positive = 1.0
    to_factor: Positive = 1.0
    rise_s: Positive = 180.0


class FleetPlan(Plan, frozen=True, kw_only=True):
    """A whole cluster. Equal plans with equal origins and timelines emit equal bytes.

    origin_ns        epoch nanoseconds of simulated second 0, on a full hour
    cards_per_rack   accelerators in one rack; replicas fill racks one after the other
    cross_rack       factor on the exchange part of a step for a replica that spans racks, links healthy
    clients          what clients do after 429, 5xx, time-outs and refused connections
    """

    seed: int
    origin_ns: int
    service: Name
    models: tuple[ModelPlan, ...]
    tenants: tuple[TenantPlan, ...]
    traffic: TrafficPlan
    gateway: GatewayPlan = GatewayPlan()
    dependencies: tuple[DependencyPlan, ...] = ()
    clients: Retries = Retries(share=0.5, attempts_max=2, backoff_s=2.0)
    cards_per_rack: Count = 3
    cross_rack: Positive = 6.0
