import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from loadtest.emission.identifiers import Identifiers
from loadtest.emission.spans import SpanWriter
from loadtest.endpoint.plans import DEFAULT_MODEL, default_plan
from tests.factories.otlp_stub import Receiver, attributes, receiving
from tests.loadtest.endpoint.running import Endpoint, running
from tests.loadtest.endpoint.test_request_record import finished

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
ALWAYS = {
    "gen_ai.latency.time_to_first_token",
    "gen_ai.latency.e2e",
    "gen_ai.latency.time_in_queue",
    "gen_ai.latency.time_in_model_prefill",
    "gen_ai.latency.time_in_model_decode",
    "gen_ai.latency.time_in_model_inference",
    "gen_ai.usage.prompt_tokens",
    "gen_ai.usage.completion_tokens",
    "gen_ai.request.max_tokens",
    "gen_ai.request.n",
    "gen_ai.request.id",
}
WARM = {"gen_ai.request.temperature", "gen_ai.request.top_p"}


def emitted(receiver: Receiver, endpoint: Endpoint) -> list[Span]:
    assert endpoint.desk.spans is not None
    endpoint.desk.spans.close()
    return list(receiver.spans.values())


def test_a_finished_request_is_one_span_under_the_callers() -> None:
    with receiving() as receiver, running(otlp=receiver.url) as endpoint:
        caller = {"traceparent": f"00-{TRACE}-{PARENT}-01", "x-request-id": "mine"}
        usage = endpoint.chat(temperature=0, headers=caller).json()["usage"]
        (span,) = emitted(receiver, endpoint)
    told = attributes(span)
    assert (span.name, span.kind) == ("llm_request", Span.SPAN_KIND_SERVER)
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert told.keys() == ALWAYS
    assert told["gen_ai.request.id"] == "chatcmpl-mine"
    assert told["gen_ai.usage.completion_tokens"] == usage["completion_tokens"]
    elapsed_s = (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9
    assert abs(elapsed_s - float(str(told["gen_ai.latency.e2e"]))) < 1e-5


def test_sampling_parameters_are_told_when_they_are_truthy() -> None:
    with receiving() as receiver, running(otlp=receiver.url) as endpoint:
        endpoint.chat(temperature=0.5, top_p=0.9)
        (span,) = emitted(receiver, endpoint)
    assert attributes(span).keys() == ALWAYS | WARM
    assert attributes(span)["gen_ai.request.top_p"] == 0.9


@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_the_keys_are_those_of_the_fleets_engine_spans(temperature: float) -> None:
    plan, request = default_plan(), finished()
    request.number, request.temperature = 1, temperature
    identifiers = Identifiers(plan)
    ids = identifiers.of_request(request)
    written = Span.FromString(SpanWriter(plan, identifiers).engine(request, request, ids, ids.engine_span_id))
    assert attributes(written).keys() == (ALWAYS | WARM if temperature else ALWAYS)


def test_each_replica_is_a_process_of_its_own() -> None:
    with receiving() as receiver, running(otlp=receiver.url) as endpoint:
        for number in range(4):
            endpoint.chat(str(number))
        emitted(receiver, endpoint)
    resources = {resource.resource.SerializeToString() for body in receiver.bodies for resource in body.resource_spans}
    named = {
        attribute.value.string_value
        for body in receiver.bodies
        for resource in body.resource_spans
        for attribute in resource.resource.attributes
        if attribute.key == "service.name"
    }
    assert len(resources) == 2
    assert named == {f"vllm-{DEFAULT_MODEL}"}


def test_an_engine_tells_nothing_of_what_it_did_not_finish() -> None:
    with receiving() as receiver, running(otlp=receiver.url) as endpoint:
        endpoint.chat(headers={"x-simulate": "503"})
        endpoint.events(headers={"x-simulate": "mid_stream_error:1:after=3"})
        assert emitted(receiver, endpoint) == []
        assert endpoint.desk.spans is not None
        assert not endpoint.desk.spans._asked
