"""History's bytes are what the real SDK emits: every field of every span, whatever happened to the request."""

from collections import Counter
from collections.abc import Iterable
from itertools import product

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from loadtest.emission.outbox import Body, Outbox
from loadtest.emission.replay import Process
from loadtest.fleet.notes import TelemetryState
from loadtest.fleet.request import Attempt, Call, End, Request
from tests.factories.emissions import Emitted, emission_plan, finished, identity_of, spans_in

PLAN = emission_plan()


def through_the_sdk(body: Body) -> ExportTraceServiceRequest:
    """What the SDK's own encoder makes of the spans of one process, after the SDK has made them."""
    written = ExportTraceServiceRequest.FromString(body.payload).resource_spans[0]
    exporter = InMemorySpanExporter()
    process = Process(written.resource, SimpleSpanProcessor(exporter))
    for scope_spans in written.scope_spans:
        for span in scope_spans.spans:
            process.replay(scope_spans.scope, span)
    process.provider.shutdown()
    return encode_spans(exporter.get_finished_spans())


def assert_same(bodies: Iterable[Body]) -> None:
    """Messages are equal, fields that are unset included; the SDK adds none and leaves out none."""
    for body in bodies:
        assert through_the_sdk(body) == ExportTraceServiceRequest.FromString(body.payload)


def variants() -> Iterable[Request]:
    """Every end x streamed x begun or not x session x calls x retries x clock."""
    for number, (end, is_streamed, tokens, session, has_more, skew_ns) in enumerate(
        product(End, (False, True), (0.0, 80.0), (-1, 7), (False, True), (0, -1_500_000_001)), start=1
    ):
        request = finished(
            PLAN,
            number,
            end=end,
            is_streamed=is_streamed,
            tokens=tokens,
            session=session,
            skew_ns=skew_ns,
            temperature=0.7 * (number % 3),
            max_tokens=256 * (number % 2),
            is_cut=number % 5 == 0,
            cached_tokens=number % 7,
            gateway=number % 2,
        )
        if has_more:
            request.client_attempt = 1 + number % 2
            request.calls = [Call(kind, 10.0, 10.0 + kind, is_ok=kind != number % 4) for kind in range(3)]
            identity = identity_of(PLAN, place=number % 3, incarnation=1, cards=2)
            first_s = -1.0 if number % 3 else 10.7
            request.earlier = [Attempt(identity, End.ENGINE_ERROR, 10.0, 10.5, first_s, 12.0, 3.0, 0, skew_ns)]
        yield request


@pytest.mark.parametrize("share", [1.0, 0.5, 0.123])
def test_the_sdk_writes_the_same_for_every_kind_of_request(share: float) -> None:
    outbox = Outbox(PLAN, TelemetryState(sample_share=share))
    for request in variants():
        outbox.add(request)
    bodies = outbox.take_by_source(0.0)
    assert sum(body.spans for body in bodies) > 700 * share
    assert_same(bodies)


def test_the_sdk_writes_the_same_for_a_run_in_which_everything_happens(eventful: Emitted) -> None:
    spans = spans_in(eventful.traces)
    assert {span.name.split()[0] for span in spans} == {"chat", "llm_request", "GET", "search", "receive"}
    assert len(Counter(request.end for request in eventful.requests)) >= 9
    assert {bool(span.trace_state) for span in spans} == {False, True}
    assert_same(eventful.traces)


def test_the_sdk_writes_the_same_for_a_quiet_run(quiet: Emitted) -> None:
    assert_same(quiet.traces[:20])


def test_remote_parents_local_parents_and_roots_are_told_apart(eventful: Emitted) -> None:
    flags: dict[str, set[int]] = {}
    for span in spans_in(eventful.traces):
        flags.setdefault(span.name.split()[0], set()).add(span.flags)
    assert flags == {"chat": {0x100}, "llm_request": {0x300}, "GET": {0x100}, "search": {0x100}, "receive": {0x100}}


def test_a_span_that_says_otherwise_is_not_the_same() -> None:
    outbox = Outbox(PLAN, TelemetryState())
    outbox.add(finished(PLAN, end=End.RATE_LIMITED))
    body = outbox.take(0.0)
    changed = ExportTraceServiceRequest.FromString(body.payload)
    changed.resource_spans[0].scope_spans[0].spans[0].kind = Span.SPAN_KIND_CLIENT
    assert through_the_sdk(body) != changed
