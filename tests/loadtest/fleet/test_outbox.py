"""Bodies: whole requests in history, one process each in live traffic, nothing lost between."""

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from loadtest.fleet.outbox import Outbox
from loadtest.fleet.request import Request
from tests.factories.fleets import fleet_plan, run_fleet
from tests.factories.otlp_stub import spans_of

PLAN = fleet_plan()


@pytest.fixture(scope="module")
def ended() -> list[Request]:
    return run_fleet(PLAN, 2)[1]


def filled(ended: list[Request]) -> Outbox:
    outbox = Outbox(PLAN)
    for request in ended:
        outbox.add(request)
    return outbox


def test_history_bodies_hold_gateway_and_engine_spans_of_each_request(ended: list[Request]) -> None:
    body = filled(ended).take(7200.0)
    spans = spans_of(ExportTraceServiceRequest.FromString(body.payload))
    assert (body.requests, body.spans, body.until_s) == (len(ended), len(spans), 7200.0)
    known = {span.span_id for span in spans}
    assert all(span.parent_span_id in known for span in spans if span.parent_span_id)


def test_live_bodies_come_from_one_process_each_and_hold_the_same_spans(ended: list[Request]) -> None:
    together = ExportTraceServiceRequest.FromString(filled(ended).take(0.0).payload)
    apart = [ExportTraceServiceRequest.FromString(b.payload) for b in filled(ended).take_by_source(0.0)]
    assert all(len(request.resource_spans) == 1 for request in apart)
    assert [request.resource_spans[0] for request in apart] == list(together.resource_spans)


def test_scopes_are_those_of_the_emitters(ended: list[Request]) -> None:
    request = ExportTraceServiceRequest.FromString(filled(ended).take(0.0).payload)
    assert {resource.scope_spans[0].scope.name for resource in request.resource_spans} == {
        "litellm",
        "vllm.tracing.otel",
    }


def test_what_was_taken_is_not_taken_again(ended: list[Request]) -> None:
    outbox = filled(ended)
    assert outbox.held == outbox.take(0.0).spans
    assert (outbox.held, outbox.take(0.0).spans, outbox.take_by_source(0.0)) == (0, 0, [])
