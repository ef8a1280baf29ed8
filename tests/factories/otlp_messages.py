"""Seeded OTLP bodies of every shape: all value types, all levels, odd ids and times, and damaged bytes."""

import random
import struct
from collections.abc import Iterator

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

TEXTS = ("", "a", "plain", "naïve ☃", "line\nbreak", "nul\0inside", "x" * 300, "42", "3.5", "{}", '{"a": 1}', "[1]")
INTEGERS = (0, 1, -1, 7, 2**31, -(2**63), 2**63 - 1)
NUMBERS = (0.0, -0.0, 1.5, -2.25, 1e300, 5e-324, float("nan"), float("inf"), float("-inf"))
KEYS = ("alpha", "beta", "gamma.delta", "ε", "", "zeta", "a.rather.long.attribute.name.of.nobody")


def bodies(seed: int, count: int, damaged_share: float = 0.3) -> Iterator[tuple[bytes, bool]]:
    """`count` bodies and whether each was left undamaged."""
    chance = random.Random(seed)
    for _ in range(count):
        body = message(chance).SerializeToString()
        is_damaged = chance.random() < damaged_share
        yield (damaged(body, chance) if is_damaged else body), not is_damaged


def message(chance: random.Random) -> ExportTraceServiceRequest:
    found = ExportTraceServiceRequest()
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        resource_spans = found.resource_spans.add()
        resource_spans.schema_url = chance.choice(("", "https://opentelemetry.io/schemas/1.44.0"))
        if chance.random() < 0.8:
            _attributes(resource_spans.resource.attributes, chance, 4)
            resource_spans.resource.dropped_attributes_count = chance.choice((0, 0, 3))
        if chance.random() < 0.1:
            resource_spans.resource.entity_refs.add(type="service", id_keys=["alpha"])
        for _ in range(chance.choice((0, 1, 1, 2))):
            scope_spans = resource_spans.scope_spans.add()
            scope_spans.schema_url = chance.choice(("", "https://example.com/schema"))
            if chance.random() < 0.8:
                scope_spans.scope.name = chance.choice(("", "my.library", "☃"))
                scope_spans.scope.version = chance.choice(("", "1.0.0"))
                _attributes(scope_spans.scope.attributes, chance, 2)
            for _ in range(chance.choice((0, 1, 2, 5))):
                _fill(scope_spans.spans.add(), chance)
    return found


def damaged(body: bytes, chance: random.Random) -> bytes:
    """Cut, flipped, spliced, shortened, begun anew, or noisy."""
    if not body:
        return chance.randbytes(chance.randrange(1, 20))
    place = chance.randrange(len(body))
    before, after = body[:place], body[place:]
    noisy = bytearray(body)
    for _ in range(chance.randrange(1, 12)):
        noisy[chance.randrange(len(body))] = chance.randrange(256)
    return chance.choice(
        (
            before,
            before + bytes([after[0] ^ (1 << chance.randrange(8))]) + after[1:],
            before + chance.randbytes(chance.randrange(1, 9)) + after,
            before + after[chance.randrange(1, 6) :],
            body + before,
            bytes(noisy),
        )
    )


def _fill(span: Span, chance: random.Random) -> None:
    span.trace_id = chance.choice((chance.randbytes(16),) * 8 + (b"", bytes(16), b"short", chance.randbytes(17)))
    span.span_id = chance.choice((chance.randbytes(8),) * 8 + (b"", bytes(8), b"odd", chance.randbytes(9)))
    span.parent_span_id = chance.choice((chance.randbytes(8), b"", b"", bytes(8), b"odd"))
    span.trace_state = chance.choice(("", "ot=th:8", "vendor=value"))
    span.name = chance.choice(("", "a span", "llm_request", "☃"))
    span.kind = chance.choice((0, 1, 2, 3, 4, 5, 99, -1))  # type: ignore[assignment]  # unknown ones are meant
    span.flags = chance.choice((0, 1, 0x101, 2**32 - 1))
    start = chance.choice((0, 1, 1_796_000_000_000_000_000, 2**63, 2**64 - 1))
    span.start_time_unix_nano = start
    span.end_time_unix_nano = chance.choice((0, 1, min(start + 10**9, 2**64 - 1), 2**64 - 1))
    _attributes(span.attributes, chance, 9)
    span.dropped_attributes_count = chance.choice((0, 0, 2, 2**32 - 1))
    span.dropped_events_count = chance.choice((0, 5))
    span.dropped_links_count = chance.choice((0, 6))
    if chance.random() < 0.5:
        span.status.code = chance.choice((0, 1, 2, 7))  # type: ignore[assignment]  # as above
        span.status.message = chance.choice(("", "something", "Request timed out."))
    for _ in range(chance.choice((0, 0, 1, 3))):
        event = span.events.add()
        event.time_unix_nano = chance.choice((0, start, 2**64 - 1))
        event.name = chance.choice(("", "exception", "First Token Stream Event"))
        _attributes(event.attributes, chance, 3)
    for _ in range(chance.choice((0, 0, 0, 2))):
        link = span.links.add()
        link.trace_id = chance.choice((chance.randbytes(16), b"", bytes(16)))
        link.span_id = chance.choice((chance.randbytes(8), b"no"))
        link.flags = chance.choice((0, 1))
        link.trace_state = chance.choice(("", "a=b"))
        _attributes(link.attributes, chance, 2)


def _attributes(target: "list[KeyValue] | object", chance: random.Random, most: int) -> None:
    assert hasattr(target, "add")
    for _ in range(chance.randrange(most + 1)):
        pair = target.add()
        pair.key = chance.choice(KEYS)
        if chance.random() < 0.95:
            pair.value.CopyFrom(_value(chance, 0))


def _value(chance: random.Random, depth: int) -> AnyValue:
    found = AnyValue()
    match chance.randrange(8 if depth < 3 else 6):
        case 0:
            found.string_value = chance.choice(TEXTS)
        case 1:
            found.bool_value = chance.random() < 0.5
        case 2:
            found.int_value = chance.choice(INTEGERS)
        case 3:
            found.double_value = chance.choice(NUMBERS)
        case 4:
            found.bytes_value = struct.pack("<q", chance.choice(INTEGERS))[: chance.randrange(9)]
        case 5:
            if chance.random() < 0.2:
                found.string_value_strindex = chance.randrange(5)
        case 6:
            found.array_value.SetInParent()
            found.array_value.values.extend(_value(chance, depth + 1) for _ in range(chance.randrange(4)))
        case _:
            found.kvlist_value.SetInParent()
            for _ in range(chance.randrange(4)):
                pair = found.kvlist_value.values.add()
                pair.key = chance.choice(KEYS)
                pair.value.CopyFrom(_value(chance, depth + 1))
    return found
