"""Spans say what a real gateway and a real vLLM would say, and nothing that only the simulation knows."""

from collections import defaultdict

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from loadtest.fleet.demo_plan import demo_fault
from loadtest.fleet.plan import Fault
from loadtest.fleet.request import End, Request
from loadtest.fleet.spans import ERROR_TYPES, SpanWriter, ended_at_limit
from tests.factories.fleets import fleet_plan, run_fleet
from tests.factories.otlp_stub import attributes

PLAN = fleet_plan(requests_per_day=60_000)
WRITER = SpanWriter(PLAN)
ENGINE_KEYS = {
    *(f"gen_ai.latency.{part}" for part in ("time_to_first_token", "e2e", "time_in_queue")),
    *(f"gen_ai.latency.time_in_model_{part}" for part in ("prefill", "decode", "inference")),
    *("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
    *(f"gen_ai.request.{part}" for part in ("id", "max_tokens", "n", "temperature", "top_p")),
}


def ended(fault: Fault | None = None) -> list[Request]:
    return run_fleet(PLAN, 16, fault)[1]


@pytest.fixture(scope="module")
def quiet() -> list[Request]:
    return ended()


def pair(request: Request) -> tuple[Span, Span | None]:
    ids = WRITER.ids(request)
    engine = WRITER.engine(request, ids)
    return Span.FromString(WRITER.gateway(request, ids)), Span.FromString(engine) if engine else None


def first(requests: list[Request], end: End) -> Request:
    return next(request for request in requests if request.end is end)


def test_a_completed_request_is_a_gateway_span_above_an_engine_span(quiet: list[Request]) -> None:
    gateway, engine = pair(first(quiet, End.COMPLETED))
    assert engine is not None
    assert (engine.trace_id, engine.parent_span_id) == (gateway.trace_id, gateway.span_id)
    assert gateway.start_time_unix_nano < engine.start_time_unix_nano
    assert engine.end_time_unix_nano < gateway.end_time_unix_nano
    assert (gateway.kind, engine.kind) == (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_SERVER)
    assert not gateway.parent_span_id


def test_the_engine_tells_what_vllm_tells_and_no_status(quiet: list[Request]) -> None:
    engines = [span for request in quiet[:500] if (span := pair(request)[1])]
    assert {key for span in engines for key in attributes(span)} == ENGINE_KEYS
    assert {(span.name, span.status.code, len(span.events)) for span in engines} == {("llm_request", 0, 0)}


def test_phases_add_up(quiet: list[Request]) -> None:
    for request in quiet[:500]:
        engine = pair(request)[1]
        if engine is None:
            continue
        told = {key: value for key, value in attributes(engine).items() if isinstance(value, float)}
        queue, prefill, decode = (
            told[f"gen_ai.latency.time_in_{p}"] for p in ("queue", "model_prefill", "model_decode")
        )
        assert min(queue, prefill, decode) >= 0
        assert queue + prefill == pytest.approx(told["gen_ai.latency.time_to_first_token"])
        assert queue + prefill + decode == pytest.approx(told["gen_ai.latency.e2e"])


def test_a_greedy_request_has_no_temperature_at_the_engine(quiet: list[Request]) -> None:
    greedy = next(r for r in quiet if r.end is End.COMPLETED and r.temperature == 0.0)
    gateway, engine = pair(greedy)
    assert engine is not None
    assert attributes(gateway)["gen_ai.request.temperature"] == 0.0
    assert not {"gen_ai.request.temperature", "gen_ai.request.top_p"} & attributes(engine).keys()


@pytest.mark.parametrize("end", [End.RATE_LIMITED, End.CLIENT_GONE, End.CONTEXT_TOO_LONG])
def test_what_the_engine_did_not_finish_has_no_engine_span(quiet: list[Request], end: End) -> None:
    gateway, engine = pair(first(quiet, end))
    told = attributes(gateway)
    assert engine is None
    assert (told["http.response.status_code"], told["error.type"]) == (end.value, ERROR_TYPES[end])


def test_a_time_out_in_the_middle_of_a_stream_keeps_its_status_200(quiet: list[Request]) -> None:
    late = [request for request in quiet if request.end is End.TIMED_OUT]
    statuses = {
        is_streaming: {
            attributes(pair(r)[0])["http.response.status_code"]
            for r in late
            if (r.is_streamed and r.tokens > 0) is is_streaming
        }
        for is_streaming in (True, False)
    }
    assert statuses == {True: {200}, False: {504}}
    assert pair(late[0])[0].status.code == 2
    assert pair(late[0])[1] is None


def test_an_engine_error_has_an_engine_span_without_a_status(quiet: list[Request]) -> None:
    gateway, engine = pair(next(r for r in quiet if r.end is End.ENGINE_ERROR and not r.is_streamed))
    assert engine is not None
    assert attributes(gateway)["http.response.status_code"] == 500
    assert (gateway.status.code, engine.status.code) == (2, 0)


def test_an_answer_cut_at_its_limit_says_length(quiet: list[Request]) -> None:
    cut = next(request for request in quiet if request.end is End.COMPLETED and ended_at_limit(request))
    assert attributes(pair(cut)[0])["gen_ai.response.finish_reasons"] == ["length"]


def test_a_fault_adds_no_key_and_no_name() -> None:
    def vocabulary(requests: list[Request]) -> dict[str, set[str]]:
        keys: dict[str, set[str]] = defaultdict(set)
        for span in (span for request in requests for span in pair(request) if span is not None):
            keys[span.name] |= attributes(span).keys()
        return keys

    assert vocabulary(ended(demo_fault(3600.0))) == vocabulary(ended())


def test_ids_differ_and_are_those_of_the_seed(quiet: list[Request]) -> None:
    writer, again = SpanWriter(PLAN), SpanWriter(PLAN)
    assert len({writer.ids(request).trace_id for request in quiet}) == len(quiet)
    assert writer.ids(quiet[0]) == again.ids(quiet[0])
    assert writer.ids(quiet[0]) != SpanWriter(fleet_plan(seed=2)).ids(quiet[0])
