"""OTLP protobuf fragments, written by hand because a history of 600,000 spans must not take minutes.

Field numbers are those of opentelemetry-proto 1.11. Tests parse the bytes with the official classes and compare
them with what the OpenTelemetry SDK writes for the same spans.
"""

import struct
from collections.abc import Callable, Iterable, Mapping

AttributeValue = str | bool | int | float | tuple[str, ...]

_ONE_BYTE = 0x80
_LENGTH_DELIMITED = 2
_FIXED_64 = 1
_SPAN_ATTRIBUTE = 9
_UINT64 = 1 << 64
_pack_double = struct.Struct("<d").pack
_LONGEST_VARINT = 10
_TRACE_ID, _SPAN_ID, _PARENT_ID = b"\x0a\x10", b"\x12\x08", b"\x22\x08"
_START, _END = 7 << 3 | _FIXED_64, 8 << 3 | _FIXED_64


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
    return _key_value(key, any_value(value))


def _key_value(key: str, written: bytes) -> bytes:
    return delimited(1, key.encode()) + delimited(2, written)


def span_attribute(key: str, value: AttributeValue) -> bytes:
    """One attribute as a field of Span."""
    return delimited(_SPAN_ATTRIBUTE, key_value(key, value))


def span_attributes(attributes: Mapping[str, AttributeValue]) -> bytes:
    """Attributes as fields of Span."""
    return b"".join(span_attribute(key, value) for key, value in attributes.items())


def integer_writer(key: str) -> Callable[[int], bytes]:
    """Writes attributes of one key as `span_attribute` does; quicker than asking a cache for them."""
    longest = [bytes([_ONE_BYTE] * length) for length in range(_LONGEST_VARINT + 1)]
    heads = [delimited(_SPAN_ATTRIBUTE, _key_value(key, b"\x18" + told)).removesuffix(told) for told in longest]

    def write(value: int) -> bytes:
        told = varint(value)
        return heads[len(told)] + told

    return write


def doubles_layout(keys: Iterable[str]) -> struct.Struct:
    """A layout that packs a fixed list of double attributes in one call; see `double_parts`."""
    return struct.Struct("<" + "".join(f"{len(part)}sd" for part in double_parts(keys)))


def double_parts(keys: Iterable[str]) -> list[bytes]:
    """What stands before each of the doubles: the attribute without its eight value bytes."""
    return [span_attribute(key, 0.0)[:-8] for key in keys]


class SpanOpening:
    """Writes what a Span begins with: ids, name, kind and times; name and kind are always the same.

    Trace ids have 16 bytes, span ids 8; times are epoch nanoseconds.
    """

    def __init__(self, name: str, kind: int) -> None:
        self._name = delimited(5, name.encode()) + b"\x30" + varint(kind)
        self._pack_root = struct.Struct(f"<2s16s2s8s{len(self._name)}sBQBQ").pack
        self._pack_child = struct.Struct(f"<2s16s2s8s2s8s{len(self._name)}sBQBQ").pack

    def root(self, trace_id: bytes, span_id: bytes, start_ns: int, end_ns: int) -> bytes:
        """Of a span without a parent."""
        return self._pack_root(_TRACE_ID, trace_id, _SPAN_ID, span_id, self._name, _START, start_ns, _END, end_ns)

    def child(self, trace_id: bytes, span_id: bytes, parent_id: bytes, start_ns: int, end_ns: int) -> bytes:
        """Of a span below another one."""
        ids = _TRACE_ID, trace_id, _SPAN_ID, span_id, _PARENT_ID, parent_id
        return self._pack_child(*ids, self._name, _START, start_ns, _END, end_ns)


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
    parts = [scope_field]
    for span in spans:
        parts += (b"\x12", varint(len(span)), span)
    body = b"".join(parts)
    head = resource_field + b"\x12" + varint(len(body))
    return b"".join((b"\x0a", varint(len(head) + len(body)), head, body))
