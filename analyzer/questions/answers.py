"""The shapes of answers: what the API serialises, the terminal prints and the dashboard draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from vocabulary.outcomes import DEFECT_NAMES
from vocabulary.pools import Pool, Window


class Status(StrEnum):
    """How far an answer can be trusted; an answer is never a bare number."""

    OK = "ok"
    INSUFFICIENT_DATA = "insufficient_data"
    NO_OUTCOME = "no_outcome"
    EMPTY = "empty"


class RiskStanding(StrEnum):
    """Where the interval of a rate lies beside the risk threshold: all of it on one side, or on both."""

    BELOW = "below"
    ACROSS = "across"
    ABOVE = "above"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval at a confidence level; None bounds mean not computable."""

    low: float | None
    high: float | None
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """A defect rate with its evidence.

    requests   n: requests whose outcome is known
    defective  requests with at least one counted defect
    rate       defective / requests, None when requests is 0
    interval   Wilson interval of the rate
    """

    requests: int
    defective: int
    rate: float | None
    interval: Interval


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Latency quantiles in seconds from log-bucket sketches, at most 5 % off; None without data."""

    count: int
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer rests on.

    method        name of the method
    version       its version
    window        the window asked about
    watermark_ns  data up to here is in the answer
    requests      n over the whole answer
    pending_minutes  minutes with newer data that are not rolled up yet
    """

    method: str
    version: int
    window: Window
    watermark_ns: int
    requests: int
    pending_minutes: int


@dataclass(frozen=True, slots=True)
class TierRow:
    """One traffic tier (service tier x load tier), or one step of a load test.

    load_from_rps, load_to_rps  arrival rate per ready replica: (from, to]; None where open. Equal for a step
    mean_load_rps               request-weighted mean load
    requests_all                all requests, unknown outcomes included
    rate                        defect rate over known outcomes
    defects                     requests per defect kind (a request may be in several)
    unknown                     requests whose outcome is unknown
    multiplier                  rate / rate of the baseline; None for the baseline itself, below 30 known outcomes,
                                for a baseline without defects, and where the counts are too few for a point
    is_baseline                 lowest tier of the same service tier with at least 30 known outcomes
    multiplier_interval         interval of the multiplier
    minutes                     minutes of the window in this load tier
    risk_threshold              highest defect rate (0..1) that the service tier accepts
    risk_standing               where the interval of the rate lies beside it
    phi                         over-dispersion the interval of the rate allows for, 1 for counts alone
    """

    service_tier: str
    load_tier: str
    step: int | None
    load_from_rps: float | None
    load_to_rps: float | None
    mean_load_rps: float | None
    requests_all: int
    rate: Rate
    defects: Mapping[str, int]
    unknown: int
    multiplier: float | None
    multiplier_interval: Interval
    e2e: Quantiles
    ttft: Quantiles
    minutes: int
    status: Status
    risk_threshold: float
    risk_standing: RiskStanding
    phi: float = 1.0
    is_baseline: bool = False


@dataclass(frozen=True, slots=True)
class TierReport:
    """Rows ordered by service tier, then load; `load_test` is '' for production.

    days     calendar days (UTC) with requests: the blocks behind multiplier intervals
    counted  kinds of defect that count in rates, as the service is defined now
    """

    pool: Pool
    load_test: str
    rows: Sequence[TierRow]
    basis: Basis
    status: Status
    flags: Sequence[str]
    days: int = 0
    counted: Sequence[str] = DEFECT_NAMES


@dataclass(frozen=True, slots=True)
class OverviewPoint:
    """One bucket of the overview: load per ready replica and the defect rate with its interval."""

    at_ns: int
    load_rps: float
    requests: int
    rate: Rate


@dataclass(frozen=True, slots=True)
class Overview:
    """The pool (or all pools: None) over the window, at most 360 points.

    is_per_pool  load is that of the whole pool, because no request names its replica
    """

    pool: Pool | None
    bucket_s: int
    points: Sequence[OverviewPoint]
    total: Rate
    basis: Basis
    status: Status
    is_per_pool: bool = False


@dataclass(frozen=True, slots=True)
class RequestLedger:
    """offered = admitted + rejected; admitted = completed + failed + timed_out + aborted + in_flight + lost + unknown.

    verified  'unverified' while no source independent of the rows tells what was offered
    """

    offered: int
    rejected: int
    admitted: int
    completed: int
    failed: int
    timed_out: int
    aborted: int
    in_flight: int
    lost: int
    unknown: int
    verified: str


@dataclass(frozen=True, slots=True)
class SignalLedger:
    """What became of the records of one signal: received = stored + duplicate + sum(rejected)."""

    received: int
    stored: int
    duplicate: int
    rejected: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Both ledgers over one window."""

    requests: RequestLedger
    ingest: Mapping[str, SignalLedger]
    window: Window


@dataclass(frozen=True, slots=True)
class Cost:
    """What the tokens of a request cost by the prices that are configured now; None where a token count is unknown."""

    amount: float | None
    currency: str


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request as people read it: hex keys, defect names, canonical fields by name (None when unknown).

    in_flight_at_arrival  requests of the same replica under way when it arrived, None when the replica is unknown
    cost                  None where no prices are configured
    """

    request_key: str
    trace_id: str
    start_ns: int
    end_ns: int | None
    e2e_s: float | None
    tpot_s: float | None
    service: str
    model: str
    outcome: str
    defects: Sequence[str]
    truncation_cause: str
    hop_count: int
    hop_roles: Sequence[str]
    emitters: Sequence[str]
    quality: Sequence[str]
    fields: Mapping[str, object]
    in_flight_at_arrival: int | None = None
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class RequestPage:
    """A page of requests, newest first; `next` is an opaque cursor or None."""

    items: Sequence[RequestRecord]
    next: str | None


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """One span as people read it; `attributes` are the raw ones kept, `sources` where canonical fields came from."""

    span_id: str
    parent_span_id: str
    name: str
    kind: int
    start_ns: int
    end_ns: int | None
    status_code: int
    status_message: str
    hop_role: str
    is_inference: bool
    emitter: str
    fields: Mapping[str, object]
    sources: Mapping[str, str]
    attributes: Mapping[str, object]
    resource: Mapping[str, object]
    scope_name: str
    scope_version: str
    events: Sequence[Mapping[str, object]]
    links: Sequence[Mapping[str, object]]
    quality: Sequence[str]


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """Spans of one trace by start time; `is_partial` when the read limit cut it."""

    trace_id: str
    spans: Sequence[SpanRecord]
    is_partial: bool
