"""Spans say what a real gateway and a real vLLM would say, and nothing that only the simulation knows."""

from collections.abc import Iterable

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from loadtest.emission.identifiers import Identifiers
from loadtest.emission.spans import ERROR_TYPES, SpanWriter
from loadtest.fleet.request import Attempt, End, Request
from tests.factories.emissions import Emitted, emission_plan, finished, identity_of
from tests.factories.otlp_stub import attributes

PLAN = emission_plan()
IDENTIFIERS = Identifiers(PLAN)
WRITER = SpanWriter(PLAN, IDENTIFIERS)
ENGINE_KEYS = {
    *(f"gen_ai.latency.{part}" for part in ("time_to_first_token", "e2e", "time_in_queue")),
    *(f"gen_ai.latency.time_in_model_{part}" for part in ("prefill", "decode", "inference")),
    *("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
    *(f"gen_ai.request.{part}" for part in ("id", "max_tokens", "n", "temperature", "top_p")),
}
STATUSES = {
    End.CONTEXT_TOO_LONG: (400, "ContextWindowExceededError", 0),
    End.RATE_LIMITED: (429, "RateLimitError", 0),
    End.QUEUE_FULL: (429, "RateLimitError", 0),
    End.CLIENT_GONE: (499, "CancelledError", 0),
    End.ENGINE_ERROR: (500, "InternalServerError", 2),
    End.DEPENDENCY_FAILED: (500, "InternalServerError", 2),
    End.NO_CONNECTION: (502, "APIConnectionError", 2),
    End.REPLICA_LOST: (502, "APIConnectionError", 2),
    End.OVERLOADED: (503, "ServiceUnavailableError", 2),
    End.NO_REPLICA: (503, "ServiceUnavailableError", 2),
    End.TIMED_OUT: (504, "Timeout", 2),
}


def read(written: bytes) -> Span:
    span = Span()
    span.ParseFromString(written)
    return span


def gateway(request: Request) -> Span:
    return read(WRITER.gateway(request, IDENTIFIERS.of_request(request)))


def engine(request: Request, attempt: Request | Attempt | None = None) -> Span:
    ids = IDENTIFIERS.of_request(request)
    return read(WRITER.engine(request, attempt or request, ids, ids.engine_span_id))


def completed(emitted: Emitted) -> Iterable[Request]:
    return (request for request in emitted.requests if request.end is End.COMPLETED)


def test_a_completed_request_is_a_gateway_span_above_an_engine_span() -> None:
    above, below = gateway(finished(PLAN)), engine(finished(PLAN))
    assert (below.trace_id, below.parent_span_id) == (above.trace_id, above.span_id)
    assert above.start_time_unix_nano < below.start_time_unix_nano
    assert below.end_time_unix_nano < above.end_time_unix_nano
    assert (above.kind, below.kind) == (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_SERVER)
    assert (above.name, below.name) == (f"chat {PLAN.models[0].name}", "llm_request")
    assert not above.parent_span_id


def test_the_engine_tells_what_vllm_tells_and_no_status(quiet: Emitted) -> None:
    engines = [engine(request) for request in completed(quiet)]
    assert {key for span in engines for key in attributes(span)} == ENGINE_KEYS
    assert {(span.name, span.status.code, len(span.events)) for span in engines} == {("llm_request", 0, 0)}


def test_phases_add_up(eventful: Emitted) -> None:
    for request in completed(eventful):
        told = {key: value for key, value in attributes(engine(request)).items() if isinstance(value, float)}
        queue, prefill, decode = (
            told[f"gen_ai.latency.time_in_{p}"] for p in ("queue", "model_prefill", "model_decode")
        )
        assert min(queue, prefill, decode) >= 0
        assert queue + prefill == pytest.approx(told["gen_ai.latency.time_to_first_token"])
        assert queue + prefill + decode == pytest.approx(told["gen_ai.latency.e2e"])


def test_a_greedy_request_has_no_temperature_at_the_engine() -> None:
    greedy = finished(PLAN, temperature=0.0)
    assert attributes(gateway(greedy))["gen_ai.request.temperature"] == 0.0
    assert not {"gen_ai.request.temperature", "gen_ai.request.top_p"} & attributes(engine(greedy)).keys()
    warm = attributes(engine(finished(PLAN, temperature=0.7)))
    assert (warm["gen_ai.request.temperature"], warm["gen_ai.request.top_p"]) == (0.7, 0.95)


def test_without_a_limit_the_engine_tells_the_room_that_is_left() -> None:
    room = PLAN.models[0].context_window - 100
    told = [attributes(engine(finished(PLAN, max_tokens=asked))) for asked in (0, 50, 100_000)]
    assert [each["gen_ai.request.max_tokens"] for each in told] == [room, 50, room]
    assert "gen_ai.request.max_tokens" not in attributes(gateway(finished(PLAN, max_tokens=0)))


@pytest.mark.parametrize("end", STATUSES)
def test_each_failure_has_its_status_and_its_error(end: End) -> None:
    span = gateway(finished(PLAN, end=end, tokens=0.0))
    told = attributes(span)
    assert (told["http.response.status_code"], told["error.type"], span.status.code) == STATUSES[end]
    assert not {key for key in told if key.startswith(("gen_ai.usage.", "gen_ai.response."))}


def test_every_end_that_a_gateway_sees_has_an_error_but_completion() -> None:
    assert set(End) - {End.COMPLETED, End.NEVER_CONNECTED} == set(ERROR_TYPES)


@pytest.mark.parametrize("end", [End.TIMED_OUT, End.ENGINE_ERROR, End.REPLICA_LOST, End.NO_CONNECTION])
def test_a_failure_in_the_middle_of_a_stream_keeps_its_status_200(end: End) -> None:
    span = gateway(finished(PLAN, end=end))
    told = attributes(span)
    assert (told["http.response.status_code"], span.status.code) == (200, 2)
    assert told["error.type"] == ERROR_TYPES[end]
    assert told["gen_ai.response.time_to_first_chunk"] == 0.75
    whole = gateway(finished(PLAN, end=end, is_streamed=False))
    assert attributes(whole)["http.response.status_code"] == end.status


def test_an_answer_cut_at_its_limit_says_length() -> None:
    reasons = [
        attributes(gateway(finished(PLAN, is_cut=is_cut)))["gen_ai.response.finish_reasons"] for is_cut in (False, True)
    ]
    assert reasons == [["stop"], ["length"]]


def test_tokens_found_in_the_cache_are_told_even_when_there_are_none() -> None:
    told = [attributes(gateway(finished(PLAN, cached_tokens=cached))) for cached in (0, 64)]
    assert [each["gen_ai.usage.cache_read.input_tokens"] for each in told] == [0, 64]


def test_turns_of_a_session_carry_one_conversation() -> None:
    key = "gen_ai.conversation.id"
    first, second, other = (attributes(gateway(finished(PLAN, n, session=s)))[key] for n, s in ((1, 4), (2, 4), (3, 5)))
    assert first == second != other
    assert key not in attributes(gateway(finished(PLAN)))


def test_a_repetition_of_the_client_is_counted_and_a_first_try_is_not() -> None:
    key = "http.request.resend_count"
    assert attributes(gateway(finished(PLAN, client_attempt=2)))[key] == 2
    assert key not in attributes(gateway(finished(PLAN)))


def test_a_wrong_clock_shifts_the_engine_and_not_the_gateway() -> None:
    skew_ns = -1_500_000_000
    right, wrong = finished(PLAN), finished(PLAN, skew_ns=skew_ns)
    assert gateway(right) == gateway(wrong)
    for edge in ("start_time_unix_nano", "end_time_unix_nano"):
        assert getattr(engine(wrong), edge) == getattr(engine(right), edge) + skew_ns
    assert attributes(engine(wrong)) == attributes(engine(right))


def test_an_attempt_without_a_token_tells_no_time_of_one() -> None:
    failed = Attempt(identity_of(PLAN), End.ENGINE_ERROR, 10.0, 10.5, -1.0, 12.0, 0.0, 0, 0)
    told = attributes(engine(finished(PLAN), failed))
    latencies = {key.rpartition(".")[2]: value for key, value in told.items() if key.startswith("gen_ai.latency.")}
    assert latencies == {"e2e": 2.0, "time_in_queue": 0.5, "time_in_model_inference": 1.5}
    assert told["gen_ai.usage.completion_tokens"] == 0


def test_a_trace_state_is_on_both_spans() -> None:
    ids = IDENTIFIERS.of_request(finished(PLAN))._replace(trace_state=b"\x1a\x07ot=th:8")
    request = finished(PLAN)
    spans = WRITER.gateway(request, ids), WRITER.engine(request, request, ids, ids.engine_span_id)
    assert [Span.FromString(span).trace_state for span in spans] == ["ot=th:8"] * 2
