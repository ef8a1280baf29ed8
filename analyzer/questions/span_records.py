"""Spans as people read them: hex ids, one attribute dict with typed values, parsed JSON columns."""

from collections.abc import Mapping, Sequence
from typing import cast

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from analyzer.questions.answers import SpanRecord
from vocabulary.fields import CANONICAL

Row = Mapping[str, object]
NO_PARENT = bytes(8)


def span_records(rows: pa.Table) -> list[SpanRecord]:
    """Rows in SPANS columns, in their order."""
    told = [field.name for field in CANONICAL if _is_told(rows[field.name])]
    silent = {field.name for field in CANONICAL}.difference(told)
    kept = [name for name in rows.column_names if name not in silent]
    return [_record(row, told) for row in rows.select(kept).to_pylist()]


def _is_told(column: pa.ChunkedArray) -> bool:
    """Whether any span knows the field: most of them are unknown to all, and turning those into rows takes longest."""
    if pa.types.is_string(column.type):
        return bool(pc.any(pc.not_equal(column, "")).as_py())
    return bool(column.null_count < len(column))


def _record(row: Row, told: Sequence[str]) -> SpanRecord:
    parent = cast("bytes", row["parent_span_id"])
    return SpanRecord(
        span_id=cast("bytes", row["span_id"]).hex(),
        parent_span_id="" if parent == NO_PARENT else parent.hex(),
        name=cast("str", row["name"]),
        kind=cast("int", row["kind"]),
        start_ns=cast("int", row["start_ns"]),
        end_ns=cast("int | None", row["end_ns"]),
        status_code=cast("int", row["status_code"]),
        status_message=cast("str", row["status_message"]),
        hop_role=cast("str", row["hop_role"]),
        is_inference=cast("bool", row["is_inference"]),
        emitter=cast("str", row["emitter"]),
        fields={name: row[name] for name in told if row[name] is not None and row[name] != ""},
        sources=cast("dict[str, str]", _document(row["sources"])),
        attributes=_attributes(row),
        resource=_document(row["resource"]),
        scope_name=cast("str", row["scope_name"]),
        scope_version=cast("str", row["scope_version"]),
        events=_events(row),
        links=_links(row),
        quality=[flag for flag in cast("str", row["quality"]).split(",") if flag],
    )


def _attributes(row: Row) -> dict[str, object]:
    """The four typed maps as one dict by key; a key stands in one map only."""
    kept: dict[str, object] = {}
    for column in ("attr_text", "attr_int", "attr_double"):
        kept.update(cast("list[tuple[str, object]]", row[column]))
    kept.update({key: _parsed(text) for key, text in cast("list[tuple[str, str]]", row["attr_json"])})
    return dict(sorted(kept.items()))


def _events(row: Row) -> list[dict[str, object]]:
    columns = zip(
        cast("Sequence[int]", row["event_times_ns"]),
        cast("Sequence[str]", row["event_names"]),
        cast("Sequence[str]", row["event_attributes"]),
        strict=True,
    )
    return [{"time_ns": at, "name": name, "attributes": _document(text)} for at, name, text in columns]


def _links(row: Row) -> list[dict[str, object]]:
    columns = zip(
        cast("Sequence[bytes]", row["link_trace_ids"]),
        cast("Sequence[bytes]", row["link_span_ids"]),
        cast("Sequence[str]", row["link_attributes"]),
        strict=True,
    )
    return [
        {"trace_id": trace.hex(), "span_id": span.hex(), "attributes": _document(text)} for trace, span, text in columns
    ]


def _document(text: object) -> dict[str, object]:
    """A column that holds one JSON object; '' is an empty one."""
    found = _parsed(cast("str", text)) if text else {}
    return found if isinstance(found, dict) else {"": found}


def _parsed(text: str) -> object:
    """The JSON value, or the text itself where it is none: a reader is better off with the raw text than without."""
    try:
        return cast("object", orjson.loads(text))
    except orjson.JSONDecodeError:
        return text
