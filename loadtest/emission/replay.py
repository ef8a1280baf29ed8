"""Spans that were written as bytes, made again by the OpenTelemetry SDK: same ids, times, attributes, parents."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from opentelemetry.context import Context
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource as ResourceMessage
from opentelemetry.proto.trace.v1.trace_pb2 import Span, SpanFlags
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, SpanKind, TraceFlags, set_span_in_context
from opentelemetry.trace.span import TraceState
from opentelemetry.trace.status import Status, StatusCode
from opentelemetry.util.types import Attributes, AttributeValue

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_KINDS = {
    Span.SPAN_KIND_INTERNAL: SpanKind.INTERNAL,
    Span.SPAN_KIND_SERVER: SpanKind.SERVER,
    Span.SPAN_KIND_CLIENT: SpanKind.CLIENT,
    Span.SPAN_KIND_PRODUCER: SpanKind.PRODUCER,
    Span.SPAN_KIND_CONSUMER: SpanKind.CONSUMER,
}


class _GivenIds(IdGenerator):
    """Yields the ids of the span that is replayed."""

    def __init__(self) -> None:
        self.trace_id = self.span_id = 0

    def generate_trace_id(self) -> int:
        return self.trace_id

    def generate_span_id(self) -> int:
        return self.span_id


class _GivenState(Sampler):
    """Samples everything that was written, and says of it what was written."""

    def __init__(self) -> None:
        self.trace_state = TraceState()

    def should_sample(  # noqa: PLR0917 - the SDK's own signature
        self,
        parent_context: Context | None,  # noqa: ARG002 - as above
        trace_id: int,  # noqa: ARG002 - as above
        name: str,  # noqa: ARG002 - as above
        kind: SpanKind | None = None,  # noqa: ARG002 - as above
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,  # noqa: ARG002 - as above
        trace_state: TraceState | None = None,  # noqa: ARG002 - as above
    ) -> SamplingResult:
        return SamplingResult(Decision.RECORD_AND_SAMPLE, attributes, self.trace_state)

    def get_description(self) -> str:
        return "as written"


class Process:
    """One emitting process: a tracer provider of its own. Used by one thread at a time; `shutdown` ends it."""

    def __init__(self, resource: ResourceMessage, processor: SpanProcessor) -> None:
        self._ids, self._sampler = _GivenIds(), _GivenState()
        self.provider = TracerProvider(
            self._sampler, resource_of(resource), id_generator=self._ids, shutdown_on_exit=False
        )
        self.provider.add_span_processor(processor)
        self._tracer = lru_cache(self.provider.get_tracer)

    def replay(self, scope: InstrumentationScope, span: Span) -> None:
        """Start and end a span of the process once more."""
        tracer = self._tracer(scope.name, scope.version)
        self._ids.trace_id = int.from_bytes(span.trace_id, "big")
        self._ids.span_id = int.from_bytes(span.span_id, "big")
        self._sampler.trace_state = TraceState.from_header([span.trace_state]) if span.trace_state else TraceState()
        started = tracer.start_span(
            span.name,
            _context(span, self._sampler.trace_state),
            _KINDS[span.kind],
            attributes_of(span.attributes),
            start_time=span.start_time_unix_nano,
        )
        if span.status.code:
            started.set_status(Status(StatusCode(span.status.code), span.status.message or None))
        started.end(span.end_time_unix_nano)


def resource_of(message: ResourceMessage) -> Resource:
    """The SDK's resource with exactly these attributes."""
    return Resource(attributes_of(message.attributes))


def attributes_of(attributes: Sequence[KeyValue]) -> Mapping[str, AttributeValue]:
    """Plain attributes, each of its own type; arrays are arrays of texts."""
    return {item.key: _plain(item.value) for item in attributes}


def _plain(value: AnyValue) -> AttributeValue:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return tuple(entry.string_value for entry in value.array_value.values)
    assert kind is not None, "no attribute is written without a value"
    plain: AttributeValue = getattr(value, kind)
    return plain


def _context(span: Span, trace_state: TraceState) -> Context:
    """A context of its own: empty for a root, else with the parent."""
    if not span.parent_span_id:
        return Context()
    is_remote = bool(span.flags & SpanFlags.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
    trace_id, parent_id = (int.from_bytes(part, "big") for part in (span.trace_id, span.parent_span_id))
    parent = SpanContext(trace_id, parent_id, is_remote, _SAMPLED, trace_state)
    return set_span_in_context(NonRecordingSpan(parent), Context())
