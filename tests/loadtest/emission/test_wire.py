"""The hand-written protobuf is what the official classes read and what the OpenTelemetry SDK writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from loadtest.emission import wire
from tests.factories.otlp_stub import attributes

ATTRIBUTES: dict[str, wire.AttributeValue] = {
    "text": "Größe",
    "empty": "",
    "yes": True,
    "no": False,
    "zero": 0,
    "tokens": 16_384,
    "negative": -3,
    "large": 2**63 - 1,
    "seconds": 0.0125,
    "reasons": ("stop", "length"),
}


def by_hand() -> bytes:
    span = b"".join(
        (
            wire.SpanOpening("llm_request", 2).child(
                bytes(range(16)),
                bytes(range(8)),
                bytes(range(8, 16)),
                1_700_000_000_000_000_001,
                1_700_000_001_000_000_002,
            ),
            wire.span_attributes(ATTRIBUTES),
            wire.span_tail(2, 0x300),
        )
    )
    head = wire.resource({"service.name": "s", "model.context_window": 8192})
    return wire.resource_spans(head, wire.scope("vllm.tracing.otel", ""), [span])


def by_sdk() -> bytes:
    trace_id = int.from_bytes(bytes(range(16)), "big")
    own, above = (int.from_bytes(bytes(range(start, start + 8)), "big") for start in (0, 8))
    context = SpanContext(trace_id, own, is_remote=False, trace_flags=TraceFlags(1))
    parent = SpanContext(trace_id, above, is_remote=True, trace_flags=TraceFlags(1))
    span = ReadableSpan(
        "llm_request",
        context,
        parent,
        Resource({"service.name": "s", "model.context_window": 8192}),
        ATTRIBUTES,
        kind=SpanKind.SERVER,
        status=Status(StatusCode.ERROR),
        start_time=1_700_000_000_000_000_001,
        end_time=1_700_000_001_000_000_002,
        instrumentation_scope=InstrumentationScope("vllm.tracing.otel", ""),
    )
    return bytes(encode_spans([span]).SerializeToString())


def test_a_span_has_the_bytes_that_the_sdk_writes() -> None:
    assert by_hand() == by_sdk()


def test_the_official_classes_read_every_kind_of_attribute() -> None:
    span = ExportTraceServiceRequest.FromString(by_hand()).resource_spans[0].scope_spans[0].spans[0]
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in ATTRIBUTES.items()}
    assert attributes(span) == plain


@given(st.integers(-(2**63), 2**63 - 1))
def test_integers_of_any_size_come_back(value: int) -> None:
    assert attributes(Span.FromString(wire.span_attribute("k", value))) == {"k": value}


@given(st.integers(-(2**63), 2**63 - 1))
def test_integers_of_one_key_are_written_like_any_attribute(value: int) -> None:
    key = "k" * 120  # with it the attribute's own length needs one byte or two
    assert wire.integer_writer(key)(value) == wire.span_attribute(key, value)


def test_a_root_opens_like_a_child_without_a_parent() -> None:
    opening = wire.SpanOpening("chat", 2)
    root = Span.FromString(opening.root(b"t" * 16, b"s" * 8, 1, 2))
    child = Span.FromString(opening.child(b"t" * 16, b"s" * 8, b"p" * 8, 1, 2))
    assert (root.parent_span_id, child.parent_span_id) == (b"", b"p" * 8)
    child.ClearField("parent_span_id")
    assert root == child


@given(st.lists(st.floats(allow_nan=False), min_size=3, max_size=3))
def test_doubles_packed_in_one_call_are_those_packed_one_by_one(values: list[float]) -> None:
    keys = ["a", "some.longer.key", "c"]
    parts = wire.double_parts(keys)
    packed = wire.doubles_layout(keys).pack(*(item for pair in zip(parts, values, strict=True) for item in pair))
    assert packed == wire.span_attributes(dict(zip(keys, values, strict=True)))


@pytest.mark.parametrize("length", [0, 127, 128, 16_383, 16_384, 300_000])
def test_payloads_of_any_length_are_delimited(length: int) -> None:
    assert Span.FromString(wire.delimited(5, b"x" * length)).name == "x" * length
