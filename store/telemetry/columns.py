"""Arrow schemas of the telemetry tables: what a batch must look like to be appended.

Column names are the store's contract; `tables.py` declares the same names as SQL.
"""

import pyarrow as pa

from vocabulary.fields import CANONICAL, Field, Kind
from vocabulary.outcomes import DEFECT_NAMES, Outcome

TRACE_ID = pa.binary(16)
SPAN_ID = pa.binary(8)
REQUEST_KEY = pa.binary(16)
TEXT_MAP = pa.map_(pa.string(), pa.string())
INTEGER_MAP = pa.map_(pa.string(), pa.int64())
NUMBER_MAP = pa.map_(pa.string(), pa.float64())
ARROW_TYPES: dict[Kind, pa.DataType] = {
    Kind.TEXT: pa.string(),
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.FLAG: pa.bool_(),
}


def canonical_column(field: Field) -> pa.Field:
    """Arrow column of a canonical field: texts are '' when unknown, everything else NULL."""
    return pa.field(field.name, ARROW_TYPES[field.kind], nullable=field.kind is not Kind.TEXT)


CANONICAL_COLUMNS: tuple[pa.Field, ...] = tuple(canonical_column(field) for field in CANONICAL)

HOPS: pa.Schema = pa.schema(
    [
        pa.field("trace_id", TRACE_ID, nullable=False),
        pa.field("span_id", SPAN_ID, nullable=False),
        pa.field("parent_span_id", SPAN_ID, nullable=False),  # eight zero bytes: no parent
        pa.field("start_ns", pa.int64(), nullable=False),  # 0: not told
        pa.field("end_ns", pa.int64()),  # NULL: not told, or before the start
        pa.field("received_ns", pa.int64(), nullable=False),
        pa.field("status_code", pa.uint8(), nullable=False),  # 0 unset, 1 ok, 2 error
        pa.field("hop_role", pa.string(), nullable=False),
        pa.field("is_inference", pa.bool_(), nullable=False),
        pa.field("emitter", pa.string(), nullable=False),
        *CANONICAL_COLUMNS,
    ]
)
"""The part of a span that correlation reads; the same columns come from the wire and from the store."""

SPANS: pa.Schema = pa.schema(
    [
        *HOPS,
        pa.field("name", pa.string(), nullable=False),
        pa.field("kind", pa.uint8(), nullable=False),
        pa.field("trace_state", pa.string(), nullable=False),
        pa.field("flags", pa.uint32(), nullable=False),
        pa.field("status_message", pa.string(), nullable=False),
        pa.field("sources", pa.string(), nullable=False),  # JSON object: canonical field -> winning attribute
        pa.field("quality", pa.string(), nullable=False),  # comma-separated flags, '' when clean
        pa.field("attr_text", TEXT_MAP, nullable=False),
        pa.field("attr_int", INTEGER_MAP, nullable=False),
        pa.field("attr_double", NUMBER_MAP, nullable=False),
        pa.field("attr_json", TEXT_MAP, nullable=False),  # booleans, bytes, arrays, maps, empty values as JSON text
        pa.field("resource", pa.string(), nullable=False),  # JSON object of all resource attributes kept
        pa.field("resource_schema_url", pa.string(), nullable=False),
        pa.field("scope_name", pa.string(), nullable=False),
        pa.field("scope_version", pa.string(), nullable=False),
        pa.field("scope", pa.string(), nullable=False),  # JSON object of scope attributes
        pa.field("scope_schema_url", pa.string(), nullable=False),
        pa.field("event_times_ns", pa.list_(pa.int64()), nullable=False),
        pa.field("event_names", pa.list_(pa.string()), nullable=False),
        pa.field("event_attributes", pa.list_(pa.string()), nullable=False),  # one JSON object per event
        pa.field("link_trace_ids", pa.list_(TRACE_ID), nullable=False),
        pa.field("link_span_ids", pa.list_(SPAN_ID), nullable=False),
        pa.field("link_attributes", pa.list_(pa.string()), nullable=False),  # one JSON object per link
        pa.field("dropped_attributes", pa.uint32(), nullable=False),
        pa.field("dropped_events", pa.uint32(), nullable=False),
        pa.field("dropped_links", pa.uint32(), nullable=False),
        pa.field("commit_seq", pa.uint64(), nullable=False),
    ]
)

REQUESTS: pa.Schema = pa.schema(
    [
        pa.field("request_key", REQUEST_KEY, nullable=False),
        pa.field("anchor_ns", pa.int64(), nullable=False),  # start of the topmost hop; sort key and partition
        pa.field("version", pa.uint64(), nullable=False),  # commit_seq of the commit that wrote it
        pa.field("is_retracted", pa.bool_(), nullable=False),  # True: this key is no request any more
        pa.field("trace_id", TRACE_ID, nullable=False),
        pa.field("root_span_id", SPAN_ID, nullable=False),
        pa.field("end_ns", pa.int64()),
        pa.field("e2e_s", pa.float64()),  # topmost hop's duration
        pa.field("tpot_s", pa.float64()),  # (engine e2e - ttft) / (output_tokens - 1)
        pa.field("model", pa.string(), nullable=False),  # pool half: requested model, else the one that answered
        pa.field("outcome", pa.string(), nullable=False),
        pa.field("defects", pa.uint16(), nullable=False),  # DefectKind bits
        pa.field("truncation_cause", pa.string(), nullable=False),
        pa.field("hop_count", pa.uint16(), nullable=False),
        pa.field("hop_roles", pa.string(), nullable=False),  # distinct roles, comma-separated, outermost first
        pa.field("emitters", pa.string(), nullable=False),
        pa.field("quality", pa.string(), nullable=False),
        *CANONICAL_COLUMNS,
    ]
)
"""One version of one request. `service` and `model` name its pool."""

LEDGER: pa.Schema = pa.schema(
    [
        pa.field("at_ns", pa.int64(), nullable=False),
        pa.field("commit_seq", pa.uint64(), nullable=False),  # 0: counted outside a commit
        pa.field("signal", pa.string(), nullable=False),  # traces, metrics, logs
        pa.field("reason", pa.string(), nullable=False),  # stored, duplicate, or why records were rejected
        pa.field("records", pa.uint64(), nullable=False),
        pa.field("bodies", pa.uint64(), nullable=False),
    ]
)
"""The record ledger: every record received is in exactly one row's `records`."""

CHANGES: pa.Schema = pa.schema(
    [
        pa.field("event_id", pa.string(), nullable=False),
        pa.field("at_ns", pa.int64(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),  # ChangeKind
        pa.field("subject", pa.string(), nullable=False),
        pa.field("summary", pa.string(), nullable=False),
        pa.field("actor", pa.string(), nullable=False),
        pa.field("before_digest", pa.string(), nullable=False),
        pa.field("after_digest", pa.string(), nullable=False),
        pa.field("detail", pa.string(), nullable=False),  # JSON object
    ]
)
"""One change event, in the order of vocabulary.changes.ChangeEvent."""

MINUTE_COUNTS: tuple[str, ...] = (
    "requests",
    "defective",
    *(f"outcome_{outcome}" for outcome in Outcome),
    *(f"defect_{name}" for name in DEFECT_NAMES),
    "input_tokens",
    "output_tokens",
)
"""Additive columns of request_minutes, all UInt64."""

MINUTE_SKETCHES: tuple[str, ...] = ("e2e_sketch", "ttft_sketch")
"""Integer log-bucket sketches: map from bucket ceil(ln(seconds) / ln(1.1)) to count, merged by adding."""
