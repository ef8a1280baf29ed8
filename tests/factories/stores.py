"""Stores for tests, and rows to put into them: every column has a plain value, tests name what matters."""

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

import pyarrow as pa

from store.telemetry.columns import LEDGER, REQUESTS, SPANS
from store.telemetry.open import Telemetry
from store.telemetry.tables import TELEMETRY
from vocabulary.pools import MINUTE_NS, SECOND_NS

START_NS = 1_760_000_000_000_000_000 // MINUTE_NS * MINUTE_NS
"""The first minute of most tests."""

_KEYS = count(1)
DEFAULTS: Mapping[pa.DataType, object] = {
    pa.string(): "",
    pa.bool_(): False,
    pa.uint8(): 0,
    pa.uint16(): 0,
    pa.uint32(): 0,
    pa.uint64(): 0,
    pa.int64(): 0,
    pa.float64(): 0.0,
}


def emptied(store: Telemetry) -> Telemetry:
    """The same store without a row."""
    for table in TELEMETRY.tables:
        store.writes.execute_text(f"TRUNCATE TABLE {table}")
    store.reader.current_build.number = 0
    return store


def new_id(width: int) -> bytes:
    """The next id of this process, `width` bytes; spread over the key space as real ids are."""
    spread: int = next(_KEYS) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128
    return spread.to_bytes(16, "big")[:width]


def table_of(schema: pa.Schema, rows: Iterable[Mapping[str, object]]) -> pa.Table:
    """Rows as a table; columns that a row does not name are empty, zero or NULL."""
    plain = {field.name: _plain(field) for field in schema}
    listed = list(rows)
    for row in listed:
        assert set(row) <= set(plain), set(row) - set(plain)
    return pa.Table.from_pylist([{**plain, **row} for row in listed], schema)


def _plain(field: pa.Field) -> object:
    if field.nullable:
        return None
    if pa.types.is_fixed_size_binary(field.type):
        return bytes(field.type.byte_width)
    return DEFAULTS.get(field.type, [])


def request(at_s: float = 0.0, **named: Any) -> dict[str, Any]:
    """A completed request of pool (chat, m) that starts `at_s` seconds after START_NS and takes one second."""
    anchor_ns = START_NS + round(at_s * SECOND_NS)
    plain: dict[str, Any] = {
        "request_key": new_id(16),
        "trace_id": new_id(16),
        "root_span_id": new_id(8),
        "anchor_ns": anchor_ns,
        "end_ns": anchor_ns + SECOND_NS,
        "e2e_s": 1.0,
        "version": 1,
        "service": "chat",
        "model": "m",
        "replica": "r0",
        "service_tier": "general",
        "outcome": "completed",
        "hop_count": 1,
    }
    return {**plain, **named}


def requests(*rows: Mapping[str, object]) -> pa.Table:
    """Rows of `request` in REQUESTS columns."""
    return table_of(REQUESTS, rows)


def span(at_s: float = 0.0, **named: Any) -> dict[str, Any]:
    """A span that starts `at_s` seconds after START_NS and takes one second."""
    start_ns = START_NS + round(at_s * SECOND_NS)
    plain: dict[str, Any] = {
        "trace_id": new_id(16),
        "span_id": new_id(8),
        "start_ns": start_ns,
        "end_ns": start_ns + SECOND_NS,
        "received_ns": start_ns + 2 * SECOND_NS,
        "hop_role": "engine",
        "is_inference": True,
        "commit_seq": 1,
    }
    return {**plain, **named}


def spans(*rows: Mapping[str, object]) -> pa.Table:
    """Rows of `span` in SPANS columns."""
    return table_of(SPANS, rows)


def ledger(*rows: Mapping[str, object]) -> pa.Table:
    """Rows in LEDGER columns."""
    return table_of(LEDGER, [{"at_ns": START_NS, "signal": "traces", "reason": "stored", **row} for row in rows])
