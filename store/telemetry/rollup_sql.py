"""The statements of a rebuild: raw requests of a chunk of minutes -> whole rows of request_minutes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect
from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Delete,
    FromClause,
    Insert,
    Subquery,
    and_,
    delete,
    func,
    insert,
    literal,
    tuple_,
)

from store.telemetry.columns import MINUTE_COUNTS, MINUTE_SKETCHES
from store.telemetry.counted_kinds import is_defective
from store.telemetry.current import MINUTE_KEY, current_keys
from store.telemetry.latest import latest_requests
from store.telemetry.tables import NO_STEP, REQUEST_MINUTES, request_minutes, requests
from vocabulary.outcomes import DEFECT_NAMES, Outcome
from vocabulary.pools import MINUTE_NS, Pool
from vocabulary.services import ServiceBook

SKETCH_GAMMA = 1.1
READY_BEFORE_MINUTES = 2
LONGEST_EVIDENCE_MINUTES = 15
"""A request that ran longer does not show that its replica is ready; this bounds what a rebuild reads."""

READ_BACK_NS = (READY_BEFORE_MINUTES + LONGEST_EVIDENCE_MINUTES) * MINUTE_NS
COUNTED_COLUMNS = (
    *("service", "model", "anchor_ns", "service_tier", "load_test", "load_test_step", "offered_rps", "outcome"),
    *("defects", "input_tokens", "output_tokens", "e2e_s", "server_ttft_s", "client_ttft_s", "is_retracted"),
)
READ_COLUMNS = (*COUNTED_COLUMNS, "end_ns", "replica")
CELL = ("service", "model", "minute_ns")
SPLIT = ("service_tier", "load_test", "load_test_step", "offered_rps")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Minutes [start_ns, end_ns) of some pools that one statement rebuilds."""

    start_ns: int
    end_ns: int
    pools: Sequence[Pool]


def rebuild(chunk: Chunk, build: int, services: ServiceBook) -> Insert:
    """Count the current requests of a chunk into rows of a new build; `services` tell which kinds of defect count."""
    since_ns = chunk.start_ns - READ_BACK_NS
    rows = latest_requests(*READ_COLUMNS, where=lambda c: _within(c.anchor_ns, since_ns, chunk.end_ns))
    inside = (_within(rows.c.anchor_ns, chunk.start_ns, chunk.end_ns), _among(rows, chunk.pools))
    counted, ready = counts(rows, services, *inside), readiness(rows, chunk)
    joined = counted.outerjoin(ready, and_(*(counted.c[name] == ready.c[name] for name in CELL)))
    replicas = func.greatest(ready.c.replicas, 1)
    production = func.sum(func.if_(counted.c.load_test == "", counted.c.requests, 0)).over(
        partition_by=[counted.c[name] for name in CELL]
    )
    per_replica = func.divide(func.divide(production, 60), replicas)
    load = func.if_(counted.c.load_test == "", per_replica, counted.c.offered_rps)
    values = {**{column.name: column for column in counted.c}, "replicas_ready": replicas, "load_rps": load}
    values["build"] = literal(build)
    return _into_minutes(select(*(values[name].label(name) for name in REQUEST_MINUTES.names)).select_from(joined))


def counts(rows: Subquery, services: ServiceBook, *inside: ColumnElement[bool]) -> Subquery:
    """Additive columns per (cell, service tier, load test, step, offered rate).

    rows      current versions of requests in COUNTED_COLUMNS
    services  which kinds of defect count where; per kind all are counted
    inside    which of them are counted; retracted ones never are
    """
    step = func.toInt64(func.ifNull(rows.c.load_test_step, NO_STEP))
    key = (
        *(rows.c.service, rows.c.model, minute_of(rows.c.anchor_ns).label("minute_ns"), rows.c.service_tier),
        *(rows.c.load_test, step.label("load_test_step")),
        func.toFloat64(func.ifNull(rows.c.offered_rps, 0)).label("offered_rps"),
    )
    per_kind: dict[str, ColumnElement[Any]] = {
        "requests": func.count(),
        "defective": func.countIf(is_defective(rows.c, services)),
        **{f"outcome_{outcome}": func.countIf(rows.c.outcome == outcome.value) for outcome in Outcome},
        **{
            f"defect_{name}": func.countIf(func.bitAnd(rows.c.defects, 1 << bit) != 0)
            for bit, name in enumerate(DEFECT_NAMES)
        },
        **{name: _tokens(rows.c[name]) for name in ("input_tokens", "output_tokens")},
    }
    sketches = {
        "e2e_sketch": sketch(rows.c.e2e_s),
        "ttft_sketch": sketch(func.coalesce(rows.c.server_ttft_s, rows.c.client_ttft_s)),
    }
    assert (*per_kind, *sketches) == (*MINUTE_COUNTS, *MINUTE_SKETCHES)
    shown = (column.label(name) for name, column in {**per_kind, **sketches}.items())
    return select(*key, *shown).where(*inside, ~rows.c.is_retracted).group_by(*key).subquery("counted")


def readiness(rows: Subquery, chunk: Chunk) -> Subquery:
    """Replicas per cell that finished a request in [minute - 2 min, minute + 1 min)."""
    end = func.assumeNotNull(rows.c.end_ns)
    shown = [minute_of(end) + later * MINUTE_NS for later in range(READY_BEFORE_MINUTES + 1)]
    minute = func.arrayJoin(func.array(*shown)).label("minute_ns")
    finished = (
        *(rows.c.end_ns.is_not(None), rows.c.replica != "", ~rows.c.is_retracted, _among(rows, chunk.pools)),
        rows.c.end_ns - rows.c.anchor_ns <= LONGEST_EVIDENCE_MINUTES * MINUTE_NS,
        rows.c.end_ns < chunk.end_ns,
    )
    seen = select(rows.c.service, rows.c.model, rows.c.replica, minute).where(*finished).subquery("seen")
    key = [seen.c[name] for name in CELL]
    return select(*key, func.uniqExact(seen.c.replica).label("replicas")).group_by(*key).subquery("ready")


