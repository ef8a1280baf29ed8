"""A week of the large simulated fleet: generated alone, then generated and ingested, on this machine.

Prints spans per second of the history writer as a ratio to the OpenTelemetry SDK writing and encoding the same kind of
span on one core, the share of the time that the simulation and the writing take, and how long generation and ingest
take together. Exit code 1 when the server holds other than was sent, or when a full week takes longer than the limit.

    python -m bench.fleet
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind

from bench.harness.server import running_server
from loadtest.emission.outbox import Body
from loadtest.scenarios.catalogue import fleet_plan, load
from loadtest.scenarios.play import Play
from peakline_server.delivery import Delivery

_DAY_S = 86_400
_LIMIT_S = 180.0
_REFERENCE_S = 3.0
_SPANS_PER_BODY = 10_000
_IN_FLIGHT = 3
_ORIGIN_NS = 1_763_942_400_000_000_000  # Monday, 2025-11-24
_BATCH = 512
_ATTRIBUTES: dict[str, float | int | str] = {
    **{f"gen_ai.latency.part_{part}": 0.25 * part for part in range(6)},
    **{f"gen_ai.usage.part_{part}": 100 + part for part in range(4)},
    **{f"gen_ai.request.part_{part}": f"value {part}" for part in range(5)},
}


@dataclass
class Told:
    """What was generated."""

    requests: int = 0
    spans: int = 0
    size: int = 0
    seconds: float = 0.0

    def add(self, body: Body) -> None:
        self.requests += body.requests
        self.spans += body.spans
        self.size += len(body.payload)


class _Gather(SpanExporter):
    """Encodes spans in batches, as the OTLP exporter does before it sends them."""

    def __init__(self) -> None:
        self.batch: list[ReadableSpan] = []

    def export(self, spans: "list[ReadableSpan] | tuple[ReadableSpan, ...]") -> SpanExportResult:  # type: ignore[override]
        self.batch += spans
        if len(self.batch) >= _BATCH:
            encode_spans(self.batch).SerializeToString()
            self.batch = []
        return SpanExportResult.SUCCESS


def sdk_rate(seconds: float = _REFERENCE_S) -> float:
    """Spans per second that the OpenTelemetry SDK makes and encodes on one core, 15 attributes each; the reference."""
    provider = TracerProvider(resource=Resource({"service.name": "reference"}))
    provider.add_span_processor(SimpleSpanProcessor(_Gather()))
    tracer, count, start = provider.get_tracer("reference"), 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        tracer.start_span("llm_request", kind=SpanKind.SERVER, attributes=_ATTRIBUTES).end()
        count += 1
    provider.shutdown()
    return count / (time.perf_counter() - start)


def bodies(scenario: str, days: float) -> Iterator[Body]:
    """The history of a scenario, trace bodies only."""
    chosen = load(scenario)
    play = Play(chosen, fleet_plan(chosen, seed=1, origin_ns=_ORIGIN_NS))
    return play.history(days * _DAY_S, _SPANS_PER_BODY)


def generate(scenario: str, days: float) -> Told:
    """Generation alone."""
    told, start = Told(), time.perf_counter()
    for body in bodies(scenario, days):
        told.add(body)
    told.seconds = time.perf_counter() - start
    return told


def ingest(scenario: str, days: float) -> tuple[Told, int]:
    """Generation and ingest at once; returns what was sent and how many spans the server holds."""
    told = Told()
    with tempfile.TemporaryDirectory(prefix="peakline-bench-") as folder, running_server(Path(folder)) as server:
        delivery = Delivery(server.url)
        start = time.perf_counter()
        for body, rejected in delivery.post_all(bodies(scenario, days), _IN_FLIGHT):
            assert not rejected
            told.add(body)
        told.seconds = time.perf_counter() - start
        delivery.close()
        stored = server.get("/api/v1/ledger?from=now-1d")["ingest"]["traces"]["stored"]
    return told, stored


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenario", default="everything", help="everything: 32 replicas and all kinds of faults")
    parser.add_argument("--days", type=float, default=7.0)
    parser.add_argument("--short", action="store_const", const=0.5, dest="days", help="half a day only")
    options = parser.parse_args()
    before = sdk_rate()
    alone = generate(options.scenario, options.days)
    after = sdk_rate()
    print(f"{options.scenario}, {options.days:g} days: {alone.requests:,} requests, {alone.spans:,} spans")
    print(f"{alone.size / alone.spans:.0f} bytes and {alone.spans / alone.requests:.2f} spans per request")
    print(f"generation alone: {alone.seconds:.1f} s, {alone.requests / alone.seconds:,.0f} requests/s")
    reference = (before + after) / 2
    print(f"reference, the SDK on one core: {before:,.0f} spans/s before, {after:,.0f} after")
    print(f"ratio {alone.spans / alone.seconds / reference:.2f}")
    sent, stored = ingest(options.scenario, options.days)
    print(f"generation and ingest: {sent.seconds:.1f} s (limit for a week: {_LIMIT_S:.0f} s)")
    print(f"sent {sent.spans:,} spans, the server holds {stored:,}")
    if stored != sent.spans or sent.seconds > _LIMIT_S:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
