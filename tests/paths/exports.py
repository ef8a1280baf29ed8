"""Small OTLP bodies for path tests, and a sender that remembers what was acknowledged."""

import asyncio
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_HEADERS = {"Content-Type": "application/x-protobuf"}


@dataclass(frozen=True, slots=True)
class Export:
    """One body and the span ids in it."""

    body: bytes
    spans: tuple[str, ...]


def split_request(rng: random.Random) -> list[Export]:
    """One request as two bodies: the gateway's span and the engine's, as two processes would export them."""
    trace, gateway, engine = rng.randbytes(16), rng.randbytes(8), rng.randbytes(8)
    status = rng.choice([200, 200, 200, 429, 500])
    start = time.time_ns() - rng.randrange(120) * 1_000_000_000
    above = _export(trace, gateway, b"", start, "litellm", {"http.response.status_code": status})
    below = _export(trace, engine, gateway, start + 1000, "vllm.tracing.otel", {"gen_ai.usage.completion_tokens": 7})
    return [below, above] if rng.random() < 0.5 else [above, below]


def _export(trace: bytes, own: bytes, above: bytes, start: int, scope: str, facts: dict[str, int]) -> Export:
    request = ExportTraceServiceRequest()
    resource_spans = request.resource_spans.add()
    resource_spans.resource.attributes.add(key="service.name").value.string_value = "chat"
    scope_spans = resource_spans.scope_spans.add()
    scope_spans.scope.name = scope
    span = scope_spans.spans.add(
        trace_id=trace, span_id=own, parent_span_id=above, kind=2,
        name="llm_request" if above else "Received Proxy Server Request",
        start_time_unix_nano=start, end_time_unix_nano=start + 50_000_000,
    )  # fmt: skip
    span.attributes.add(key="gen_ai.request.model").value.string_value = "m"
    for key, value in facts.items():
        span.attributes.add(key=key).value.int_value = value
    return Export(request.SerializeToString(), (own.hex(),))


@dataclass(slots=True)
class Sender:
    """Sends exports with many under way at once; what is not acknowledged stays in `unanswered`."""

    url: str
    acknowledged: set[str] = field(default_factory=set)
    unanswered: list[Export] = field(default_factory=list)
    bodies: int = 0

    async def send(self, exports: Sequence[Export], at_once: int = 96) -> None:
        """Returns when every export was answered or the server is gone."""
        todo = list(reversed(exports))
        limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
        async with httpx.AsyncClient(limits=limits, timeout=30, trust_env=False) as client:
            await asyncio.gather(*(self._drain(client, todo) for _ in range(at_once)))
        self.unanswered.extend(todo)

    async def _drain(self, client: httpx.AsyncClient, todo: list[Export]) -> None:
        while todo:
            export = todo.pop()
            try:
                answer = await client.post(f"{self.url}/v1/traces", content=export.body, headers=_HEADERS)
            except httpx.TransportError:
                self.unanswered.append(export)
                return
            if answer.status_code == httpx.codes.OK and not answer.content:
                self.acknowledged.update(export.spans)
                self.bodies += 1
            else:
                self.unanswered.append(export)


def seeded() -> random.Random:
    """A generator whose seed is printed, so that a failing run can be repeated."""
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"seed {seed}")  # noqa: T201 - pytest shows it when a test fails
    return random.Random(seed)
