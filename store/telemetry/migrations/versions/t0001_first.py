"""The first telemetry tables: spans, requests, request_minutes, ingest_ledger."""

from alembic import op
from clickhouse_connect.cc_sqlalchemy.datatypes.base import sqla_type_from_name
from clickhouse_connect.cc_sqlalchemy.ddl.tableengine import MergeTree, ReplacingMergeTree, TableEngine
from sqlalchemy import Column, MetaData, Table, text
from sqlalchemy.schema import CreateTable

revision = "t0001_first"
down_revision = None

DURABLE = {"fsync_after_insert": 1, "fsync_part_directory": 1}
ONE_FILE = {**DURABLE, "min_bytes_for_wide_part": 128 * 1024 * 1024}
FINE = {**ONE_FILE, "index_granularity": 1024}
DAY_NS = 86_400_000_000_000

CANONICAL = """
    service LowCardinality(String)
    service_namespace LowCardinality(String)
    environment LowCardinality(String)
    model_requested LowCardinality(String)
    model_id LowCardinality(String)
    model_revision LowCardinality(String)
    quantization LowCardinality(String)
    dtype LowCardinality(String)
    framework LowCardinality(String)
    framework_version LowCardinality(String)
    replica LowCardinality(String)
    node LowCardinality(String)
    rack LowCardinality(String)
    zone LowCardinality(String)
    accelerator LowCardinality(String)
    request_id String
    tenant LowCardinality(String)
    service_tier LowCardinality(String)
    operation LowCardinality(String)
    endpoint LowCardinality(String)
    stream Nullable(Bool)
    served_by LowCardinality(String)
    retries Nullable(Int64)
    temperature Nullable(Float64)
    top_p Nullable(Float64)
    top_k Nullable(Int64)
    min_p Nullable(Float64)
    repetition_penalty Nullable(Float64)
    frequency_penalty Nullable(Float64)
    presence_penalty Nullable(Float64)
    seed Nullable(Int64)
    max_tokens Nullable(Int64)
    choice_count Nullable(Int64)
    stop_count Nullable(Int64)
    response_format LowCardinality(String)
    reasoning_level LowCardinality(String)
    input_tokens Nullable(Int64)
    cached_tokens Nullable(Int64)
    cache_write_tokens Nullable(Int64)
    output_tokens Nullable(Int64)
    reasoning_tokens Nullable(Int64)
    context_window Nullable(Int64)
    finish_reason LowCardinality(String)
    http_status Nullable(Int64)
    error_type LowCardinality(String)
    stated_outcome LowCardinality(String)
    queue_s Nullable(Float64)
    gateway_queue_s Nullable(Float64)
    prefill_s Nullable(Float64)
    decode_s Nullable(Float64)
    kv_transfer_s Nullable(Float64)
    server_ttft_s Nullable(Float64)
    client_ttft_s Nullable(Float64)
    engine_e2e_s Nullable(Float64)
    import_id LowCardinality(String)
    import_row Nullable(Int64)
    load_test LowCardinality(String)
    load_test_step Nullable(Int64)
    offered_rps Nullable(Float64)
"""

SPANS = f"""
    trace_id FixedString(16)
    span_id FixedString(8)
    parent_span_id FixedString(8)
    start_ns Int64
    end_ns Nullable(Int64)
    received_ns Int64
    status_code UInt8
    hop_role LowCardinality(String)
    is_inference Bool
    emitter LowCardinality(String)
{CANONICAL}
    name LowCardinality(String)
    kind UInt8
    trace_state String
    flags UInt32
    status_message String
    sources LowCardinality(String)
    quality LowCardinality(String)
    attr_text Map(LowCardinality(String), String)
    attr_int Map(LowCardinality(String), Int64)
    attr_double Map(LowCardinality(String), Float64)
    attr_json Map(LowCardinality(String), String)
    resource LowCardinality(String)
    resource_schema_url LowCardinality(String)
    scope_name LowCardinality(String)
    scope_version LowCardinality(String)
    scope LowCardinality(String)
    scope_schema_url LowCardinality(String)
    event_times_ns Array(Int64)
    event_names Array(LowCardinality(String))
    event_attributes Array(String)
    link_trace_ids Array(FixedString(16))
    link_span_ids Array(FixedString(8))
    link_attributes Array(String)
    dropped_attributes UInt32
    dropped_events UInt32
    dropped_links UInt32
    commit_seq UInt64
"""

