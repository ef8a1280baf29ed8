"""What the rest of the house may ask of the telemetry store: writer, reader and rollup.

All times are nanoseconds since the epoch (Int64), windows are half-open. Tables are pyarrow, with the
schemas of `store.telemetry.columns`. Every implementation passes `tests/store/conformance`.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from vocabulary.changes import ChangeEvent
from vocabulary.outcomes import Outcome
from vocabulary.pools import Pool, Window
from vocabulary.services import ServiceBook


class TelemetryWriter(Protocol):
    """Appends facts. One thread calls it; a call returns after the rows are on disk (fsynced).

    raises  StoreUnavailableError when the store cannot take rows now (disk full, connection lost);
            nothing is half-visible then within one partition of one call
    """

    def append_spans(self, rows: pa.Table) -> None:
        """Store spans; the caller has removed re-deliveries and set commit_seq."""

    def append_requests(self, rows: pa.Table) -> None:
        """Store versions of requests; a higher version of a request_key replaces lower ones in every read."""

    def append_ledger(self, rows: pa.Table) -> None:
        """Store ledger rows. Written last in a commit: a commit_seq found here is a whole commit."""


class ChangeWriter(Protocol):
    """Appends change events. Thread-safe, also beside a TelemetryWriter; a call returns after they are on disk.

    raises  StoreUnavailableError when the store cannot take them now; appended again under their ids they are read once
    """

    def append_changes(self, changes: Iterable[ChangeEvent]) -> None:
        """Store change events."""


class IngestReader(Protocol):
    """What ingestion reads back to keep its promises: exactly once, late hops, restart."""

    def last_commit(self) -> int:
        """Highest commit_seq in the ledger, 0 for an empty store."""

    def highest_seq(self) -> int:
        """Highest commit number that any row carries, whole commit or not, 0 for an empty store.

        A new commit takes a number above it, or what a crash left behind would pass for a part of that commit.
        """

    def recent_keys(self, limit: int) -> pa.Table:
        """(trace_id, span_id) of up to `limit` spans, the newest commits first."""

    def stored_keys(self, trace_ids: pa.Array) -> pa.Table:
        """(trace_id, span_id) of all stored spans of these traces; exact, for confirming a suspected re-delivery."""

    def hops(self, trace_ids: pa.Array) -> pa.Table:
        """Stored spans of these traces in HOPS columns plus commit_seq, one row per (trace_id, span_id)."""

    def traces_after(self, commit_seq: int) -> pa.Array:
        """Distinct trace ids of spans whose commit_seq is higher: what a crash left half-committed."""

    def import_progress(self, import_id: str) -> int:
        """Rows of an import that are stored as requests, 0 when unknown."""


@dataclass(frozen=True, slots=True)
class RequestFilter:
    """Which requests a list shows; an empty text or None means any.

    defect is one of vocabulary.outcomes.DEFECT_NAMES, or "any" for a request with at least one defect.
    """

    service: str = ""
    model: str = ""
    outcome: Outcome | None = None
    defect: str = ""
    service_tier: str = ""
    replica: str = ""
    tenant: str = ""
    load_test: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One keyset page, newest first.

    rows  REQUESTS columns
    next  cursor for the following page (anchor_ns, request_key), None at the end
    """

    rows: pa.Table
    next: tuple[int, bytes] | None


@dataclass(frozen=True, slots=True)
class PoolActivity:
    """A pool and how much of it a window holds."""

    pool: Pool
    requests: int
    first_ns: int
    last_ns: int


@dataclass(frozen=True, slots=True)
class LoadTest:
    """A load test seen in the store."""

    load_test: str
    pool: Pool
    requests: int
    first_ns: int
    last_ns: int


@dataclass(frozen=True, slots=True)
class RecordLedger:
    """Per signal: how many records were received and what became of them; received = sum of `reasons`."""

    received: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)


