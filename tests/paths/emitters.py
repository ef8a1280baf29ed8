"""A gateway and a vLLM engine that export through the real OpenTelemetry SDK, as two processes would."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

MODEL = "llama-3.3-70b"


@contextmanager
def emitter(url: str, **resource: str) -> Iterator[TracerProvider]:
    """A tracer provider of the real SDK with a gzip OTLP/HTTP exporter; flushed at the end."""
    attributes = {key.replace("_", "."): value for key, value in resource.items()}
    provider = TracerProvider(resource=Resource.create(attributes), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{url}/v1/traces", compression=Compression.Gzip)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=50))
    try:
        yield provider
    finally:
        provider.shutdown()


def serve_one(gateway: TracerProvider, engine: TracerProvider, status: int = 200) -> str:
    """One request through both; returns its trace id in hex."""
    span = gateway.get_tracer("litellm").start_span(
        "Received Proxy Server Request", kind=SpanKind.SERVER,
        attributes={"gen_ai.request.model": MODEL, "gen_ai.operation.name": "chat", "gen_ai.request.temperature": 0.25,
                    "tenant.id": "acme", "http.response.status_code": status, "peakline.service_tier": "core"},
    )  # fmt: skip
    carrier: dict[str, str] = {}
    propagator = TraceContextTextMapPropagator()
    propagator.inject(carrier, set_span_in_context(span))
    if status == 200:
        engine.get_tracer("vllm.tracing.otel").start_span(
            "llm_request", context=propagator.extract(carrier), kind=SpanKind.SERVER,
            attributes={"gen_ai.latency.time_to_first_token": 0.125, "gen_ai.latency.e2e": 1.5,
                        "gen_ai.latency.time_in_queue": 0.03125, "gen_ai.usage.prompt_tokens": 1234,
                        "gen_ai.usage.completion_tokens": 321, "gen_ai.request.id": "chatcmpl-abc"},
        ).end()  # fmt: skip
    span.end()
    return format(span.get_span_context().trace_id, "032x")
