"""Hops and spans as ingestion sees them, made from the few facts a test is about."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from store.telemetry import columns

START_NS = 1_796_000_000_000_000_000
SECOND_NS = 1_000_000_000
NO_PARENT = bytes(8)
_EMPTY: Mapping[pa.DataType, object] = {pa.string(): "", pa.uint8(): 0, pa.uint32(): 0, pa.uint64(): 0}


def trace(number: int) -> bytes:
    """A trace id."""
    return number.to_bytes(16, "big")


def span(number: int) -> bytes:
    """A span id."""
    return number.to_bytes(8, "big")


def hop(number: int, parent: int = 0, trace_number: int = 1, **facts: Any) -> dict[str, object]:
    """One engine hop of one second, start staggered by its number; `facts` override."""
    start = START_NS + number * 1_000_000
    return {
        "trace_id": trace(trace_number),
        "span_id": span(number),
        "parent_span_id": span(parent) if parent else NO_PARENT,
        "start_ns": start,
        "end_ns": start + SECOND_NS,
        "received_ns": start + 2 * SECOND_NS,
        "hop_role": "engine",
        "is_inference": True,
        "emitter": "vllm",
        "service": "chat",
        "model_requested": "m",
        **facts,
    }


def hop_table(hops: Iterable[Mapping[str, object]]) -> pa.Table:
    """HOPS table; what a hop does not tell is '' or NULL."""
    return _table(hops, columns.HOPS)


def span_table(hops: Iterable[Mapping[str, object]]) -> pa.Table:
    """SPANS table without commit_seq, as the normaliser makes it."""
    schema = pa.schema([field for field in columns.SPANS if field.name != "commit_seq"])
    return _table(hops, schema)


def _table(rows: Iterable[Mapping[str, object]], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist([{field.name: _value(row, field) for field in schema} for row in rows], schema=schema)


def _value(row: Mapping[str, object], field: pa.Field) -> object:
    if field.name in row:
        return row[field.name]
    if field.nullable:
        return None
    return [] if pa.types.is_nested(field.type) else _EMPTY[field.type]
