"""Bodies through the real OpenTelemetry SDK: a tracer provider, batch processor and OTLP/HTTP exporter per process."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import NamedTuple

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans
from opentelemetry.sdk.metrics.export import MetricExportResult
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from loadtest.emission.metric_replay import metrics_data
from loadtest.emission.outbox import Body
from loadtest.emission.replay import Process

QUEUE_MAX, BATCH_MAX = 8_192, 512
_DELAY_MS = 1_000.0
_WAITING_METRICS_MAX = 256


class Tally:
    """What became of what was exported; every exporter's thread adds to it.

    exported, failed                spans whose export was answered with success, or finally was not
    exported_points, failed_points  data points, likewise
    """

    def __init__(self) -> None:
        self.exported = self.failed = self.exported_points = self.failed_points = 0
        self._lock = Lock()

    def spans(self, count: int, *, is_success: bool) -> None:
        """Spans of one export."""
        with self._lock:
            self.exported += count * is_success
            self.failed += count * (not is_success)

    def points(self, count: int, *, is_success: bool) -> None:
        """Data points of one export."""
        with self._lock:
            self.exported_points += count * is_success
            self.failed_points += count * (not is_success)


class _CountedExporter(SpanExporter):
    """Tells the tally what the real exporter answers; `given` counts the spans that it answered for."""

    def __init__(self, exporter: SpanExporter, tally: Tally) -> None:
        self._exporter = exporter
        self._tally = tally
        self.given = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = SpanExportResult.FAILURE
        try:
            result = self._exporter.export(spans)
        finally:
            self.given += len(spans)
            self._tally.spans(len(spans), is_success=result is SpanExportResult.SUCCESS)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()


class _Waiting(NamedTuple):
    """Metrics on their way."""

    exported: Future[None]
    points: int


@dataclass(slots=True)
class _Emitter:
    """A process with its exporter; `emitted` spans were ended in it, `used_s` says when the last time."""

    process: Process
    exporter: _CountedExporter
    emitted: int = 0
    used_s: float = 0.0


class SdkEmitters:
    """Emits live bodies as their processes would.

    endpoint   base URL of an OTLP/HTTP receiver; /v1/traces and /v1/metrics are added
    timeout_s  after which an exporter, its own repetitions included, gives a batch up
    idle_s     a process that emitted nothing for so long is shut down, as one that a restart replaced
    clock      seconds, for `idle_s`
    """

    def __init__(
        self, endpoint: str, timeout_s: float = 10.0, idle_s: float = 600.0, clock: Callable[[], float] = monotonic
    ) -> None:
        self.tally = Tally()
        self._endpoint = endpoint.rstrip("/")
        self._timeout_s = timeout_s
        self._idle_s = idle_s
        self._clock = clock
        self._emitters: dict[bytes, _Emitter] = {}
        self._metrics = OTLPMetricExporter(
            f"{self._endpoint}/v1/metrics", timeout=timeout_s, compression=Compression.Gzip
        )
        self._worker = ThreadPoolExecutor(1, "metrics")
        self._waiting: deque[_Waiting] = deque()

    @property
    def processes(self) -> int:
        """Processes that have a provider at the moment."""
        return len(self._emitters)

    def emit(self, bodies: Iterable[Body]) -> None:
        """Replay bodies of one process each. Blocks only where a queue would overflow."""
        for body in bodies:
            if body.signal == "metrics":
                self._emit_metrics(body)
            else:
                for written in ExportTraceServiceRequest.FromString(body.payload).resource_spans:
                    self._emit_spans(written)
        self._close_idle()

    def flush(self) -> None:
        """Returns when all that was emitted has been exported, or has failed."""
        self._flush_spans()
        for waiting in self._waiting:
            waiting.exported.result()

    def close(self) -> None:
        """Flush, then end all processes. What is still refused after one more time-out of the exporter has failed."""
        self._flush_spans()
        self._give_up_metrics(self._clock() + self._timeout_s)
        for emitter in self._emitters.values():
            emitter.process.provider.shutdown()
        self._emitters.clear()
        self._worker.shutdown()
        self._metrics.shutdown()

    def _flush_spans(self) -> None:
        """All processes at once, as each would by itself: a receiver that is gone costs one time-out, not one each."""
        if self._emitters:
            with ThreadPoolExecutor(len(self._emitters), "flush") as threads:
                list(threads.map(lambda emitter: emitter.process.provider.force_flush(), self._emitters.values()))

    def _give_up_metrics(self, deadline_s: float) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            try:
                waiting.exported.result(max(deadline_s - self._clock(), 0.0))
            except TimeoutError:
                if waiting.exported.cancel():
                    self.tally.points(waiting.points, is_success=False)

    def _emit_spans(self, written: ResourceSpans) -> None:
        emitter = self._emitter(written)
        emitter.used_s = self._clock()
        for scope_spans in written.scope_spans:
            for span in scope_spans.spans:
                if emitter.emitted - emitter.exporter.given >= QUEUE_MAX:
                    emitter.process.provider.force_flush()
                emitter.process.replay(scope_spans.scope, span)
                emitter.emitted += 1

    def _emitter(self, written: ResourceSpans) -> _Emitter:
        key = written.resource.SerializeToString()
        if key not in self._emitters:
            real = OTLPSpanExporter(
                f"{self._endpoint}/v1/traces", timeout=self._timeout_s, compression=Compression.Gzip
            )
            exporter = _CountedExporter(real, self.tally)
            processor = BatchSpanProcessor(exporter, QUEUE_MAX, _DELAY_MS, BATCH_MAX)
            self._emitters[key] = _Emitter(Process(written.resource, processor), exporter)
        return self._emitters[key]

    def _emit_metrics(self, body: Body) -> None:
        while len(self._waiting) >= _WAITING_METRICS_MAX or (self._waiting and self._waiting[0].exported.done()):
            self._waiting.popleft().exported.result()
        self._waiting.append(_Waiting(self._worker.submit(self._export_metrics, body), body.points))

    def _export_metrics(self, body: Body) -> None:
        result = self._metrics.export(metrics_data(body.payload))
        self.tally.points(body.points, is_success=result is MetricExportResult.SUCCESS)

    def _close_idle(self) -> None:
        oldest_s = self._clock() - self._idle_s
        for key, emitter in list(self._emitters.items()):
            if emitter.used_s < oldest_s:
                emitter.process.provider.shutdown()
                del self._emitters[key]
