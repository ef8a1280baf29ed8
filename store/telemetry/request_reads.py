"""Requests, spans and live counts: reads of raw rows, each with its bound."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect
from sqlalchemy import ColumnElement, and_, func, or_, tuple_

from store.contract import Page, RequestFilter
from store.telemetry.bounds import check_limit, check_window
from store.telemetry.columns import REQUESTS, SPANS
from store.telemetry.database import Database
from store.telemetry.ids import one_id
from store.telemetry.latest import IDENTITY, latest_requests
from store.telemetry.scope import UNKNOWN_TENANT, Scope
from store.telemetry.tables import requests, spans
from vocabulary.outcomes import DEFECT_NAMES
from vocabulary.pools import SECOND_NS, Pool, Window

PAGE_MAX = 1000
SPANS_MAX = 50_000
SCANS_MAX = 50
ALERT_WINDOW_S = 15 * 60
LONGEST_REQUEST_NS = 3600 * SECOND_NS
READY_NS = 120 * SECOND_NS
"""How long a replica is taken to be ready after it finished a request."""

Key = tuple[int, bytes]


class RequestReads:
    """The part of TelemetryReader that reads requests and spans.

    scope  whose requests are seen
    """

    def __init__(self, database: Database, scope: Scope) -> None:
        self._database = database
        self._scope = scope

    def requests(self, window: Window, wanted: RequestFilter, limit: int, after: Key | None = None) -> Page:
        """Current versions of requests in the window, newest first."""
        check_window(window)
        check_limit(limit, PAGE_MAX, "requests")
        rows = REQUESTS.empty_table()
        for _ in range(SCANS_MAX):
            asked = 2 * (limit + 1 - rows.num_rows)
            found = self._database.table(candidates(self._scope, window, wanted, asked, after))
            keys = distinct_keys(found)
            if keys:
                page = self._database.table(current(self._scope, keys, wanted)).cast(REQUESTS)
                rows = pa.concat_tables([rows, page])
                after = keys[-1]
            if rows.num_rows > limit:
                return Page(rows.slice(0, limit), _key_of(rows, limit - 1))
            if found.num_rows < asked:
                return Page(rows, None)
        return Page(rows, after)

    def request(self, request_key: bytes) -> Mapping[str, object] | None:
        """Current version of one request."""
        found = self._database.table(newest_version(self._scope, request_key)).cast(REQUESTS).to_pylist()
        return found[0] if found else None

    def in_flight(self, service: str, model: str, replica: str, at_ns: int, lookback_s: int = 3600) -> int | None:
        """Requests of a replica that had started before `at_ns` and ended after it."""
        if not replica:
            return None
        return self._database.scalar(under_way(Pool(service, model), replica, at_ns, lookback_s))

    def spans(self, trace_id: bytes, limit: int) -> tuple[pa.Table, bool]:
        """Spans of a trace by start time, and whether more exist."""
        check_limit(limit, SPANS_MAX, "spans")
        found = self._database.table(spans_of(self._scope, trace_id, limit + 1)).cast(SPANS)
        return found.slice(0, limit), found.num_rows > limit

    def arrivals(self, pool: Pool | None, window: Window) -> tuple[int, int]:
        """Production requests that ended in the window, and replicas ready at its end."""
        check_window(window, ALERT_WINDOW_S)
        (row,) = self._database.rows(ended_in(pool, window))
        requests, replicas = int(row["requests"]), int(row["replicas"])
        return requests, max(replicas, 1) if requests else replicas


def distinct_keys(rows: pa.Table) -> list[Key]:
    """Identities of rows in their order, versions of one request once."""
    pairs = zip(rows.column("anchor_ns").to_pylist(), rows.column("request_key").to_pylist(), strict=True)
    return list(dict.fromkeys(pairs))


def _key_of(rows: pa.Table, position: int) -> Key:
    return rows.column("anchor_ns")[position].as_py(), rows.column("request_key")[position].as_py()


def conditions(scope: Scope, columns: Any, wanted: RequestFilter) -> list[ColumnElement[bool]]:
    """What a scope and a filter ask of a request's row, retracted ones excluded."""
    texts = ("service", "model", "service_tier", "replica", "tenant")
    asked = [columns[name] == getattr(wanted, name) for name in texts if getattr(wanted, name)]
    if wanted.outcome is not None:
        asked.append(columns.outcome == wanted.outcome.value)
    if wanted.load_test is not None:
        asked.append(columns.load_test == wanted.load_test)
    if wanted.defect:
        bits = 0xFFFF if wanted.defect == "any" else 1 << DEFECT_NAMES.index(wanted.defect)
        asked.append(func.bitAnd(columns.defects, bits) != 0)
    return [~columns.is_retracted, scope.admits(columns), *asked]


def candidates(scope: Scope, window: Window, wanted: RequestFilter, limit: int, after: Key | None) -> ClickHouseSelect:
    """Identities of rows that match in any version, newest first.

    Versions stay double here: LIMIT BY would make the engine read the whole window instead of the first rows.
    """
    bounds = [requests.c.anchor_ns >= window.start_ns, requests.c.anchor_ns < window.end_ns]
    if after is not None:
        at, key = requests.c.anchor_ns, requests.c.request_key
        bounds += [at <= after[0], or_(at < after[0], and_(at == after[0], key < one_id(after[1])))]
    found = select(*IDENTITY).where(*bounds, *conditions(scope, requests.c, wanted))
    return found.order_by(*(column.desc() for column in IDENTITY)).limit(limit)


