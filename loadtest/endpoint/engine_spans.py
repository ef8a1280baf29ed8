"""Finished requests as vLLM's `llm_request` spans, through the real OpenTelemetry SDK: one provider per process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from loadtest.emission.sources import ENGINE_SCOPE, engine_resource
from loadtest.endpoint.clock import Clock
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import End, Identity, Request

_FINISHED = frozenset({End.COMPLETED, End.ENGINE_ERROR})
_DELAY_MS = 500


class _Asked(NamedTuple):
    """What the span tells and the simulation does not know."""

    context: Context
    request_id: str
    top_p: float | None


@dataclass(slots=True)
class EngineSpans:
    """Emits to `{otlp}/v1/traces`. A span's parent is the incoming `traceparent`, if there is one."""

    plan: FleetPlan
    clock: Clock
    otlp: str
    _asked: dict[int, _Asked] = field(default_factory=dict)
    _providers: dict[Identity, TracerProvider] = field(default_factory=dict)
    _propagator: TraceContextTextMapPropagator = field(default_factory=TraceContextTextMapPropagator)

    def expect(self, request: Request, top_p: float | None, headers: Mapping[str, str], request_id: str) -> None:
        """Remember what came with a request that is on its way."""
        carrier = {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
        self._asked[request.number] = _Asked(self._propagator.extract(carrier), request_id, top_p)

    def add(self, request: Request) -> None:
        """Emit the span of a request that its engine finished; it tells nothing of others."""
        asked = self._asked.pop(request.number, None)
        if asked is None or request.end not in _FINISHED or request.identity is None or request.first_token_s < 0:
            return
        tracer = self._provider(request.identity).get_tracer(*ENGINE_SCOPE)
        span = tracer.start_span(
            "llm_request",
            context=asked.context,
            kind=SpanKind.SERVER,
            attributes=self._attributes(request, asked),
            start_time=self.clock.at_ns(request.forwarded_s),
        )
        span.end(self.clock.at_ns(request.ended_s))

    def close(self) -> None:
        """Send what is left; waits for the receiver."""
        for provider in self._providers.values():
            provider.shutdown()

    def _attributes(self, request: Request, asked: _Asked) -> dict[str, str | int | float]:
        wall_s = self.clock.wall_s
        arrival, end = request.forwarded_s, request.ended_s
        scheduled, first = request.scheduled_s, request.first_token_s
        attributes: dict[str, str | int | float] = {
            "gen_ai.latency.time_to_first_token": wall_s(first - arrival),
            "gen_ai.latency.e2e": wall_s(end - arrival),
            "gen_ai.latency.time_in_queue": wall_s(scheduled - arrival),
            "gen_ai.latency.time_in_model_prefill": wall_s(first - scheduled),
            "gen_ai.latency.time_in_model_decode": wall_s(end - first),
            "gen_ai.latency.time_in_model_inference": wall_s(end - scheduled),
            "gen_ai.usage.prompt_tokens": request.prompt_tokens,
            "gen_ai.usage.completion_tokens": int(request.tokens),
            "gen_ai.request.max_tokens": request.limit_tokens,
        }
        if request.temperature:
            attributes["gen_ai.request.temperature"] = request.temperature
            attributes["gen_ai.request.top_p"] = 1.0 if asked.top_p is None else asked.top_p
        return attributes | {"gen_ai.request.n": 1, "gen_ai.request.id": asked.request_id}

    def _provider(self, identity: Identity) -> TracerProvider:
        known = self._providers.get(identity)
        if known is None:
            # shutdown_on_exit is off because the endpoint closes it in order.
            known = TracerProvider(resource=Resource(engine_resource(self.plan, identity)), shutdown_on_exit=False)
            exporter = OTLPSpanExporter(
                endpoint=f"{self.otlp.rstrip('/')}/v1/traces", compression=Compression.Gzip, timeout=5
            )
            known.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=_DELAY_MS))
            self._providers[identity] = known
        return known
