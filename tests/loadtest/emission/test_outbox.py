"""Bodies: whole requests in history, one process each in live traffic, nothing lost between but what shall be."""

import re
from collections import Counter, defaultdict
from functools import reduce
from operator import or_
from typing import get_args

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from loadtest.emission.outbox import Body, Outbox, joined
from loadtest.emission.spans import ERROR_TYPES
from loadtest.fleet.notes import TelemetryState
from loadtest.fleet.request import Attempt, Call, End, Request
from loadtest.fleet.timeline import Sample, Timeline
from tests.factories.emissions import (
    FRESH,
    SILENT,
    SPREAD_CARDS,
    Emitted,
    emission_plan,
    emit,
    every_happening,
    finished,
    identity_of,
    metrics_in,
    points_of,
    resources,
    spans_in,
    texts,
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
        for name in ("GET", "search documents", "receive batch-requests"):
            told[f"span {name}"] -= {"error.type"}  # a call that fails says so with the key that gateways use anyway
            told[f"fields of {name}"] -= {"status.code"}
        return {name: found - {"trace_state"} for name, found in told.items()}

    assert words(eventful) == words(quiet)


def test_only_a_sampled_trace_has_a_state_and_it_tells_the_threshold_alone(eventful: Emitted) -> None:
    states = [(span.end_time_unix_nano, span.trace_state) for span in spans_in(eventful.traces)]
    assert {state for _, state in states} == {"", "ot=th:8"}
    sampled_s = next(one.at_s for one in every_happening(PLAN) if isinstance(one, Sample))
    assert min(end_ns for end_ns, state in states if state) > PLAN.origin_ns + (sampled_s - 5) * 1e9


def test_happenings_add_no_text_but_how_requests_fail(quiet: Emitted, eventful: Emitted) -> None:
    known = texts(quiet)
    new = {key: found - known[key] for key, found in texts(eventful).items()}
    failures = {*ERROR_TYPES.values(), "TimeoutError", "ConnectionError"}
    assert new.pop("error.type") <= failures
    assert {key: found for key, found in new.items() if found} == {}


def test_resources_tell_what_they_tell_of_a_quiet_run_or_a_version_that_was_reported(
    quiet: Emitted, eventful: Emitted
) -> None:
    known: dict[str, set[str]] = defaultdict(set)
    for resource in resources(quiet):
        for key, value in resource.items():
            known[key].add(str(value))
    names = "|".join(model.name for model in PLAN.models)
    patterns = {
        "service.instance.id": r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
        "k8s.pod.name": f"({names}|{PLAN.service}-gateway)-[0-9a-f]{{8}}",
        "k8s.node.name": r"gpu-node-\d\d",
        "host.name": r"gpu-node-\d\d",
        "rack.id": r"rack-\d",
        "vllm.process_id": r"\d\d?",
        "service.version": re.escape(FRESH.engine_version),
        "model.revision": re.escape(FRESH.revision),
        "model.quantization": re.escape(FRESH.quantization),
        "model.tensor_parallel_size": str(SPREAD_CARDS),
    }
    told = {(key, str(value)) for resource in resources(eventful) for key, value in resource.items()}
    new = [(key, value) for key, value in told if value not in known[key]]
    assert [one for one in new if not re.fullmatch(patterns.get(one[0], ""), one[1])] == []
    assert {key for key, _ in new} == patterns.keys()


def test_a_version_that_nobody_reports_is_told_nowhere(eventful: Emitted) -> None:
    assert SILENT in {replica.version for pool in eventful.simulation.pools for replica in pool.replicas}
    words = b" ".join(body.payload for body in [*eventful.traces, *eventful.metrics])
    told = [text for text in (SILENT.revision, SILENT.quantization, SILENT.engine_version) if text.encode() in words]
    assert told == []


def test_every_kind_of_happening_is_looked_at(eventful: Emitted) -> None:
    timeline = every_happening(PLAN)
    assert {type(one) for one in timeline} == set(get_args(get_args(Timeline)[0]))
    touched = reduce(or_, (request.exposure for request in eventful.requests))
    assert [one for bit, one in enumerate(timeline) if not touched >> bit & 1] == []


def test_spans_of_a_restarted_gateway_come_from_another_process() -> None:
    requests = [finished(PLAN, number, gateway_incarnation=number % 2) for number in range(6)]
    bodies = filled(requests).take_by_source(0.0)
    assert [(body.requests, body.spans) for body in bodies] == [(3, 3), (3, 3), (0, 6)]
    parsed = [ExportTraceServiceRequest.FromString(body.payload).resource_spans[0] for body in bodies]
    before, after, _ = (attributes(one.resource) for one in parsed)
    assert {key for key in before if before[key] != after[key]} == {"service.instance.id"}


def test_spans_and_metrics_of_a_gateway_name_the_same_instances(eventful: Emitted) -> None:
    traces, metrics = (
        {
            str(one["service.instance.id"])
            for one in resources(part)
            if str(one.get("k8s.pod.name")).startswith(f"{PLAN.service}-gateway")
        }
        for part in (eventful._replace(metrics=[]), eventful._replace(traces=[]))
    )
    assert traces == metrics
    assert len(traces) == PLAN.gateway.count + 1


def test_no_word_of_a_timeline_is_emitted(eventful: Emitted) -> None:
    words = b" ".join(body.payload for body in [*eventful.traces, *eventful.metrics]).lower()
    secrets = [b"canary", b"happening", b"exposure", b"fault", b"runaway", b"drift", b"leak", b"evict", b"shrink"]
    assert [secret for secret in secrets if secret in words] == []