class TelemetryReader(Protocol):
    """Answers bounded questions. Thread-safe.

    raises  RefusedReadError when a bound is missing or too wide, StoreUnavailableError when the store is down
    """

    def snapshot(self) -> "TelemetryReader":
        """A reader whose rollups stay as they are now, so that the parts of one answer fit; good for two minutes."""

    def within(self, tenants: AbstractSet[str] | None) -> "TelemetryReader":
        """A reader that sees rows of these tenants only; None for all that this one sees, so limits only narrow.

        A request belongs to the tenant of its current version, and to nobody when that names none. An empty set sees
        nothing. Counts keep their meaning, but are made from raw requests, over at most 31 days; load and
        `replicas_ready` stay those of the whole pool.
        raises  RefusedReadError when one statement cannot name so many tenants (10,000, 1 MiB of names)
        """

    def pools(self, window: Window) -> Sequence[PoolActivity]:
        """Pools with production requests in the window, busiest first; read from rollups."""

    def load_tests(self) -> Sequence[LoadTest]:
        """All load tests, newest first; read from rollups."""

    def minutes(self, pool: Pool, window: Window, load_test: str = "") -> pa.Table:
        """Rows of a pool in columns minute_ns, service_tier, load_test_step, offered_rps, replicas_ready, load_rps and
        MINUTE_COUNTS.

        One row per minute, service tier and step; current committed builds only; sorted by minute.
        `load_test` "" gives production rows. `replicas_ready` (>= 1) is the same on all rows of a minute, and so is
        `load_rps`, production requests of the whole pool per second and ready replica; it is NULL for a load test.
        """

    def minute_series(self, pool: Pool | None, window: Window, bucket_s: int) -> pa.Table:
        """Production rows: bucket_ns, replicas_ready (mean), MINUTE_COUNTS over buckets of `bucket_s` (60 s times k).

        `pool` None sums over all pools.
        """

    def sketches(self, pool: Pool, window: Window, load_edges_rps: Sequence[float], load_test: str = "") -> pa.Table:
        """Latency sketches per service tier and load band.

        load_edges_rps  ascending upper edges of arrival rate per ready replica (inclusive); band i holds minutes whose
                        load is in (edge[i-1], edge[i]], the last band has no upper edge; for a load test the
                        band is load_test_step and the edges are ignored
        returns         service_tier, band, e2e_sketch, ttft_sketch (map<int64,uint64>)
        """

    def requests(
        self, window: Window, wanted: RequestFilter, limit: int, after: tuple[int, bytes] | None = None
    ) -> Page:
        """Current versions of requests in the window, newest first, at most `limit` (<= 1000)."""

    def request(self, request_key: bytes) -> Mapping[str, object] | None:
        """Current version of one request as a dict of REQUESTS columns, None when there is none to be seen."""

    def in_flight(self, service: str, model: str, replica: str, at_ns: int, lookback_s: int = 3600) -> int | None:
        """Requests of that replica that had started before `at_ns` and not ended; None when replica is ''.

        None for a reader that is limited to tenants: others' requests are in flight too.
        """

    def spans(self, trace_id: bytes, limit: int) -> tuple[pa.Table, bool]:
        """Spans of a trace in SPANS columns by start time, and whether more exist; one row per span id.

        A reader that is limited to tenants sees a trace as a whole or not at all: it has a request, all its requests
        are in sight, and no span of it names another tenant.
        """

    def arrivals(self, pool: Pool | None, window: Window) -> tuple[int, int]:
        """(requests that ended or were last seen in the window, replicas ready at its end): what alerts read.

        Production only: load tests and imports do not count. A replica is ready that finished a request in the window
        or in the two minutes before its end; where requests name no replica, one is taken to be ready.
        Bounded: the window is at most 15 minutes. Refused to a reader that is limited to tenants.
        """

    def outcome_totals(self, window: Window, pool: Pool | None = None) -> Mapping[str, int]:
        """Requests per Outcome value over production and load tests; read from rollups."""

    def changes(self, window: Window, limit: int) -> Sequence[ChangeEvent]:
        """Change events of the window, newest first, at most `limit` (<= 5000), one per event_id.

        None for a reader that is limited to tenants: changes belong to nobody.
        """

    def ingest_ledger(self, window: Window) -> Mapping[str, RecordLedger]:
        """Record ledger per signal; empty for a reader that is limited to tenants, as records belong to none."""


class Rollup(Protocol):
    """Keeps request_minutes equal to what a count over raw rows would say."""

    def mark(self, pool_minutes: Iterable[tuple[str, str, int]], version: int) -> None:
        """Remember (service, model, minute_ns) as dirty because of requests up to `version`. Thread-safe."""

    def adopt(self, services: ServiceBook) -> None:
        """Count by the kinds of defect that these definitions name from now on. Thread-safe.

        Minutes that were counted by others are counted again by the following runs, the newest first, as far as their
        requests are still stored; also after a restart with other definitions.
        """

    def run(self) -> int:
        """Rebuild all dirty minutes as a new build and commit its pointer. Returns minutes rebuilt. One thread."""

    def recover(self) -> int:
        """At the start of the one process that rebuilds: drop uncommitted builds, then catch up, and also mark what
        a commit that a crash cut short has touched. Returns minutes marked.
        """

    def catch_up(self) -> int:
        """Mark what whole commits of any process have touched since the last pointer. Returns minutes marked."""

    def follow(self) -> None:
        """Let this process read builds that another one has committed since."""

    def pending(self) -> int:
        """Dirty minutes not rebuilt yet, those of a rebuild under way and those to be counted again included."""
