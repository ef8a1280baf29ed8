import logging

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult

from peakline import configure, delivery, dropped_spans, inference_span
from peakline.delivery import Counter, Delivery
from sdk.tests.receiver import Receiver


def emit(spans: int) -> None:
    for _ in range(spans):
        inference_span("chat", "llama").__exit__(None, None, None)


def closed(provider: TracerProvider) -> Delivery:
    provider.shutdown()
    return delivery()


def test_every_span_sent_is_counted(receiver: Receiver) -> None:
    provider = configure("chat", endpoint=receiver.endpoint, delay_ms=60_000)
    emit(20)
    assert delivery() == Delivery(20, 0, 0, 0)
    assert delivery().waiting == 20
    provider.force_flush()
    assert delivery() == Delivery(20, 20, 0, 0)
    assert len(receiver.spans) == 20
    assert dropped_spans() == 0
    provider.shutdown()


def test_a_refusing_endpoint_loses_spans_and_says_so(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    receiver.status = 400
    provider = configure("chat", endpoint=receiver.endpoint, delay_ms=60_000)
    emit(3)
    with caplog.at_level(logging.WARNING, logger="peakline"):
        assert closed(provider) == Delivery(3, 0, 3, 0)
    assert "3 spans were dropped" in caplog.text


def test_a_full_queue_drops_and_counts(receiver: Receiver) -> None:
    provider = configure("chat", endpoint=receiver.endpoint, queue_spans_max=100, delay_ms=60_000)
    processor = provider._active_span_processor._span_processors[0]
    with processor._batch_processor._export_lock:  # type: ignore[attr-defined]  # nothing leaves the queue meanwhile
        emit(250)
        assert delivery().dropped == 150
    assert closed(provider) == Delivery(250, 100, 0, 150)
    assert len(receiver.spans) == 100


def test_spans_after_the_shutdown_are_lost_and_counted(receiver: Receiver) -> None:
    provider = configure("chat", endpoint=receiver.endpoint)
    provider.shutdown()
    emit(2)
    assert dropped_spans() in {0, 2}  # a provider that is shut down may make no spans at all


def test_spans_left_at_the_end_are_lost() -> None:
    counter = Counter(10)
    for _ in range(4):
        counter.span_ended()
    counter.spans_exported(3, SpanExportResult.SUCCESS)
    counter.close()
    assert counter.delivery() == Delivery(4, 3, 0, 1)
