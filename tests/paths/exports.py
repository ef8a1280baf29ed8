"""Small OTLP bodies for path tests, and a sender that remembers what was acknowledged."""

import asyncio
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlsplit

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_TYPE = "Content-Type: application/x-protobuf\r\n"


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
    if above:
        resource_spans.resource.attributes.add(key="k8s.pod.name").value.string_value = f"replica-{own[0] % 4}"
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
    """Sends exports with many under way at once; what is not acknowledged stays in `unanswered`.

    Speaks HTTP/1.1 by hand over kept connections, because the sender must be cheaper than what it tests.
    """

    url: str
    acknowledged: set[str] = field(default_factory=set)
    unanswered: list[Export] = field(default_factory=list)
    bodies: int = 0

    async def send(self, exports: Sequence[Export], at_once: int = 96) -> None:
        """Returns when every export was answered or the server is gone."""
        todo = list(reversed(exports))
        await asyncio.gather(*(self._drain(todo) for _ in range(at_once)))
        self.unanswered.extend(todo)

    async def _drain(self, todo: list[Export]) -> None:
        address = urlsplit(self.url)
        try:
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
        except OSError:
            return
        while todo:
            export = todo.pop()
            try:
                status, content = await _post(reader, writer, export.body)
            except (OSError, asyncio.IncompleteReadError):
                self.unanswered.append(export)
                break
            if status == HTTPStatus.OK and not content:
                self.acknowledged.update(export.spans)
                self.bodies += 1
            else:
                self.unanswered.append(export)
        writer.close()


async def _post(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: bytes) -> tuple[int, bytes]:
    """Status and content of one export."""
    head = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n{_TYPE}Content-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(answer.partition("content-length:")[2].partition("\r\n")[0])
    return int(answer.split(" ", 2)[1]), await reader.readexactly(length)


def seeded() -> random.Random:
    """A generator whose seed is printed, so that a failing run can be repeated."""
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"seed {seed}")  # noqa: T201 - pytest shows it when a test fails
    return random.Random(seed)
