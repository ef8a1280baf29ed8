"""Bodies: whole requests in history, one process each in live traffic, nothing lost between but what shall be."""

from collections import Counter

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from loadtest.emission.outbox import Body, Outbox, joined
from loadtest.fleet.notes import TelemetryState
from loadtest.fleet.request import Attempt, Call, End, Request
from tests.factories.emissions import (
    Emitted,
    emission_plan,
    emit,
    every_happening,
    finished,
    identity_of,
    metrics_in,
    points_of,
    spans_in,
    vocabulary,
)
from tests.factories.otlp_stub import attributes, spans_of

PLAN = emission_plan()
HEALTHY = TelemetryState()


def filled(requests: list[Request], telemetry: TelemetryState = HEALTHY) -> Outbox:
    outbox = Outbox(PLAN, telemetry)
    for request in requests:
        outbox.add(request)
    return outbox


def spans_by_name(requests: list[Request], telemetry: TelemetryState = HEALTHY) -> Counter[str]:
    return Counter(span.name.split()[0] for span in spans_in([filled(requests, telemetry).take(0.0)]))


def test_history_bodies_hold_all_spans_of_each_request(quiet: Emitted) -> None:
    body = filled(quiet.requests).take(7200.0)
    spans = spans_of(ExportTraceServiceRequest.FromString(body.payload))
    assert (body.requests, body.spans, body.until_s) == (len(quiet.requests), len(spans), 7200.0)
    known = {span.span_id for span in spans}
    assert len(known) == len(spans)
    assert all(span.parent_span_id in known for span in spans if span.parent_span_id)
    assert len(spans) / len(quiet.requests) <= 2.6 + 0.1 * len(PLAN.dependencies)


def test_live_bodies_come_from_one_process_each_and_hold_the_same_spans(quiet: Emitted) -> None:
    together = ExportTraceServiceRequest.FromString(filled(quiet.requests).take(0.0).payload)
    bodies = filled(quiet.requests).take_by_source(0.0)
    apart = [ExportTraceServiceRequest.FromString(body.payload) for body in bodies]
    assert all(len(request.resource_spans) == 1 for request in apart)
    assert [request.resource_spans[0] for request in apart] == list(together.resource_spans)
    assert sum(body.requests for body in bodies) == len(quiet.requests)


def test_scopes_are_those_of_the_emitters(quiet: Emitted) -> None:
    request = ExportTraceServiceRequest.FromString(filled(quiet.requests).take(0.0).payload)
    assert {resource.scope_spans[0].scope.name for resource in request.resource_spans} == {
        "litellm",
        "vllm.tracing.otel",
    }


def test_what_was_taken_is_not_taken_again(quiet: Emitted) -> None:
    outbox = filled(quiet.requests)
    assert outbox.held == outbox.take(0.0).spans
    assert (outbox.held, outbox.take(0.0).spans, outbox.take_by_source(0.0)) == (0, 0, [])


def test_bodies_of_one_signal_become_one() -> None:
    bodies = [Body(b"a", 1, 1, 5.0), Body(b"b", 2, 0, 9.0)]
    assert joined(bodies) == Body(b"ab", 3, 1, 9.0)
    assert joined([]) is None


def test_who_never_connected_leaves_no_trace() -> None:
    outbox = filled([finished(PLAN, end=End.NEVER_CONNECTED)])
    assert (outbox.held, outbox.lost) == (0, 0)


@pytest.mark.parametrize("end", [end for end in End if end is not End.NEVER_CONNECTED])
def test_only_what_the_engine_finished_itself_has_an_engine_span(end: End) -> None:
    spans = spans_by_name([finished(PLAN, end=end)])
    assert spans["chat"] == 1
    assert spans["llm_request"] == (end in {End.COMPLETED, End.ENGINE_ERROR})


def test_earlier_attempts_that_engines_finished_are_siblings_in_their_own_processes() -> None:
    first = identity_of(PLAN, place=1, incarnation=2)
    attempts = [Attempt(first, end, 10.0, 10.5, 11.0, 12.0, 3.0, 0, 0) for end in (End.ENGINE_ERROR, End.REPLICA_LOST)]
    bodies = filled([finished(PLAN, earlier=attempts)]).take_by_source(0.0)
    resources = [ExportTraceServiceRequest.FromString(body.payload).resource_spans[0].resource for body in bodies]
    assert len({resource.SerializeToString() for resource in resources}) == len(bodies) == 3
    gateway, *engines = spans_in(bodies)
    assert [span.parent_span_id for span in engines] == [gateway.span_id] * 2
    assert len({span.span_id for span in engines}) == 2
    assert len({str(attributes(span)["gen_ai.request.id"]) for span in engines}) == 1


