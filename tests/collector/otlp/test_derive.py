"""Fields that follow from others."""

from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.factories.otlp import attributes, request, row, rows, sources, span

CLIENT = 3
CHAT = {"gen_ai.operation.name": "chat"}


def test_time_to_first_token_is_queue_and_prefill_where_nobody_says_it() -> None:
    found = row(span(attributes={"gen_ai.latency.time_in_queue": 0.5, "gen_ai.latency.time_in_model_prefill": 0.25}))
    assert found["server_ttft_s"] == 0.75
    assert sources(found)["server_ttft_s"] == "queue_s + prefill_s"


def test_cached_tokens_above_the_input_are_not_believed() -> None:
    facts = {"gen_ai.usage.input_tokens": 5, "gen_ai.usage.cached_tokens": 6}
    found = row(span(attributes=facts))
    assert (found["cached_tokens"], found["input_tokens"], found["quality"]) == (None, 5, "cached_exceeds_input")
    assert row(span(attributes={**facts, "gen_ai.usage.cached_tokens": 5}))["cached_tokens"] == 5


def test_only_a_caller_by_the_conventions_is_taken_at_its_silence() -> None:
    assert row(span(kind=CLIENT, attributes=CHAT))["stream"] is False
    assert row(span(kind=1, attributes=CHAT))["stream"] is None
    assert row(span(kind=CLIENT, attributes={**CHAT, "gen_ai.request.stream": True}))["stream"] is True
    assert row(span(kind=CLIENT, attributes={"http.method": "POST"}))["stream"] is None


def test_errors_are_told_apart_per_span() -> None:
    found = rows(
        request(
            span(1, attributes={"error.type": "429"}),
            span(2),
            span(3, status=Status(code=Status.STATUS_CODE_ERROR)),
            span(4, attributes={"http.status_code": 504}),
            span(5, attributes={"http.status_code": 200}),
        )
    )
    assert [one["error_type"] for one in found] == ["rate_limited", "", "unknown", "timeout", ""]
    assert [sources(one).get("error_type") for one in found] == [
        "error.type",
        None,
        "status.message",
        "http_status",
        None,
    ]


HANDLED = Span.Event(name="exception", attributes=attributes({"exception.type": "openai.RateLimitError"}))


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({}, id="nothing else"),
        pytest.param({"attributes": {"http.response.status_code": 200}}, id="http 200"),
        pytest.param({"status": Status(code=Status.STATUS_CODE_OK)}, id="status ok"),
    ],
)
def test_a_handled_exception_is_no_failure(facts: dict[str, Any]) -> None:
    found = row(span(events=[HANDLED], **facts))
    assert found["error_type"] == ""
    assert "error_type" not in sources(found)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({"status": Status(code=Status.STATUS_CODE_ERROR)}, id="status error"),
        pytest.param({"attributes": {"error.type": "_OTHER"}}, id="error.type"),
    ],
)
def test_of_a_failed_span_the_exception_tells_the_class(facts: dict[str, Any]) -> None:
    found = row(span(events=[HANDLED], **facts))
    assert (found["error_type"], sources(found)["error_type"]) == ("rate_limited", "exception.type")


def test_a_handled_exception_tells_no_context_window() -> None:
    said = "This model's maximum context length is 4096 tokens"
    event = Span.Event(name="exception", attributes=attributes({"exception.message": said}))
    assert row(span(events=[event]))["context_window"] is None


def test_an_engine_names_its_framework() -> None:
    found = row(span(name="llm_request"), scope="vllm.tracing.otel", resource={"service.version": "0.33.0"})
    assert (found["framework"], found["framework_version"]) == ("vllm", "0.33.0")
    assert row(span(attributes=CHAT), resource={"service.version": "9"})["framework_version"] == ""
