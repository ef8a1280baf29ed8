"""OTLP bodies with fresh ids and times, cheap enough that the sender does not become what is measured."""

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

_START_MARK = 0x1111_2222_3333_4444
_END_MARK = 0x5555_6666_7777_0888
_DURATION_NS = 900_000_000
Attributes = dict[str, str | int | float | bool]


def gateway_attributes(number: int) -> Attributes:
    """What a gateway says of a request: current OpenTelemetry GenAI names and its own."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "vllm",
        "gen_ai.request.model": "llama-3.3-70b",
        "gen_ai.response.model": "llama-3.3-70b-instruct-fp8",
        "gen_ai.request.stream": True,
        "gen_ai.request.temperature": 0.7,
        "gen_ai.request.max_tokens": 512,
        "gen_ai.response.time_to_first_chunk": 0.21 + number / 10_000,
        "gen_ai.response.id": f"chatcmpl-{number:032d}",
        "http.request.method": "POST",
        "http.route": "/v1/chat/completions",
        "http.response.status_code": 200,
        "server.address": f"inference-{number % 8}.models.svc.cluster.local",
        "user_agent.original": "OpenAI/Python 2.11.0 (linux; cpython-3.12)",
        "tenant.id": f"tenant-{number % 40}",
        "peakline.service_tier": ("core", "general", "batch")[number % 3],
        "gateway.route.name": f"route-{number % 12}",
    }


def engine_attributes(number: int) -> Attributes:
    """What a vLLM engine says of the same request, in its own names."""
    return {
        "gen_ai.latency.time_to_first_token": 0.18 + number / 10_000,
        "gen_ai.latency.e2e": 0.85,
        "gen_ai.latency.time_in_queue": 0.01,
        "gen_ai.latency.time_in_model_prefill": 0.17,
        "gen_ai.latency.time_in_model_decode": 0.67,
        "gen_ai.latency.time_in_model_inference": 0.84,
        "gen_ai.usage.prompt_tokens": 700 + number,
        "gen_ai.usage.completion_tokens": 120 + number % 90,
        "gen_ai.request.id": f"chatcmpl-{number:032d}",
        "gen_ai.request.top_p": 0.95,
        "gen_ai.request.max_tokens": 512,
        "gen_ai.request.temperature": 0.7,
        "gen_ai.request.n": 1,
        "scheduler.policy": "fcfs",
        "kv.block_hashes": f"{number:064x}",
        "lora.adapter": f"adapter-{number % 5}",
    }


def _fill(span: Span, attributes: Attributes) -> None:
    for key, value in attributes.items():
        any_value = span.attributes.add(key=key).value
        if isinstance(value, bool):
            any_value.bool_value = value
        elif isinstance(value, int):
            any_value.int_value = value
        elif isinstance(value, float):
            any_value.double_value = value
        else:
            any_value.string_value = value


@dataclass(frozen=True)
class BodyTemplate:
    """A serialised body and where its ids and times stand, so that a new body is a copy with a few patches."""

    body: npt.NDArray[np.uint8]
    trace_offsets: npt.NDArray[np.int64]  # (traces, 2): gateway span and engine span
    span_offsets: npt.NDArray[np.int64]  # (traces, 3): gateway id, engine's parent id, engine id
    start_offsets: npt.NDArray[np.int64]
    end_offsets: npt.NDArray[np.int64]
    spans: int

    def fresh(self, start_ns: int) -> bytes:
        """A body with new random ids; spans start at `start_ns`."""
        body, traces = self.body.copy(), len(self.trace_offsets)
        ids = np.frombuffer(os.urandom(traces * 32), np.uint8).reshape(traces, 32)
        for offsets, value in (
            (self.trace_offsets[:, 0], ids[:, :16]),
            (self.trace_offsets[:, 1], ids[:, :16]),
            (self.span_offsets[:, 0], ids[:, 16:24]),
            (self.span_offsets[:, 1], ids[:, 16:24]),
            (self.span_offsets[:, 2], ids[:, 24:32]),
        ):
            body[offsets[:, None] + np.arange(value.shape[1])] = value
        for offsets, instant in ((self.start_offsets, start_ns), (self.end_offsets, start_ns + _DURATION_NS)):
            body[offsets[:, None] + np.arange(8)] = np.frombuffer(instant.to_bytes(8, "little"), np.uint8)
        return body.tobytes()


def template(traces: int = 250, seed: int = 7) -> BodyTemplate:
    """A body of `traces` gateway spans, each above one engine span; at least 15 attributes and 600 bytes a span."""
    random = np.random.default_rng(seed)
    marks = [random.bytes(16) for _ in range(traces)]
    spans = [(random.bytes(8), random.bytes(8)) for _ in range(traces)]
    request = ExportTraceServiceRequest()
    _add(request, "chat-gateway", "litellm", "chat llama-3.3-70b", marks, [(own, b"") for own, _ in spans])
    _add(request, "chat-gateway", "vllm.tracing.otel", "llm_request", marks, [(own, above) for above, own in spans])
    body = request.SerializeToString()
    return BodyTemplate(
        body=np.frombuffer(body, np.uint8),
        trace_offsets=np.array([_all(body, mark) for mark in marks]),
        span_offsets=np.array([[*_all(body, above), *_all(body, own)] for above, own in spans]),
        start_offsets=np.array(_all(body, _START_MARK.to_bytes(8, "little"))),
        end_offsets=np.array(_all(body, _END_MARK.to_bytes(8, "little"))),
        spans=2 * traces,
    )


def _add(
    request: ExportTraceServiceRequest,
    service: str,
    scope: str,
    name: str,
    traces: list[bytes],
    ids: list[tuple[bytes, bytes]],
) -> None:
    resource_spans = request.resource_spans.add()
    for key, value in {"service.name": service, "k8s.pod.name": f"{scope}-0", "model.revision": "9213176"}.items():
        resource_spans.resource.attributes.add(key=key).value.string_value = value
    scope_spans = resource_spans.scope_spans.add()
    scope_spans.scope.name = scope
    is_engine = scope.startswith("vllm")
    for number, (trace, (own, above)) in enumerate(zip(traces, ids, strict=True)):
        span = scope_spans.spans.add(
            trace_id=trace, span_id=own, parent_span_id=above, name=name, kind=2,
            start_time_unix_nano=_START_MARK, end_time_unix_nano=_END_MARK,
        )  # fmt: skip
        _fill(span, engine_attributes(number) if is_engine else gateway_attributes(number))


def _all(body: bytes, mark: bytes) -> list[int]:
    places, place = [], body.find(mark)
    while place >= 0:
        places.append(place)
        place = body.find(mark, place + len(mark))
    return places
