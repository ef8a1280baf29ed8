"""The telemetry tables as SQLAlchemy Core: same columns as `columns.py`, plus how ClickHouse keeps them.

Identity of a request row is (anchor_ns, request_key); of a span (trace_id, span_id).
"""

import pyarrow as pa
from clickhouse_connect.cc_sqlalchemy import types
from clickhouse_connect.cc_sqlalchemy.datatypes.base import ChSqlaType
from clickhouse_connect.cc_sqlalchemy.datatypes.sqltypes import LowCardinality, Nullable
from clickhouse_connect.cc_sqlalchemy.ddl.tableengine import MergeTree, ReplacingMergeTree
from sqlalchemy import Column, MetaData, Table

from store.telemetry import columns
from vocabulary.fields import BY_NAME
from vocabulary.pools import MINUTE_NS

DAY_NS = 1440 * MINUTE_NS
DURABLE = {"fsync_after_insert": 1, "fsync_part_directory": 1}
"""An insert returns after its part and the part's folder are on disk."""

ONE_FILE = {"min_bytes_for_wide_part": 128 * 1024 * 1024}
"""A fresh part is one file instead of one a column: a hundred columns are synced at the price of one."""

FINE_GRANULARITY = 1024
"""Rows per index mark where point look-ups matter more than scans."""

REPEATING = {
    *(name for name, field in BY_NAME.items() if field.repeats),
    *("hop_role", "emitter", "name", "sources", "quality", "resource", "resource_schema_url"),
    *("scope_name", "scope_version", "scope", "scope_schema_url", "model", "outcome", "truncation_cause"),
    *("hop_roles", "emitters", "signal", "reason", "event_names", "kind"),
}
"""Texts with few distinct values; the store keeps a dictionary of them per part."""

SCALARS: dict[pa.DataType, type[ChSqlaType]] = {
    pa.string(): types.String,
    pa.bool_(): types.Bool,
    pa.uint8(): types.UInt8,
    pa.uint16(): types.UInt16,
    pa.uint32(): types.UInt32,
    pa.uint64(): types.UInt64,
    pa.int64(): types.Int64,
    pa.float64(): types.Float64,
}


def column_type(arrow: pa.DataType, *, repeats: bool = False, nullable: bool = False) -> ChSqlaType:
    """ClickHouse type that stores an Arrow type."""
    if pa.types.is_fixed_size_binary(arrow):
        return types.FixedString(arrow.byte_width)
    if pa.types.is_list(arrow):
        return types.Array(column_type(arrow.value_type, repeats=repeats))
    if pa.types.is_map(arrow):
        return types.Map(column_type(arrow.key_type, repeats=True), column_type(arrow.item_type))
    plain = SCALARS[arrow]()
    if repeats and pa.types.is_string(arrow):
        return LowCardinality(plain)
    return Nullable(plain) if nullable else plain


def table_columns(schema: pa.Schema) -> list[Column[object]]:
    """One column per Arrow field."""
    return [
        Column(field.name, column_type(field.type, repeats=field.name in REPEATING, nullable=field.nullable))  # type: ignore[arg-type]
        for field in schema
    ]


REQUEST_MINUTES: pa.Schema = pa.schema(
    [
        pa.field("service", pa.string(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("minute_ns", pa.int64(), nullable=False),
        pa.field("build", pa.uint64(), nullable=False),
        pa.field("service_tier", pa.string(), nullable=False),
        pa.field("load_test", pa.string(), nullable=False),
        pa.field("load_test_step", pa.int64(), nullable=False),  # NO_STEP: none
        pa.field("offered_rps", pa.float64(), nullable=False),  # 0: none
        pa.field("replicas_ready", pa.uint32(), nullable=False),
        pa.field("load_rps", pa.float64(), nullable=False),
        *(pa.field(name, pa.uint64(), nullable=False) for name in columns.MINUTE_COUNTS),
        *(pa.field(name, pa.map_(pa.int64(), pa.uint64()), nullable=False) for name in columns.MINUTE_SKETCHES),
    ]
)
NO_STEP = -1

TELEMETRY = MetaData()
spans = Table(
    "spans",
    TELEMETRY,
    *table_columns(columns.SPANS),
    MergeTree(
        order_by="commit_seq",  # a batch needs no sorting then, and commits do not overlap, so merging is copying
        partition_by=f"toDate(intDiv(received_ns, {DAY_NS}))",
        settings={**DURABLE, **ONE_FILE},
    ),
)
requests = Table(
    "requests",
    TELEMETRY,
    *table_columns(columns.REQUESTS),
    ReplacingMergeTree(
        version="version",
        order_by=("anchor_ns", "request_key"),
        partition_by=f"toMonday(toDate(intDiv(anchor_ns, {DAY_NS})))",
        settings={**DURABLE, **ONE_FILE, "index_granularity": FINE_GRANULARITY},
    ),
)
request_minutes = Table(
    "request_minutes",
    TELEMETRY,
    *table_columns(REQUEST_MINUTES),
    MergeTree(
        order_by=(
            *("service", "model", "minute_ns", "build"),
            *("service_tier", "load_test", "load_test_step", "offered_rps"),
        ),
        settings=DURABLE,
    ),
)
ingest_ledger = Table(
    "ingest_ledger",
    TELEMETRY,
    *table_columns(columns.LEDGER),
    MergeTree(
        order_by=("at_ns", "signal", "reason"),
        partition_by=f"toStartOfMonth(toDate(intDiv(at_ns, {DAY_NS})))",
        settings=DURABLE,
    ),
)
change_events = Table(
    "change_events",
    TELEMETRY,
    *table_columns(columns.CHANGES),
    MergeTree(
        order_by=("at_ns", "event_id"),
        partition_by=f"toStartOfMonth(toDate(intDiv(at_ns, {DAY_NS})))",
        settings=DURABLE,
    ),
)

SKIP_INDEXES: tuple[tuple[Table, str, str, str, int], ...] = (
    (spans, "by_trace", "trace_id", "bloom_filter(0.01)", 1),
    (requests, "by_key", "request_key", "bloom_filter(0.01)", 1),
    (requests, "by_trace", "trace_id", "bloom_filter(0.01)", 1),
    (requests, "by_version", "version", "minmax", 1),
    (requests, "by_end", "end_ns", "minmax", 1),
    (requests, "by_import", "import_id", "set(16)", 4),
    (ingest_ledger, "by_commit", "commit_seq", "minmax", 1),
    (request_minutes, "by_test", "load_test", "minmax", 1),
    (request_minutes, "by_minute", "minute_ns", "minmax", 1),
    (request_minutes, "by_build", "build", "minmax", 1),
)
"""Table, name, expression, type and granularity of every data-skipping index."""