REQUESTS = f"""
    request_key FixedString(16)
    anchor_ns Int64
    version UInt64
    is_retracted Bool
    trace_id FixedString(16)
    root_span_id FixedString(8)
    end_ns Nullable(Int64)
    e2e_s Nullable(Float64)
    tpot_s Nullable(Float64)
    model LowCardinality(String)
    outcome LowCardinality(String)
    defects UInt16
    truncation_cause LowCardinality(String)
    hop_count UInt16
    hop_roles LowCardinality(String)
    emitters LowCardinality(String)
    quality LowCardinality(String)
{CANONICAL}
"""

REQUEST_MINUTES = """
    service LowCardinality(String)
    model LowCardinality(String)
    minute_ns Int64
    build UInt64
    service_tier LowCardinality(String)
    load_test LowCardinality(String)
    load_test_step Int64
    offered_rps Float64
    replicas_ready UInt32
    load_rps Float64
    requests UInt64
    defective UInt64
    outcome_completed UInt64
    outcome_failed UInt64
    outcome_timed_out UInt64
    outcome_aborted UInt64
    outcome_rejected UInt64
    outcome_unknown UInt64
    defect_error UInt64
    defect_rejected UInt64
    defect_timeout UInt64
    defect_aborted UInt64
    defect_truncated UInt64
    defect_empty UInt64
    defect_invalid UInt64
    defect_slow UInt64
    defect_lost UInt64
    defect_mismatch UInt64
    input_tokens UInt64
    output_tokens UInt64
    e2e_sketch Map(Int64, UInt64)
    ttft_sketch Map(Int64, UInt64)
"""

INGEST_LEDGER = """
    at_ns Int64
    commit_seq UInt64
    signal LowCardinality(String)
    reason LowCardinality(String)
    records UInt64
    bodies UInt64
"""

INDEXES = (
    ("spans", "by_trace", "trace_id", "bloom_filter(0.01)", 1),
    ("requests", "by_key", "request_key", "bloom_filter(0.01)", 1),
    ("requests", "by_trace", "trace_id", "bloom_filter(0.01)", 1),
    ("requests", "by_version", "version", "minmax", 1),
    ("requests", "by_import", "import_id", "set(16)", 4),
    ("request_minutes", "by_test", "load_test", "minmax", 1),
    ("request_minutes", "by_minute", "minute_ns", "minmax", 1),
    ("request_minutes", "by_build", "build", "minmax", 1),
)


def upgrade() -> None:
    """Create the tables and their skip indexes; a run that was cut short is taken up again."""
    create("spans", SPANS, spans_engine())
    create("requests", REQUESTS, requests_engine())
    create("request_minutes", REQUEST_MINUTES, minutes_engine())
    create("ingest_ledger", INGEST_LEDGER, ledger_engine())
    for table, name, expression, kind, granularity in INDEXES:
        index = f"INDEX IF NOT EXISTS {name} {expression} TYPE {kind} GRANULARITY {granularity}"
        op.execute(text(f"ALTER TABLE {table} ADD {index}"))


def create(name: str, columns: str, engine: TableEngine) -> None:
    """Create a table from lines of column name and type."""
    pairs = (line.strip().split(" ", 1) for line in columns.splitlines() if line.strip())
    table = Table(name, MetaData(), *(Column(column, sqla_type_from_name(kind)) for column, kind in pairs), engine)  # type: ignore[arg-type]
    op.get_bind().execute(CreateTable(table, if_not_exists=True))


def spans_engine() -> TableEngine:
    """Sorted by commit, one partition per day of receipt; traces are found by the bloom filter."""
    day = f"toDate(intDiv(received_ns, {DAY_NS}))"
    return MergeTree(order_by="commit_seq", partition_by=day, settings=ONE_FILE)


def requests_engine() -> TableEngine:
    """Sorted by anchor, one partition per week of the anchor; merges keep the highest version."""
    week = f"toMonday(toDate(intDiv(anchor_ns, {DAY_NS})))"
    order = ("anchor_ns", "request_key")
    return ReplacingMergeTree(version="version", order_by=order, partition_by=week, settings=FINE)


def minutes_engine() -> TableEngine:
    """Sorted by pool, minute and build."""
    cell = ("service", "model", "minute_ns", "build")
    return MergeTree(order_by=(*cell, "service_tier", "load_test", "load_test_step", "offered_rps"), settings=DURABLE)


def ledger_engine() -> TableEngine:
    """Sorted by time, one partition per month."""
    month = f"toStartOfMonth(toDate(intDiv(at_ns, {DAY_NS})))"
    return MergeTree(order_by=("at_ns", "signal", "reason"), partition_by=month, settings=DURABLE)
