"""OTLP protobuf fragments, written by hand because a history of 600,000 spans must not take minutes.

Field numbers are those of opentelemetry-proto 1.11. Tests parse the bytes with the official classes and compare
them with what the OpenTelemetry SDK writes for the same spans.
"""

import struct
from collections.abc import Iterable, Mapping

AttributeValue = str | bool | int | float | tuple[str, ...]

_ONE_BYTE = 0x80
_LENGTH_DELIMITED = 2
_FIXED_64 = 1
_SPAN_ATTRIBUTE = 9
_UINT64 = 1 << 64
_pack_double = struct.Struct("<d").pack
_SPAN_HEAD = struct.Struct("<2s16s2s8s").pack
_SPAN_TIMES = struct.Struct("<BQBQ").pack


def varint(value: int) -> bytes:
    """Base-128 varint; negative numbers as 64-bit two's complement."""
    if 0 <= value < len(_SMALL):
        return _SMALL[value]
    return _varint(value % _UINT64)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= _ONE_BYTE:
        out.append(value % _ONE_BYTE | _ONE_BYTE)
        value //= _ONE_BYTE
    out.append(value)
    return bytes(out)


_SMALL = tuple(_varint(value) for value in range(1 << 14))


def delimited(field: int, payload: bytes) -> bytes:
    """A length-delimited field: text, bytes or a message."""
    return varint(field << 3 | _LENGTH_DELIMITED) + varint(len(payload)) + payload


def any_value(value: AttributeValue) -> bytes:
    """An AnyValue; bool, int, float, text or an array of texts."""
    if isinstance(value, bool):
        return b"\x10" + varint(int(value))
    if isinstance(value, int):
        return b"\x18" + varint(value)
    if isinstance(value, float):
        return b"\x21" + _pack_double(value)
    if isinstance(value, str):
        return delimited(1, value.encode())
    return delimited(5, b"".join(delimited(1, any_value(item)) for item in value))


def key_value(key: str, value: AttributeValue) -> bytes:
    """A KeyValue."""
    return delimited(1, key.encode()) + delimited(2, any_value(value))


def span_attribute(key: str, value: AttributeValue) -> bytes:
    """One attribute as a field of Span."""
    return delimited(_SPAN_ATTRIBUTE, key_value(key, value))


def span_attributes(attributes: Mapping[str, AttributeValue]) -> bytes:
    """Attributes as fields of Span."""
    return b"".join(span_attribute(key, value) for key, value in attributes.items())


def doubles_layout(keys: Iterable[str]) -> struct.Struct:
    """A layout that packs a fixed list of double attributes in one call; see `double_parts`."""
    return struct.Struct("<" + "".join(f"{len(part)}sd" for part in double_parts(keys)))


def double_parts(keys: Iterable[str]) -> list[bytes]:
    """What stands before each of the doubles: the attribute without its eight value bytes."""
    return [span_attribute(key, 0.0)[:-8] for key in keys]


def span_head(trace_id: bytes, span_id: bytes) -> bytes:
    """Trace id (16 bytes) and span id (8 bytes) of a Span."""
    return _SPAN_HEAD(b"\x0a\x10", trace_id, b"\x12\x08", span_id)


def span_parent(span_id: bytes) -> bytes:
    """Span id of the parent (8 bytes)."""
    return b"\x22\x08" + span_id


def span_times(start_ns: int, end_ns: int) -> bytes:
    """Start and end of a Span, epoch nanoseconds."""
    return _SPAN_TIMES(7 << 3 | _FIXED_64, start_ns, 8 << 3 | _FIXED_64, end_ns)


def span_name(name: str, kind: int) -> bytes:
    """Name and kind of a Span."""
    return delimited(5, name.encode()) + b"\x30" + varint(kind)


def span_tail(status_code: int, flags: int) -> bytes:
    """Status (0 unset, 2 error) and flags of a Span."""
    status = b"\x18" + varint(status_code) if status_code else b""
    return delimited(15, status) + varint(16 << 3 | 5) + flags.to_bytes(4, "little")


def resource(attributes: Mapping[str, AttributeValue]) -> bytes:
    """The resource as a field of ResourceSpans."""
    return delimited(1, b"".join(delimited(1, key_value(key, value)) for key, value in attributes.items()))


def scope(name: str, version: str) -> bytes:
    """The scope as a field of ScopeSpans."""
    return delimited(1, delimited(1, name.encode()) + (delimited(2, version.encode()) if version else b""))


def resource_spans(resource_field: bytes, scope_field: bytes, spans: Iterable[bytes]) -> bytes:
    """A ResourceSpans with one scope, as a field of ExportTraceServiceRequest."""
    body = bytearray(scope_field)
    for span in spans:
        body += b"\x12"
        body += varint(len(span))
        body += span
    return delimited(1, resource_field + delimited(2, bytes(body)))
