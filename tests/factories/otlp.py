"""OTLP trace bodies from the few facts that a test is about, and the rows that they become."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from collector.otlp.decode import decode_traces
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import Privacy

START_NS = 1_796_000_000_000_000_000
SECOND_NS = 1_000_000_000
RECEIVED_NS = START_NS + 60 * SECOND_NS
SALT = b"a salt of the tests"
Row = dict[str, Any]


def value(plain: object) -> AnyValue:
    """A plain Python value as an attribute value; None is an empty one."""
    found = AnyValue()
    match plain:
        case None:
            pass
        case bool():
            found.bool_value = plain
        case int():
            found.int_value = plain
        case float():
            found.double_value = plain
        case str():
            found.string_value = plain
        case bytes():
            found.bytes_value = plain
        case Mapping():
            found.kvlist_value.SetInParent()
            found.kvlist_value.values.extend(attributes(plain))
        case Sequence():
            found.array_value.SetInParent()
            found.array_value.values.extend(value(item) for item in plain)
    return found


def attributes(plain: Mapping[str, object]) -> list[KeyValue]:
    return [KeyValue(key=key, value=value(item)) for key, item in plain.items()]


def span(number: int = 1, name: str = "span", kind: int = 1, **facts: Any) -> Span:
    """A span of one second in trace 1; `facts` are fields of Span, `attributes` and events may be plain."""
    plain = facts.pop("attributes", {})
    fields: dict[str, Any] = {
        "trace_id": (1).to_bytes(16, "big"),
        "span_id": number.to_bytes(8, "big"),
        "start_time_unix_nano": START_NS,
        "end_time_unix_nano": START_NS + SECOND_NS,
    }
    return Span(name=name, kind=kind, attributes=attributes(plain), **(fields | facts))  # type: ignore[arg-type]


def request(
    *spans: Span, resource: Mapping[str, object] | None = None, scope: str = "", scope_attributes: Any = None
) -> ExportTraceServiceRequest:
    """One resource, one scope, these spans."""
    found = ExportTraceServiceRequest()
    resource_spans = found.resource_spans.add()
    resource_spans.resource.attributes.extend(attributes(resource or {}))
    scope_spans = resource_spans.scope_spans.add()
    scope_spans.scope.name = scope
    scope_spans.scope.attributes.extend(attributes(scope_attributes or {}))
    scope_spans.spans.extend(spans)
    return found


def rows(message: ExportTraceServiceRequest, privacy: Privacy | None = None) -> list[Row]:
    """Rows of the spans table, maps as dicts."""
    decoded = decode_traces(message.SerializeToString())
    table = Normaliser(privacy or Privacy(SALT)).normalise(decoded, RECEIVED_NS).spans
    table.validate(full=True)
    found: list[Row] = table.to_pylist()
    return [{name: dict(item) if name.startswith("attr_") else item for name, item in row.items()} for row in found]


def row(one: Span, **around: Any) -> Row:
    """The row of one span; `around` as in `request`."""
    (found,) = rows(request(one, **around))
    return found


def sources(found: Row) -> dict[str, str]:
    parsed: dict[str, str] = json.loads(found["sources"])
    return parsed


def from_json(document: dict[str, Any]) -> ExportTraceServiceRequest:
    """An OTLP/JSON body as a message; ids are hexadecimal there, which protobuf's own JSON does not know."""
    message = ExportTraceServiceRequest()
    json_format.ParseDict(_with_base64_ids(document), message, ignore_unknown_fields=True)
    return message


def _with_base64_ids(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_base64_ids(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _base64(item) if key in _IDS else _with_base64_ids(item) for key, item in node.items()}


def _base64(hexadecimal: str) -> str:
    return base64.b64encode(bytes.fromhex(hexadecimal)).decode()


_IDS = {"traceId", "spanId", "parentSpanId"}
