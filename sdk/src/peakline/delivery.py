"""What became of the spans: how many were sent, and how many were dropped because nobody took them in time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

LOG = logging.getLogger("peakline")


@dataclass(frozen=True)
class Delivery:
    """Spans by what became of them; ended = sent + failed + overflowed + waiting.

    failed      given up after the exporter's own retries
    overflowed  pushed out of a full queue, or ended after the shutdown
    waiting     in the queue or on their way
    """

    ended: int
    sent: int
    failed: int
    overflowed: int

    @property
    def waiting(self) -> int:
        """Spans not decided yet."""
        return self.ended - self.sent - self.failed - self.overflowed

    @property
    def dropped(self) -> int:
        """Spans that are lost."""
        return self.failed + self.overflowed


class Counter:
    """Counts spans on their way; thread-safe."""

    def __init__(self, queue_spans_max: int) -> None:
        self._lock = threading.Lock()
        self._queue_spans_max = queue_spans_max
        self._ended = self._sent = self._failed = self._overflowed = 0
        self._is_closed = False

    def span_ended(self) -> None:
        """A span enters the queue, which drops its oldest when it is full."""
        with self._lock:
            self._ended += 1
            waiting = self._ended - self._sent - self._failed - self._overflowed
            if self._is_closed or waiting > self._queue_spans_max:
                self._overflowed += 1

    def spans_exported(self, spans: int, result: SpanExportResult) -> None:
        """A batch left the queue."""
        with self._lock:
            if result is SpanExportResult.SUCCESS:
                self._sent += spans
            else:
                self._failed += spans

    def close(self) -> None:
        """Nothing is sent from now on: what still waits is lost."""
        with self._lock:
            self._is_closed = True
            self._overflowed = self._ended - self._sent - self._failed

    def delivery(self) -> Delivery:
        """The counts now."""
        with self._lock:
            return Delivery(self._ended, self._sent, self._failed, self._overflowed)


class CountingExporter(SpanExporter):
    """Hands spans to another exporter, and counts how that went."""

    def __init__(self, exporter: SpanExporter, counter: Counter) -> None:
        self._exporter = exporter
        self._counter = counter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export; an exporter that raises is an exporter that failed."""
        try:
            result = self._exporter.export(spans)
        except Exception:  # whatever goes wrong while sending stays out of the request path
            LOG.debug("sending spans failed", exc_info=True)
            result = SpanExportResult.FAILURE
        self._counter.spans_exported(len(spans), result)
        return result

    def shutdown(self) -> None:
        """Close the exporter."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Flush the exporter."""
        return self._exporter.force_flush(timeout_millis)


class CountingProcessor(BatchSpanProcessor):
    """A batch processor that knows how many spans it was given, and says at the end how many were lost."""

    def __init__(self, exporter: SpanExporter, counter: Counter, queue_spans_max: int, delay_ms: float) -> None:
        super().__init__(
            CountingExporter(exporter, counter),
            max_queue_size=queue_spans_max,
            schedule_delay_millis=delay_ms,
            max_export_batch_size=min(512, queue_spans_max),
        )
        self._counter = counter

    def on_end(self, span: ReadableSpan) -> None:
        """Queue a span."""
        if span.context is not None and span.context.trace_flags.sampled:
            self._counter.span_ended()
        super().on_end(span)

    def shutdown(self) -> None:
        """Send what waits, then close; safe to call twice."""
        super().shutdown()  # type: ignore[no-untyped-call]  # unannotated in OpenTelemetry
        self._counter.close()
        if dropped := self._counter.delivery().dropped:
            LOG.warning("%d spans were dropped: the endpoint was unreachable or too slow", dropped)


class _Current:
    counter: Counter | None = None


def use(counter: Counter) -> None:
    """Make a counter the one that `delivery` reports."""
    _Current.counter = counter


def delivery() -> Delivery:
    """What became of the spans since `configure` was called last; all zero before."""
    return _Current.counter.delivery() if _Current.counter else Delivery(0, 0, 0, 0)


def dropped_spans() -> int:
    """Spans lost since `configure` was called last; export it as a metric of your server."""
    return delivery().dropped
