"""What a body says, by the official protobuf runtime and one plain loop per span: what the fast way must equal."""

import base64
import json
import math
from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

INT64_MAX = 2**63 - 1
Row = dict[str, Any]


def parsed(body: bytes) -> ExportTraceServiceRequest | None:
    """The message, None where the official runtime refuses the bytes."""
    try:
        message: ExportTraceServiceRequest = ExportTraceServiceRequest.FromString(body)
    except ProtobufError:
        return None
    return message


def reference_rows(message: ExportTraceServiceRequest) -> tuple[list[Row], dict[str, int]]:
    """Rows of accepted spans without canonical columns, and rejected spans by reason."""
    rows: list[Row] = []
    rejected: dict[str, int] = {}
    for resource_spans in message.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                reason = _reason(span)
                if reason:
                    rejected[reason] = rejected.get(reason, 0) + 1
                    continue
                around = {
                    "resource": _described(resource_spans.resource),
                    "resource_schema_url": resource_spans.schema_url,
                    "scope_name": scope_spans.scope.name,
                    "scope_version": scope_spans.scope.version,
                    "scope": _described(scope_spans.scope),
                    "scope_schema_url": scope_spans.schema_url,
                }
                rows.append({**_row(span), **around})
    return rows, rejected


def _reason(span: Span) -> str:
    if len(span.trace_id) != 16 or not any(span.trace_id):
        return "invalid_trace_id"
    return "invalid_span_id" if len(span.span_id) != 8 or not any(span.span_id) else ""


def _row(span: Span) -> Row:
    start = span.start_time_unix_nano if span.start_time_unix_nano <= INT64_MAX else 0
    end = span.end_time_unix_nano
    links = [link for link in span.links if len(link.trace_id) == 16 and any(link.trace_id) and len(link.span_id) == 8]
    lost = len(span.links) - len(links)
    return {
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent_span_id": span.parent_span_id if len(span.parent_span_id) == 8 else bytes(8),
        "start_ns": start,
        "end_ns": end if 0 < end <= INT64_MAX and end >= start else None,
        "status_code": span.status.code if span.status.code in {0, 1, 2} else 0,
        "name": span.name or "unknown",
        "kind": span.kind if 1 <= span.kind <= 5 else 1,
        "trace_state": span.trace_state,
        "flags": span.flags,
        **_maps(span.attributes),
        "event_times_ns": [_clamped(event.time_unix_nano) for event in span.events],
        "event_names": [event.name for event in span.events],
        "event_attributes": [_described(event) for event in span.events],
        "link_trace_ids": [link.trace_id for link in links],
        "link_span_ids": [link.span_id for link in links],
        "link_attributes": [_link(link) for link in links],
        "dropped_attributes": span.dropped_attributes_count,
        "dropped_events": span.dropped_events_count,
        "dropped_links": min(span.dropped_links_count + lost, 2**32 - 1),
    }


def _maps(pairs: Iterable[KeyValue]) -> Row:
    maps: Row = {"attr_text": {}, "attr_int": {}, "attr_double": {}, "attr_json": {}}
    for key, value in {pair.key: pair.value for pair in pairs}.items():
        match value.WhichOneof("value"):
            case "string_value":
                maps["attr_text"][key] = value.string_value
            case "int_value":
                maps["attr_int"][key] = value.int_value
            case "double_value":
                maps["attr_double"][key] = _comparable(value.double_value)
            case _:
                maps["attr_json"][key] = plain(value)
    return maps


def plain(value: AnyValue) -> Any:
    """A value as JSON would have it."""
    match value.WhichOneof("value"):
        case None | "string_value_strindex":
            return None
        case "array_value":
            return [plain(item) for item in value.array_value.values]
        case "kvlist_value":
            return {pair.key: plain(pair.value) for pair in value.kvlist_value.values}
        case "bytes_value":
            return {"base64": base64.b64encode(value.bytes_value).decode()}
        case "double_value":
            number = value.double_value
            return number if math.isfinite(number) else str(number)
        case member:
            return getattr(value, member)


def _described(owner: Any) -> Row:
    found = {pair.key: plain(pair.value) for pair in owner.attributes}
    if owner.dropped_attributes_count:
        found["otel.dropped_attributes_count"] = owner.dropped_attributes_count
    return found


def _link(link: Any) -> Row:
    found = _described(link)
    if link.trace_state:
        found["w3c.trace_state"] = link.trace_state
    if link.flags:
        found["otel.flags"] = link.flags
    return found


def _clamped(time_ns: int) -> int:
    return time_ns if time_ns <= INT64_MAX else 0


def _comparable(number: float) -> float | str:
    return "nan" if math.isnan(number) else number


def comparable(row: Row) -> Row:
    """A stored row in the shape of a reference row."""
    found = {name: row[name] for name in _row(Span())}
    for name in ("attr_text", "attr_int"):
        found[name] = dict(row[name])
    found["attr_double"] = {key: _comparable(number) for key, number in row["attr_double"]}
    found["attr_json"] = {key: json.loads(text) for key, text in row["attr_json"]}
    for name in ("event_attributes", "link_attributes"):
        found[name] = [json.loads(text) for text in row[name]]
    for name in ("resource", "scope"):
        found[name] = json.loads(row[name])
    for name in ("resource_schema_url", "scope_name", "scope_version", "scope_schema_url"):
        found[name] = row[name]
    return found