def test_calls_of_dependencies_are_spans_of_the_gateway_process() -> None:
    calls = [Call(0, 10.0, 10.01, is_ok=True), Call(1, 10.01, 10.05, is_ok=True), Call(2, 10.1, 10.2, is_ok=False)]
    bodies = filled([finished(PLAN, gateway=1, calls=calls)]).take_by_source(0.0)
    assert [body.spans for body in bodies] == [4, 1]
    assert bodies[0].requests == 1


@pytest.mark.parametrize(
    ("telemetry", "kept"),
    [
        (TelemetryState(engine_loss=1.0), {"chat": 300, "GET": 300}),
        (TelemetryState(gateway_loss=1.0), {"llm_request": 300}),
        (TelemetryState(sample_share=0.0), {}),
    ],
)
def test_lost_and_unsampled_spans_are_counted(telemetry: TelemetryState, kept: dict[str, int]) -> None:
    calls = [Call(0, 10.0, 10.01, is_ok=True)]
    requests = [finished(PLAN, number, calls=calls) for number in range(300)]
    outbox = filled(requests, telemetry)
    assert spans_by_name(requests, telemetry) == kept
    assert outbox.lost + 3 * outbox.unsampled + outbox.held == 900


def test_a_part_of_the_spans_is_lost_and_always_the_same_part() -> None:
    requests = [finished(PLAN, number) for number in range(2_000)]
    telemetry = TelemetryState(engine_loss=0.3)
    once, again = (filled(requests, telemetry) for _ in range(2))
    assert once.lost == again.lost == pytest.approx(600, abs=80)
    assert once.take(0.0) == again.take(0.0)


def test_sampled_traces_are_whole_and_carry_their_threshold() -> None:
    requests = [finished(PLAN, number) for number in range(1_000)]
    outbox = filled(requests, TelemetryState(sample_share=0.5))
    spans = spans_in([outbox.take(0.0)])
    assert outbox.unsampled == pytest.approx(500, abs=60)
    assert {span.trace_state for span in spans} == {"ot=th:8"}
    assert set(Counter(span.trace_id for span in spans).values()) == {2}
    assert {span.trace_state for span in spans_in([filled(requests).take(0.0)])} == {""}


def test_the_same_seed_gives_the_same_bytes_however_far_one_runs_at_a_time() -> None:
    def telling(seed: int, slice_s: float) -> tuple[list[bytes], list[bytes]]:
        plan = emission_plan(seed)
        emitted = emit(plan, 1.0, every_happening(plan), slice_s=slice_s)
        points = [
            repr((sorted(resource.items()), metric.name, point)).encode()
            for resource, metric in metrics_in(emitted.metrics)
            for point in points_of(metric)
        ]
        return sorted(span.SerializeToString() for span in spans_in(emitted.traces)), sorted(points)

    once = telling(1, 600.0)
    assert telling(1, 47.0) == once
    assert telling(2, 600.0) != once


def test_the_same_seed_gives_the_same_bodies(eventful: Emitted) -> None:
    again = emit(PLAN, 2.0, every_happening(PLAN))
    assert (again.traces, again.metrics) == (eventful.traces, eventful.metrics)


def test_happenings_add_no_key_and_no_name(quiet: Emitted, eventful: Emitted) -> None:
    def words(emitted: Emitted) -> dict[str, set[str]]:
        told = vocabulary(emitted)
        calls = {"span GET", "span search documents", "span receive batch-requests"}
        for name in calls:  # a call that fails says so with the key that gateways use all the time
            told[name] -= {"error.type"}
        return told

    assert words(eventful) == words(quiet)


def test_no_word_of_a_timeline_is_emitted(eventful: Emitted) -> None:
    words = b" ".join(body.payload for body in [*eventful.traces, *eventful.metrics]).lower()
    secrets = [b"canary", b"happening", b"exposure", b"fault", b"runaway", b"drift", b"leak", b"evict", b"shrink"]
    assert [secret for secret in secrets if secret in words] == []
