"""What real emitters send becomes one set of canonical columns."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from google.protobuf import json_format
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from collector.otlp.decode import decode_traces
from collector.otlp.normalise import OUTPUT, Normaliser
from collector.otlp.privacy import Privacy
from store.telemetry.columns import SPANS
from tests.factories.otlp import (
    RECEIVED_NS,
    SALT,
    SECOND_NS,
    START_NS,
    Row,
    attributes,
    request,
    row,
    rows,
    sources,
    span,
)

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "samples" / "envoy-ai-gateway"
SERVER, CLIENT = 2, 3
POD = {"service.name": "llama", "k8s.pod.name": "vllm-0", "k8s.node.name": "node-7", "model.revision": "abc123"}
VLLM = {
    "gen_ai.latency.time_to_first_token": 0.25,
    "gen_ai.latency.e2e": 2.5,
    "gen_ai.latency.time_in_queue": 0.05,
    "gen_ai.latency.time_in_model_prefill": 0.2,
    "gen_ai.latency.time_in_model_decode": 2.2,
    "gen_ai.latency.time_in_model_inference": 2.4,
    "gen_ai.usage.prompt_tokens": 512,
    "gen_ai.usage.completion_tokens": 128,
    "gen_ai.request.id": "chatcmpl-0f8fad5bd9cb469fa16570867728950e",
    "gen_ai.request.top_p": 0.9,
    "gen_ai.request.max_tokens": 256,
    "gen_ai.request.n": 1,
}


def told(found: Row, *names: str) -> list[object]:
    return [found[name] for name in names]


def vllm(changes: Mapping[str, object] | None = None, resource: Mapping[str, object] | None = None) -> Row:
    facts = {key: item for key, item in (VLLM | dict(changes or {})).items() if item is not None}
    one = span(name="llm_request", kind=SERVER, attributes=facts)
    return row(one, scope="vllm.tracing.otel", resource=POD if resource is None else resource)


def test_the_table_is_the_spans_table_without_the_commit() -> None:
    assert [*OUTPUT.names, "commit_seq"] == SPANS.names
    table = Normaliser(Privacy(SALT)).normalise(decode_traces(request(span()).SerializeToString()), RECEIVED_NS).spans
    assert table.schema.equals(OUTPUT)


def test_a_vllm_request_is_an_engine_hop_with_phases_and_tokens() -> None:
    found = vllm()
    assert told(found, "emitter", "hop_role", "is_inference", "framework") == ["vllm", "engine", True, "vllm"]
    assert told(found, "queue_s", "prefill_s", "decode_s", "server_ttft_s", "engine_e2e_s") == [
        0.05,
        0.2,
        2.2,
        0.25,
        2.5,
    ]
    assert told(found, "input_tokens", "output_tokens", "max_tokens", "choice_count") == [512, 128, 256, 1]
    assert told(found, "replica", "node", "model_revision", "service") == ["vllm-0", "node-7", "abc123", "llama"]
    assert found["request_id"] == VLLM["gen_ai.request.id"]


def test_what_vllm_does_not_tell_is_unknown_and_not_zero() -> None:
    found = vllm()
    assert told(found, "temperature", "stream", "cached_tokens", "http_status", "retries") == [None] * 5
    assert told(found, "model_requested", "finish_reason", "error_type", "tenant") == [""] * 4


def test_attributes_with_a_column_leave_the_maps_and_others_stay() -> None:
    found = vllm({"vendor.extra": "x"})
    assert found["attr_text"] == {"vendor.extra": "x"}
    assert found["attr_double"] == {"gen_ai.latency.time_in_model_inference": 2.4}
    assert found["attr_int"] == {}
    assert sources(found)["input_tokens"] == "gen_ai.usage.prompt_tokens"
    assert sources(found)["replica"] == "resource:k8s.pod.name"


def test_loading_a_model_is_no_request() -> None:
    one = span(name="Model loading", attributes={"code.function": "load_model"})
    found = row(one, scope="vllm.tracing.otel", resource=POD)
    assert told(found, "is_inference", "hop_role", "emitter") == [False, "other", "vllm"]


def test_a_negative_phase_is_unknown_and_flagged() -> None:
    found = vllm({"gen_ai.latency.time_in_model_decode": -3.0})
    assert found["decode_s"] is None
    assert found["quality"] == "negative_duration"
    assert found["attr_double"]["gen_ai.latency.time_in_model_decode"] == -3.0


def test_a_random_instance_id_is_the_last_name_of_a_replica() -> None:
    random_id = "0f8fad5b-d9cb-469f-a165-70867728950e"
    found = vllm(resource={"service.instance.id": random_id})
    assert told(found, "replica", "quality") == [random_id, "replica_unstable"]
    assert vllm(resource={"service.instance.id": random_id, **POD})["replica"] == "vllm-0"
    assert vllm(resource={"service.instance.id": "replica-3", **POD})["replica"] == "replica-3"


def test_an_unknown_service_has_no_name() -> None:
    assert vllm(resource={"service.name": "unknown_service:python"})["service"] == ""
    deployed = {"service.name": "unknown_service", "k8s.deployment.name": "llama-prod"}
    assert vllm(resource=deployed)["service"] == "llama-prod"


def test_litellm_v1_spans_are_gateway_hops() -> None:
    facts = {
        "gen_ai.request.model": "llama",
        "llm.request.type": "completion",
        "llm.is_streaming": "True",
        "llm.user": "ann",
        "litellm.call_id": "call-12345",
        "metadata.user_api_key_team_id": "team-a",
        "http.response.status_code": 200,
        "hidden_params": '{"api_base": "http://x", "additional_headers": {}}',
        "gen_ai.usage.prompt_tokens": "17",
        "gen_ai.response.finish_reasons": '["stop"]',
    }
    found = row(span(name="litellm_request", attributes=facts), scope="litellm", resource={"service.name": "proxy"})
    assert told(found, "emitter", "hop_role", "is_inference") == ["litellm", "gateway", True]
    assert told(found, "model_requested", "tenant", "stream", "input_tokens") == ["llama", "team-a", True, 17]
    assert told(found, "operation", "request_id", "http_status") == ["text_completion", "call-12345", 200]
    assert found["finish_reason"] == "stop"
    assert found["attr_text"]["llm.user"].startswith("user:")
    assert "hash" in found["attr_json"]["hidden_params"]


@pytest.mark.parametrize("name", ["Received Proxy Server Request", "litellm_request", "raw_gen_ai_request"])
def test_every_litellm_v1_request_span_is_a_hop(name: str) -> None:
    assert row(span(name=name), scope="litellm")["is_inference"]


@pytest.mark.parametrize("name", ["redis", "postgres", "batch_write_to_db"])
def test_stores_behind_litellm_are_dependencies(name: str) -> None:
    found = row(span(name=name, attributes={"call_type": "async_set_cache"}), scope="litellm")
    assert told(found, "is_inference", "hop_role") == [False, "dependency"]


def test_litellm_v2_is_a_server_span_and_a_chat_span() -> None:
    facts = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "llama",
        "litellm.team.id": "team-b",
        "litellm.call_type": "acompletion",
        "gen_ai.usage.input_tokens": 5,
    }
    server = span(1, "POST /v1/chat/completions", SERVER, attributes={"http.route": "/v1/chat/completions"})
    chat = span(2, "chat llama", CLIENT, attributes=facts, parent_span_id=(1).to_bytes(8, "big"))
    (outer,) = rows(request(server, scope="opentelemetry.instrumentation.fastapi"))
    (inner,) = rows(request(chat, scope="litellm"))
    assert told(outer, "is_inference", "hop_role", "endpoint") == [True, "gateway", "/v1/chat/completions"]
    assert told(outer, "operation", "stream") == ["chat", None]
    assert told(inner, "is_inference", "hop_role", "tenant", "stream") == [True, "gateway", "team-b", False]


def test_an_opentelemetry_client_span_without_the_flag_does_not_stream() -> None:
    facts = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.provider.name": "openai"}
    found = row(span(name="chat m", kind=CLIENT, attributes=facts))
    assert told(found, "hop_role", "stream", "emitter") == ["client", False, "otel_genai"]
    streamed = row(span(name="chat m", kind=CLIENT, attributes={**facts, "gen_ai.response.time_to_first_chunk": 0.4}))
    assert told(streamed, "stream", "client_ttft_s") == [True, 0.4]


def test_current_and_older_opentelemetry_names_mean_the_same() -> None:
    current = {
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.request.choice.count": 2,
    }
    older = {"gen_ai.usage.prompt_tokens": 9, "gen_ai.usage.cache_read_input_tokens": 4, "gen_ai.request.n": 2}
    names = ("input_tokens", "cached_tokens", "choice_count")
    assert told(row(span(attributes=current)), *names) == told(row(span(attributes=older)), *names) == [9, 4, 2]
    both = row(span(attributes={**older, "gen_ai.usage.input_tokens": 10}))
    assert both["input_tokens"] == 10
    assert both["attr_int"] == {"gen_ai.usage.prompt_tokens": 9}, "the loser stays in its map"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/samples is not on this machine")
def test_a_span_recorded_from_openinference_tells_parameters_and_first_token() -> None:
    path = SAMPLES / "openinference_span_completion-streaming-usage.json"
    recorded = json_format.ParseDict(json.loads(path.read_text()), Span())
    recorded.trace_id, recorded.span_id, recorded.start_time_unix_nano = b"t" * 16, b"s" * 8, START_NS
    recorded.events[0].time_unix_nano = START_NS + SECOND_NS // 4
    found = row(recorded, scope="openinference.instrumentation.openai")
    assert told(found, "emitter", "hop_role", "is_inference") == ["openinference", "client", True]
    assert told(found, "stream", "max_tokens", "temperature", "top_p") == [True, 25, 0.4, 0.9]
    assert told(found, "input_tokens", "output_tokens", "client_ttft_s") == [31, 25, 0.25]


@pytest.mark.parametrize(
    ("facts", "is_inference"),
    [
        ({"openinference.span.kind": "LLM"}, True),
        ({"openinference.span.kind": "EMBEDDING"}, True),
        ({"openinference.span.kind": "CHAIN", "llm.token_count.prompt": 4}, False),
        ({"openinference.span.kind": "AGENT"}, False),
        ({"openinference.span.kind": "TOOL"}, False),
        ({"gen_ai.operation.name": "chat"}, True),
        ({"gen_ai.operation.name": "embeddings"}, True),
        ({"gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": "m"}, False),
        ({"gen_ai.operation.name": "create_agent"}, False),
        ({"gen_ai.operation.name": "execute_tool"}, False),
        ({"llm.request.type": "chat"}, True),
        ({"http.route": "/v1/chat/completions"}, False),
        ({"http.method": "GET"}, False),
        ({}, False),
    ],
)
def test_an_inference_hop_is_known_by_what_it_does(facts: dict[str, object], is_inference: object) -> None:
    assert row(span(attributes=facts))["is_inference"] is is_inference


@pytest.mark.parametrize("key", ["db.system", "db.system.name", "messaging.system"])
def test_stores_and_queues_are_dependencies(key: str) -> None:
    found = row(span(kind=CLIENT, attributes={key: "redis"}))
    assert told(found, "is_inference", "hop_role") == [False, "dependency"]


def test_a_stated_hop_role_overrides_every_rule() -> None:
    found = vllm({"peakline.hop_role": "prefill"})
    assert told(found, "hop_role", "is_inference") == ["prefill", True]
    assert told(vllm({"peakline.hop_role": "dependency"}), "hop_role", "is_inference") == ["dependency", False]
    assert vllm({"peakline.hop_role": "king"})["hop_role"] == "engine"


def test_imports_and_load_tests_state_what_they_are() -> None:
    facts = {
        "peakline.hop_role": "gateway",
        "peakline.import.id": "azure-1",
        "peakline.import.row": 17,
        "peakline.outcome": "unknown",
        "peakline.load_test.id": "sweep-1",
        "peakline.load_test.step": 3,
        "peakline.load_test.offered_rps": 12.5,
        "peakline.service_tier": "core",
        "peakline.served_by": "fallback",
        "tenant.id": "team-c",
        "model.quantization": "fp8",
    }
    found = row(span(attributes=facts, end_time_unix_nano=0))
    assert told(found, "import_id", "import_row", "stated_outcome") == ["azure-1", 17, "unknown"]
    assert told(found, "load_test", "load_test_step", "offered_rps") == ["sweep-1", 3, 12.5]
    assert told(found, "service_tier", "served_by", "tenant") == ["core", "fallback", "team-c"]
    assert told(found, "quantization", "is_inference", "end_ns") == ["fp8", True, None]
    assert found["quality"] == "no_end"


def test_an_error_is_classified_and_its_message_is_not_kept() -> None:
    said = "This model's maximum context length is 4096 tokens, your prompt 'secret words' has 5000"
    failed = Status(code=Status.STATUS_CODE_ERROR, message=said)
    found = row(span(attributes={"gen_ai.operation.name": "chat", "http.response.status_code": 400}, status=failed))
    assert told(found, "error_type", "context_window", "status_code") == ["context_length", 4096, 2]
    assert found["status_message"] == "maximum context length is 4096 tokens"


def test_an_exception_event_tells_the_class_of_an_error() -> None:
    event = Span.Event(name="exception", attributes=attributes({"exception.type": "openai.RateLimitError"}))
    failed = Status(code=Status.STATUS_CODE_ERROR)
    assert row(span(events=[event], status=failed))["error_type"] == "rate_limited"


def test_an_empty_name_is_unknown_and_an_unspecified_kind_internal() -> None:
    found = row(span(name="", kind=0))
    assert told(found, "name", "kind") == ["unknown", 1]


def test_a_span_with_a_bad_id_is_rejected_and_its_neighbours_are_kept() -> None:
    message = request(
        span(1), span(2, trace_id=b"short"), span(3, span_id=bytes(8)), span(4, trace_id=bytes(16)), span(5)
    )
    found = Normaliser(Privacy(SALT)).normalise(decode_traces(message.SerializeToString()), RECEIVED_NS)
    assert dict(found.rejected[0]) == {"invalid_trace_id": 2, "invalid_span_id": 1}
    assert [one["span_id"][-1] for one in found.spans.to_pylist()] == [1, 5]


def test_spans_of_many_resources_keep_their_own() -> None:
    message = request(span(1, "llm_request"), scope="vllm.tracing.otel", resource={"k8s.pod.name": "a"})
    message.MergeFrom(request(span(2, "llm_request"), scope="vllm.tracing.otel", resource={"k8s.pod.name": "b"}))
    message.MergeFrom(request(span(3, "chat", CLIENT), scope="app", resource={"k8s.pod.name": "c"}))
    found = rows(message)
    assert [one["replica"] for one in found] == ["a", "b", ""], "the pod of a caller is no replica"
    assert [json.loads(one["resource"])["k8s.pod.name"] for one in found] == ["a", "b", "c"]
    assert {one["received_ns"] for one in found} == {RECEIVED_NS}