def current(scope: Scope, keys: Sequence[Key], wanted: RequestFilter) -> ClickHouseSelect:
    """Current versions of exactly these requests that match."""
    pairs = [tuple_(at, one_id(key)) for at, key in keys]
    among = tuple_(*IDENTITY).in_(pairs)
    span = and_(requests.c.anchor_ns >= keys[-1][0], requests.c.anchor_ns <= keys[0][0])
    latest = latest_requests(*REQUESTS.names, where=lambda _: and_(span, among))
    found = select(*latest.c).where(*conditions(scope, latest.c, wanted))
    return found.order_by(latest.c.anchor_ns.desc(), latest.c.request_key.desc())


def newest_version(scope: Scope, request_key: bytes) -> ClickHouseSelect:
    """Current version of one request, found through the bloom filter on its key; none when it is not to be seen."""
    found = select(*(requests.c[name] for name in REQUESTS.names)).where(requests.c.request_key == one_id(request_key))
    newest = found.order_by(requests.c.version.desc(), requests.c.is_retracted).limit(1).subquery("newest")
    return select(*newest.c).where(*conditions(scope, newest.c, RequestFilter()))


def under_way(pool: Pool, replica: str, at_ns: int, lookback_s: int) -> ClickHouseSelect:
    """Number of requests of a replica whose interval contains `at_ns`."""
    names = ("service", "model", "replica", "is_retracted", "end_ns")
    since = at_ns - lookback_s * SECOND_NS
    latest = latest_requests(*names, where=lambda c: and_(c.anchor_ns >= since, c.anchor_ns < at_ns))
    here = (latest.c.service == pool.service, latest.c.model == pool.model, latest.c.replica == replica)
    return select(func.count()).select_from(latest).where(*here, ~latest.c.is_retracted, latest.c.end_ns > at_ns)


def spans_of(scope: Scope, trace_id: bytes, limit: int) -> ClickHouseSelect:
    """Spans of one trace, one per span id, by start time; none of a trace that is not wholly in scope."""
    found = select(*(spans.c[name] for name in SPANS.names)).where(spans.c.trace_id == one_id(trace_id))
    if scope.is_limited:
        found = found.where(spans.c.trace_id.in_(seen_trace(scope, trace_id)))
    once = found.order_by(spans.c.span_id, spans.c.commit_seq).limit_by([spans.c.span_id], 1).subquery("once")
    return select(*once.c).order_by(once.c.start_ns, once.c.span_id).limit(limit)


def seen_trace(scope: Scope, trace_id: bytes) -> ClickHouseSelect:
    """The trace where it has a request, all its current requests are in scope, and no span names another tenant.

    A trace that tenants share is nobody's alone. All versions of a request are of one trace.
    """
    latest = latest_requests("trace_id", "tenant", "is_retracted", where=lambda c: c.trace_id == one_id(trace_id))
    foreign = select(spans.c.trace_id).where(
        spans.c.trace_id == one_id(trace_id), spans.c.tenant != UNKNOWN_TENANT, ~scope.admits(spans.c)
    )
    found = select(latest.c.trace_id).where(~latest.c.is_retracted, latest.c.trace_id.not_in(foreign))
    return found.group_by(latest.c.trace_id).having(func.countIf(~scope.admits(latest.c)) == 0)


def ended_in(pool: Pool | None, window: Window) -> ClickHouseSelect:
    """Production requests whose end, or start where no end is told, lies in the window; and replicas ready at its end.

    Versions are compared only among requests that have a version which counts: they are few, and lie together.
    """
    first_ns = min(window.start_ns, window.end_ns - READY_NS)

    def started(columns: Any) -> ColumnElement[bool]:
        return _within(columns.anchor_ns, first_ns - LONGEST_REQUEST_NS, window.end_ns)

    def counts(columns: Any) -> ColumnElement[bool]:
        of_pool = () if pool is None else (columns.service == pool.service, columns.model == pool.model)
        is_production = (columns.load_test == "", columns.import_id == "", ~columns.is_retracted)
        return and_(*of_pool, *is_production, _last_seen(columns, first_ns, window.end_ns))

    among = tuple_(*IDENTITY).in_(select(*IDENTITY).where(started(requests.c), counts(requests.c)))
    names = ("service", "model", "replica", "load_test", "import_id", "is_retracted", "anchor_ns", "end_ns")
    latest = latest_requests(*names, where=lambda columns: and_(started(columns), among))
    replica = func.tuple(latest.c.service, latest.c.model, latest.c.replica)
    has_finished = and_(latest.c.replica != "", latest.c.end_ns.is_not(None))
    in_window = _last_seen(latest.c, window.start_ns, window.end_ns)
    shown = (func.countIf(in_window).label("requests"), func.uniqExactIf(replica, has_finished).label("replicas"))
    return select(*shown).select_from(latest).where(counts(latest.c))


def _last_seen(columns: Any, start_ns: int, end_ns: int) -> ColumnElement[bool]:
    """Whether a request ended in the window, or started there where no end is told; the index on ends skips others."""
    endless = and_(columns.end_ns.is_(None), _within(columns.anchor_ns, start_ns, end_ns))
    return or_(_within(columns.end_ns, start_ns, end_ns), endless)


def _within(at_ns: ColumnElement[int], start_ns: int, end_ns: int) -> ColumnElement[bool]:
    return and_(at_ns >= start_ns, at_ns < end_ns)
