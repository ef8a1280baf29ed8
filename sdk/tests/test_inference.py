import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from opentelemetry import trace
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import TracerProvider

from peakline import Inference, Role, configure, inference_span
from sdk.tests.receiver import Receiver, plain


@pytest.fixture
def provider(receiver: Receiver) -> Iterator[TracerProvider]:
    provider = configure("chat", endpoint=receiver.endpoint, delay_ms=60_000)
    yield provider
    provider.shutdown()


def sent(provider: TracerProvider, receiver: Receiver) -> tuple[Span, dict[str, object]]:
    provider.force_flush()
    (span,) = receiver.spans
    return span, plain(span.attributes)


def test_a_request_is_a_span_with_the_current_genai_names(provider: TracerProvider, receiver: Receiver) -> None:
    with inference_span(
        *("chat", "llama"), request_id="r-1", tenant="t", service_tier="core", temperature=0.2, top_k=40, stream=True
    ) as inference:
        inference.first_token()
        inference.first_token()
        inference.phases(queue_s=0.01, prefill_s=0.2)
        inference.answered(model="llama-3", input_tokens=812, output_tokens=97, finish_reason="stop")
    span, attributes = sent(provider, receiver)
    assert (span.name, span.kind, span.status.code) == ("chat llama", Span.SPAN_KIND_SERVER, Status.STATUS_CODE_UNSET)
    ttft_s = attributes.pop("gen_ai.latency.time_to_first_token")
    assert isinstance(ttft_s, float)
    assert 0 < ttft_s < (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9 + 0.001
    assert attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "llama",
        "peakline.hop_role": "engine",
        "gen_ai.request.id": "r-1",
        "tenant.id": "t",
        "peakline.service_tier": "core",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.top_k": 40,
        "gen_ai.request.stream": True,
        "gen_ai.latency.time_in_queue": 0.01,
        "gen_ai.latency.time_in_model_prefill": 0.2,
        "gen_ai.response.model": "llama-3",
        "gen_ai.usage.input_tokens": 812,
        "gen_ai.usage.output_tokens": 97,
        "gen_ai.response.finish_reasons": ["stop"],
    }


@pytest.mark.parametrize(
    ("error", "error_type"),
    [
        (asyncio.CancelledError(), "cancelled"),
        (GeneratorExit(), "cancelled"),
        (TimeoutError("your prompt was: secret"), "timeout"),
        (ValueError("your prompt was: secret"), "ValueError"),
    ],
)
def test_an_exception_goes_on_and_leaves_only_its_class(
    provider: TracerProvider, receiver: Receiver, error: BaseException, error_type: str
) -> None:
    with pytest.raises(type(error)), inference_span("chat", "llama"):
        raise error
    span, attributes = sent(provider, receiver)
    assert attributes["error.type"] == error_type
    assert span.status.code == Status.STATUS_CODE_ERROR
    assert b"secret" not in span.SerializeToString()


@pytest.mark.parametrize(
    ("verdict", "error_type"),
    [
        (Inference.rejected, "rate_limited"),
        (Inference.timed_out, "timeout"),
        (Inference.aborted, "cancelled"),
        (Inference.failed, "engine_error"),
    ],
)
def test_an_outcome_can_be_stated(
    provider: TracerProvider, receiver: Receiver, verdict: Callable[[Inference], None], error_type: str
) -> None:
    with inference_span("chat", "llama") as inference:
        verdict(inference)
    span, attributes = sent(provider, receiver)
    assert attributes["error.type"] == error_type
    assert "http.response.status_code" not in attributes
    assert span.status.code == Status.STATUS_CODE_ERROR


def test_no_capacity_is_not_a_limit(provider: TracerProvider, receiver: Receiver) -> None:
    with inference_span("chat", "llama") as inference:
        inference.rejected(503)
    _, attributes = sent(provider, receiver)
    assert (attributes["error.type"], attributes["http.response.status_code"]) == ("overloaded", 503)


def test_a_stated_outcome_outweighs_the_exception_that_carries_it(provider: TracerProvider, receiver: Receiver) -> None:
    with suppress(RuntimeError), inference_span("chat", "llama") as inference:
        inference.rejected(429)
        raise RuntimeError
    _, attributes = sent(provider, receiver)
    assert attributes["error.type"] == "rate_limited"


def test_an_incoming_traceparent_is_the_parent(provider: TracerProvider, receiver: Receiver) -> None:
    trace_id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with inference_span("chat", "llama", headers={"traceparent": f"00-{trace_id}-{parent}-01"}):
        pass
    span, _ = sent(provider, receiver)
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (trace_id, parent)


def test_spans_made_inside_become_children(provider: TracerProvider, receiver: Receiver) -> None:
    with inference_span("chat", "llama"), trace.get_tracer("engine").start_as_current_span("step"):
        pass
    provider.force_flush()
    step, request = sorted(receiver.spans, key=lambda span: span.name, reverse=True)
    assert step.parent_span_id == request.span_id


def test_a_gateway_measures_the_first_chunk_and_a_client_is_a_client(receiver: Receiver) -> None:
    provider = configure("chat", endpoint=receiver.endpoint, role=Role.CLIENT)
    with inference_span("chat", "llama") as inference:
        inference.first_token()
    span, attributes = sent(provider, receiver)
    provider.shutdown()
    assert span.kind == Span.SPAN_KIND_CLIENT
    assert attributes["peakline.hop_role"] == "client"
    assert "gen_ai.response.time_to_first_chunk" in attributes


def test_without_configure_it_records_nothing_and_works() -> None:
    with inference_span("chat", "llama") as inference:
        inference.first_token()
        inference.answered(output_tokens=1)


def test_nonsense_never_reaches_the_request(provider: TracerProvider, receiver: Receiver) -> None:
    with inference_span("chat", None, headers={"traceparent": "nonsense"}, temperature=object(), hue=1) as inference:  # type: ignore[arg-type, call-arg]  # that is the point
        inference.answered(input_tokens=object(), finish_reason=object())  # type: ignore[arg-type]  # as above
        inference.failed(None)  # type: ignore[arg-type]  # as above
    span, attributes = sent(provider, receiver)
    assert span.name == "chat None"
    assert not {"gen_ai.request.temperature", "gen_ai.usage.input_tokens", "error.type"} & attributes.keys()
    assert "gen_ai.response.finish_reasons" not in attributes


def test_coroutines_do_not_mix_up_their_requests(provider: TracerProvider, receiver: Receiver) -> None:
    async def one(model: str) -> None:
        with inference_span("chat", model):
            await asyncio.sleep(0.01)
            with trace.get_tracer("engine").start_as_current_span(f"step {model}"):
                await asyncio.sleep(0.01)

    async def both() -> None:
        await asyncio.gather(one("a"), one("b"))

    asyncio.run(both())
    provider.force_flush()
    spans = {span.name: span for span in receiver.spans}
    assert spans["step a"].parent_span_id == spans["chat a"].span_id
    assert spans["step b"].parent_span_id == spans["chat b"].span_id
