"""Reports, ledgers and lists on the wire. Times are RFC 3339 UTC; rates are 0..1; `_rps` is requests per second."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.questions.answers import Interval, Rate, RequestLedger, SignalLedger


@dataclass(frozen=True, slots=True)
class PoolItem:
    """A pool: the replicas that answer under one served name."""

    service: str
    model: str


@dataclass(frozen=True, slots=True)
class WindowItem:
    """A window from `start` (inclusive) to `end` (exclusive)."""

    start: str
    end: str


@dataclass(frozen=True, slots=True)
class LatencyItem:
    """Latency quantiles, at most 5 % off; null without data."""

    count: int
    p50_s: float | None
    p95_s: float | None
    p99_s: float | None


@dataclass(frozen=True, slots=True)
class BasisItem:
    """What an answer rests on: method, window, and how far the data reaches."""

    method: str
    version: int
    window: WindowItem
    watermark: str
    requests: int
    pending_minutes: int


@dataclass(frozen=True, slots=True)
class TierItem:
    """One traffic tier, or one step of a load test.

    load_from_rps, load_to_rps  arrival rate per ready replica, (from, to]; null where open; equal for a step
    requests_all                all requests; `rate.requests` are those with a known outcome
    multiplier                  rate over that of the lowest tier or step with 30 known outcomes; null for that one,
                                below 30 known outcomes, and where that one has no defect
    phi                         over-dispersion that the interval of the rate allows for
    risk_threshold              highest defect rate that the service tier accepts, 0..1
    risk_standing               where the interval of the rate lies beside it: below, across, above, unknown
    """

    service_tier: str
    load_tier: str
    step: int | None
    load_from_rps: float | None
    load_to_rps: float | None
    mean_load_rps: float | None
    minutes: int
    requests_all: int
    unknown: int
    rate: Rate
    phi: float
    defects: Mapping[str, int]
    multiplier: float | None
    multiplier_interval: Interval
    e2e: LatencyItem
    ttft: LatencyItem
    status: str
    risk_threshold: float
    risk_standing: str


@dataclass(frozen=True, slots=True)
class TierReportItem:
    """Defects per traffic tier of a pool, or per step of a load test.

    counted  kinds of defect that count in rates; `defects` has every kind
    """

    pool: PoolItem
    load_test: str
    status: str
    flags: Sequence[str]
    days: int
    basis: BasisItem
    rows: Sequence[TierItem]
    counted: Sequence[str]


@dataclass(frozen=True, slots=True)
class LedgerItem:
    """What became of every request (`requests`) and of every record (`ingest`, per signal)."""

    window: WindowItem
    requests: RequestLedger
    ingest: Mapping[str, SignalLedger]


@dataclass(frozen=True, slots=True)
class PoolActivityItem:
    """A pool and how much of it the window holds."""

    service: str
    model: str
    requests: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class PoolList:
    """Pools with production requests, busiest first."""

    items: Sequence[PoolActivityItem]
    next: None = None


@dataclass(frozen=True, slots=True)
class LoadTestItem:
    """A load test and the pool it ran on."""

    load_test: str
    service: str
    model: str
    requests: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class LoadTestList:
    """All load tests, newest first."""

    items: Sequence[LoadTestItem]
    next: None = None