def sketch(seconds: ColumnElement[float]) -> ColumnElement[Any]:
    """Integer log-bucket sketch of the positive values: bucket ceil(ln(seconds) / ln(1.1)) -> count."""
    is_counted = func.ifNull(and_(seconds > 0, func.isFinite(seconds)), 0)
    positive = func.if_(is_counted, func.assumeNotNull(seconds), 1.0)
    bucket = func.toInt64(func.ceil(func.divide(func.log(positive), log(SKETCH_GAMMA))))
    return func.sumMapIf(func.map(bucket, func.toUInt64(1)), is_counted)


def emptied(chunk: Chunk, build: int, committed: int) -> Insert:
    """Zero rows for cells of the chunk that had rows and have none in the new build."""
    inside = (_within(request_minutes.c.minute_ns, chunk.start_ns, chunk.end_ns), _among(request_minutes, chunk.pools))
    filled = select(*MINUTE_KEY).where(*inside, request_minutes.c.build == build)
    gone = (*inside, request_minutes.c.build <= committed, tuple_(*MINUTE_KEY).not_in(filled))
    zero: dict[str, ColumnElement[Any]] = {name: literal(0) for name in REQUEST_MINUTES.names}
    zero |= {name: request_minutes.c[name] for name in CELL}
    zero |= {"build": literal(build), "replicas_ready": literal(1), "load_test_step": literal(NO_STEP)}
    zero |= {name: literal("") for name in ("service_tier", "load_test")}
    shown = [zero[name].label(name) for name in REQUEST_MINUTES.names if name not in MINUTE_SKETCHES]
    return _into_minutes(select(*shown).distinct().where(*gone))


def uncommitted(committed: int) -> Delete:
    """Drop rows of builds that no pointer committed."""
    return delete(request_minutes).where(request_minutes.c.build > committed)


def superseded(committed: int) -> Delete:
    """Drop rows that a newer committed build of their cell replaces."""
    current = tuple_(*MINUTE_KEY, request_minutes.c.build).in_(current_keys(committed))
    return delete(request_minutes).where(request_minutes.c.build <= committed, ~current)


def rows_and_current_rows(committed: int) -> ClickHouseSelect:
    """How many rows builds up to a committed one have, and how many of them are current in it."""
    current = tuple_(*MINUTE_KEY, request_minutes.c.build).in_(current_keys(committed))
    counted = select(func.count().label("all"), func.countIf(current).label("current"))
    return counted.select_from(request_minutes).where(request_minutes.c.build <= committed)


def sizes(start_ns: int, end_ns: int) -> ClickHouseSelect:
    """Stored request versions per minute."""
    minute = minute_of(requests.c.anchor_ns).label("minute_ns")
    found = select(minute, func.count().label("versions")).where(_within(requests.c.anchor_ns, start_ns, end_ns))
    return found.group_by(minute).order_by(minute)


def last_ends(start_ns: int, end_ns: int) -> ClickHouseSelect:
    """Per cell, the last minute in which one of its requests ended, in any version."""
    key = (requests.c.service, requests.c.model, minute_of(requests.c.anchor_ns).label("minute_ns"))
    ran = requests.c.end_ns - requests.c.anchor_ns
    evident = and_(requests.c.end_ns.is_not(None), ran <= LONGEST_EVIDENCE_MINUTES * MINUTE_NS)
    last = func.max(func.assumeNotNull(minute_of(requests.c.end_ns))).label("last_ns")
    return select(*key, last).where(_within(requests.c.anchor_ns, start_ns, end_ns), evident).group_by(*key)


def cells_after(version: int, upto: int | None) -> CompoundSelect[Any]:
    """Cells touched by requests with a higher version, up to `upto`, and every other pool's cell of the same minutes.

    The second half finds the pool that a request has left, even where its older versions are merged away.
    """
    newer = requests.c.version > version if upto is None else requests.c.version.between(version + 1, upto)
    minute = minute_of(requests.c.anchor_ns).label("minute_ns")
    touched = select(minute).where(newer)
    raw = select(requests.c.service, requests.c.model, minute).where(minute.in_(touched))
    rolled = select(*MINUTE_KEY).where(request_minutes.c.minute_ns.in_(touched))
    return raw.distinct().union_all(rolled.distinct())


def _into_minutes(rows: ClickHouseSelect) -> Insert:
    return insert(request_minutes).from_select([column.name for column in rows.selected_columns], rows)


def minute_of(at_ns: ColumnElement[int]) -> ColumnElement[int]:
    """Start of the minute that holds a time."""
    return func.intDiv(at_ns, MINUTE_NS) * MINUTE_NS


def _within(at_ns: ColumnElement[int], start_ns: int, end_ns: int) -> ColumnElement[bool]:
    return and_(at_ns >= start_ns, at_ns < end_ns)


def _among(rows: FromClause, pools: Sequence[Pool]) -> ColumnElement[bool]:
    return tuple_(rows.c.service, rows.c.model).in_([(pool.service, pool.model) for pool in pools])


def _tokens(tokens: ColumnElement[int]) -> ColumnElement[int]:
    return func.toUInt64(func.sum(func.greatest(func.ifNull(tokens, 0), 0)))
