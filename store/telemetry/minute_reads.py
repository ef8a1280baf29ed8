"""Counts, series and sketches: reads of request_minutes, whose cost does not grow with raw rows.

For a reader that is limited to tenants the same rows are counted from raw requests.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa
from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect
from sqlalchemy import ColumnElement, Subquery, func, literal, null

from store.contract import LoadTest, PoolActivity, RecordLedger
from store.telemetry.bounds import check_limit, check_window
from store.telemetry.columns import MINUTE_COUNTS, MINUTE_SKETCHES
from store.telemetry.current import CurrentBuild
from store.telemetry.database import Database
from store.telemetry.scope import Scope
from store.telemetry.tables import NO_STEP, ingest_ledger
from store.telemetry.tenant_minutes import Minutes, minutes_for
from vocabulary.errors import RefusedReadError
from vocabulary.outcomes import Outcome
from vocabulary.pools import MINUTE_NS, SECOND_NS, Pool, Window

BUCKETS_MAX = 20_000
EDGES_MAX = 100
LOAD_TESTS_MAX = 10_000


class MinuteReads:
    """The part of TelemetryReader that reads counts per minute and the ingest ledger.

    scope  whose requests are counted; for everybody's the rollup is read, otherwise raw requests
    """

    def __init__(self, database: Database, build: CurrentBuild, scope: Scope) -> None:
        self._database = database
        self._scope = scope
        self.current_build = build

    def _minutes(self) -> Minutes:
        return minutes_for(self._scope, self.current_build)

    def _check(self, window: Window) -> None:
        check_window(window)
        self._scope.check_counted(window)

    def pools(self, window: Window) -> Sequence[PoolActivity]:
        """Pools with production requests in the window, busiest first."""
        self._check(window)
        found = self._database.rows(activity(self._minutes(), window))
        return [
            PoolActivity(Pool(row["service"], row["model"]), row["requests"], row["first_ns"], row["last_ns"])
            for row in found
        ]

    def load_tests(self) -> Sequence[LoadTest]:
        """All load tests, newest first."""
        found = self._database.rows(tested(self._minutes()))
        return [
            LoadTest(
                row["load_test"], Pool(row["service"], row["model"]), row["requests"], row["first_ns"], row["last_ns"]
            )
            for row in found
        ]

    def minutes(self, pool: Pool, window: Window, load_test: str = "") -> pa.Table:
        """Current rows of a pool."""
        self._check(window)
        return self._database.table(minutes_of(self._minutes(), pool, window, load_test))

    def minute_series(self, pool: Pool | None, window: Window, bucket_s: int) -> pa.Table:
        """Production counts over buckets."""
        self._check(window)
        if bucket_s <= 0 or bucket_s % 60:
            message = f"A bucket of {bucket_s} s was asked for; buckets are multiples of 60 s."
            raise RefusedReadError(message)
        check_limit(int(window.seconds // bucket_s) + 1, BUCKETS_MAX, "buckets")
        return self._database.table(series(self._minutes(), pool, window, bucket_s))

    def sketches(self, pool: Pool, window: Window, load_edges_rps: Sequence[float], load_test: str = "") -> pa.Table:
        """Latency sketches per service tier and load band, or step of a load test."""
        self._check(window)
        check_limit(len(load_edges_rps) + 1, EDGES_MAX, "load bands")
        return self._database.table(latencies(self._minutes(), pool, window, load_edges_rps, load_test))

    def outcome_totals(self, window: Window, pool: Pool | None = None) -> Mapping[str, int]:
        """Requests per Outcome value."""
        self._check(window)
        (row,) = self._database.rows(outcomes(self._minutes(), window, pool))
        return {outcome.value: int(row[f"outcome_{outcome}"]) for outcome in Outcome}

    def ingest_ledger(self, window: Window) -> Mapping[str, RecordLedger]:
        """Records per signal and what became of them."""
        check_window(window)
        reasons: dict[str, dict[str, int]] = {}
        for row in self._database.rows(records(window)):
            reasons.setdefault(row["signal"], {})[row["reason"]] = row["records"]
        return {signal: RecordLedger(sum(found.values()), found) for signal, found in reasons.items()}


def added(rows: Subquery, names: Sequence[str]) -> list[ColumnElement[int]]:
    """Sums of additive columns."""
    return [func.sum(rows.c[name]).label(name) for name in names]


def activity(minutes: Minutes, window: Window) -> ClickHouseSelect:
    """Production requests per pool."""
    rows = minutes.of(("service", "model", "minute_ns", "load_test", "requests"), window, None)
    pool = (rows.c.service, rows.c.model)
    total = func.sum(rows.c.requests).label("requests")
    found = select(*pool, total, *_extent(rows)).where(rows.c.load_test == "").group_by(*pool)
    return found.order_by(total.desc(), *pool)


def tested(minutes: Minutes) -> ClickHouseSelect:
    """Requests per load test and pool."""
    rows = minutes.of_load_tests(("service", "model", "minute_ns", "load_test", "requests"))
    key = (rows.c.load_test, rows.c.service, rows.c.model)
    total = func.sum(rows.c.requests).label("requests")
    found = select(*key, total, *_extent(rows)).where(rows.c.load_test != "").group_by(*key)
    return found.order_by(func.max(rows.c.minute_ns).desc(), *key).limit(LOAD_TESTS_MAX)


def minutes_of(minutes: Minutes, pool: Pool, window: Window, load_test: str) -> ClickHouseSelect:
    """Rows of one pool, one per minute, service tier and step."""
    names = ("minute_ns", "service_tier", "load_test", "load_test_step", "offered_rps", "replicas_ready", "load_rps")
    rows = minutes.of((*names, *MINUTE_COUNTS), window, pool)
    load = func.if_(rows.c.load_test == "", rows.c.load_rps, null()).label("load_rps")
    shown = (
        *(rows.c.minute_ns, rows.c.service_tier, _step(rows), _offered(rows), rows.c.replicas_ready, load),
        *(rows.c[name] for name in MINUTE_COUNTS),
    )
    order = (rows.c.minute_ns, rows.c.service_tier, rows.c.load_test_step, rows.c.offered_rps)
    return select(*shown).where(rows.c.load_test == load_test).order_by(*order)


def series(minutes: Minutes, pool: Pool | None, window: Window, bucket_s: int) -> ClickHouseSelect:
    """Counts per bucket; replicas are added over pools and averaged over the minutes that have requests."""
    names = ("service", "model", "minute_ns", "load_test", "replicas_ready", *MINUTE_COUNTS)
    rows = minutes.of(names, window, pool)
    key = (rows.c.service, rows.c.model, rows.c.minute_ns)
    ready = func.any(rows.c.replicas_ready).label("replicas_ready")
    per_cell = select(*key, ready, *added(rows, MINUTE_COUNTS)).where(rows.c.load_test == "").group_by(*key)
    cell = per_cell.subquery("cells")
    bucket_ns = bucket_s * SECOND_NS
    bucket = (func.intDiv(cell.c.minute_ns, bucket_ns) * bucket_ns).label("bucket_ns")
    mean = func.divide(func.sum(cell.c.replicas_ready), func.uniqExact(cell.c.minute_ns)).label("replicas_ready")
    return select(bucket, mean, *added(cell, MINUTE_COUNTS)).group_by(bucket).order_by(bucket)


def latencies(
    minutes: Minutes, pool: Pool, window: Window, load_edges_rps: Sequence[float], load_test: str
) -> ClickHouseSelect:
    """Merged sketches per service tier and band; a band is the number of edges that the load is above."""
    names = ("service_tier", "load_test", "load_test_step", "load_rps", *MINUTE_SKETCHES)
    rows = minutes.of(names, window, pool)
    above = [func.toInt64(rows.c.load_rps > literal(edge)) for edge in load_edges_rps]
    band = (rows.c.load_test_step if load_test else sum(above, func.toInt64(0))).label("band")
    merged = (func.sumMap(rows.c[name]).label(name) for name in MINUTE_SKETCHES)
    found = select(rows.c.service_tier, band, *merged).where(rows.c.load_test == load_test)
    return found.group_by(rows.c.service_tier, band).order_by(rows.c.service_tier, band)


def outcomes(minutes: Minutes, window: Window, pool: Pool | None) -> ClickHouseSelect:
    """Requests per outcome, production and load tests together."""
    names = tuple(f"outcome_{outcome}" for outcome in Outcome)
    return select(*added(minutes.of(names, window, pool), names))


def records(window: Window) -> ClickHouseSelect:
    """Records per signal and reason."""
    key = (ingest_ledger.c.signal, ingest_ledger.c.reason)
    at = ingest_ledger.c.at_ns
    total = func.sum(ingest_ledger.c.records).label("records")
    return select(*key, total).where(at >= window.start_ns, at < window.end_ns).group_by(*key).order_by(*key)


def _extent(rows: Subquery) -> tuple[ColumnElement[int], ColumnElement[int]]:
    return func.min(rows.c.minute_ns).label("first_ns"), (func.max(rows.c.minute_ns) + MINUTE_NS).label("last_ns")


def _step(rows: Subquery) -> ColumnElement[int]:
    return func.nullIf(rows.c.load_test_step, NO_STEP).label("load_test_step")


def _offered(rows: Subquery) -> ColumnElement[float]:
    return func.nullIf(rows.c.offered_rps, 0).label("offered_rps")
