"""The real SDK over real HTTP: every span and every point arrives, and what does not is counted."""

from collections import Counter
from collections.abc import Iterator
from itertools import count

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from loadtest.emission import sdk
from loadtest.emission.outbox import Body, Outbox
from loadtest.emission.sdk import SdkEmitters
from loadtest.fleet.notes import TelemetryState
from tests.factories.emissions import Emitted, Receiver, emission_plan, finished, receiving, spans_in
from tests.factories.otlp_stub import spans_of

PLAN = emission_plan()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def bodies_of(numbers: range) -> list[Body]:
    outbox = Outbox(PLAN, TelemetryState())
    for number in numbers:
        outbox.add(finished(PLAN, number))
    return outbox.take_by_source(0.0)


def arrived(receiver: Receiver) -> Counter[bytes]:
    return Counter(span.SerializeToString() for body in receiver.traces for span in spans_of(body))


def test_every_span_of_a_run_arrives_once_and_unchanged(eventful: Emitted, receiver: Receiver) -> None:
    emitters = SdkEmitters(receiver.url)
    for start in range(0, len(eventful.traces), 10):
        emitters.emit(eventful.traces[start : start + 10])
    processes = emitters.processes
    emitters.close()
    written = spans_in(eventful.traces)
    assert (emitters.tally.exported, emitters.tally.failed) == (len(written), 0)
    assert arrived(receiver) == Counter(span.SerializeToString() for span in written)
    assert processes == len({resource_of(body) for body in eventful.traces})


def resource_of(body: Body) -> bytes:
    return bytes(ExportTraceServiceRequest.FromString(body.payload).resource_spans[0].resource.SerializeToString())


def test_every_body_comes_from_one_process(eventful: Emitted, receiver: Receiver) -> None:
    emitters = SdkEmitters(receiver.url)
    emitters.emit(eventful.traces[:30])
    emitters.close()
    assert {len(body.resource_spans) for body in receiver.traces} == {1}


def test_every_point_arrives_once_and_unchanged(eventful: Emitted, receiver: Receiver) -> None:
    emitters = SdkEmitters(receiver.url)
    emitters.emit(eventful.metrics[:20])
    emitters.flush()
    assert receiver.metrics == [ExportMetricsServiceRequest.FromString(body.payload) for body in eventful.metrics[:20]]
    assert emitters.tally.exported_points == sum(body.points for body in eventful.metrics[:20])
    emitters.close()


def test_nothing_is_dropped_when_a_body_is_larger_than_a_queue(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sdk, "QUEUE_MAX", 64)
    monkeypatch.setattr(sdk, "BATCH_MAX", 16)
    emitters = SdkEmitters(receiver.url)
    emitters.emit(bodies_of(range(300)))
    emitters.close()
    assert (emitters.tally.exported, emitters.tally.failed, len(arrived(receiver))) == (600, 0, 600)


def test_a_busy_receiver_is_asked_again(receiver: Receiver) -> None:
    receiver.script = [503]
    emitters = SdkEmitters(receiver.url)
    emitters.emit(bodies_of(range(1)))
    emitters.close()
    assert (emitters.tally.exported, emitters.tally.failed) == (2, 0)


def test_what_is_refused_for_good_is_counted(eventful: Emitted, receiver: Receiver) -> None:
    receiver.script = [400] * 3
    emitters = SdkEmitters(receiver.url)
    emitters.emit(bodies_of(range(5)))
    emitters.flush()
    emitters.emit(eventful.metrics[:1])
    emitters.close()
    assert (emitters.tally.exported, emitters.tally.failed) == (0, 10)
    assert (emitters.tally.exported_points, emitters.tally.failed_points) == (0, eventful.metrics[0].points)


def test_a_process_that_says_nothing_any_more_is_shut_down(receiver: Receiver) -> None:
    ticks = count()
    emitters = SdkEmitters(receiver.url, idle_s=50.0, clock=lambda: float(next(ticks) * 20))
    gateway, engine = bodies_of(range(3))
    emitters.emit([gateway, engine])
    assert emitters.processes == 2
    for _ in range(3):
        emitters.emit([gateway])
    assert emitters.processes == 1
    emitters.close()
    assert emitters.tally.exported == 3 * 4 + 3


def test_a_receiver_that_is_gone_costs_one_time_out_and_everything_is_counted_as_failed(eventful: Emitted) -> None:
    with receiving() as gone:
        url = gone.url
    emitters = SdkEmitters(url, timeout_s=0.2)
    emitters.emit([*bodies_of(range(20)), *eventful.metrics[:12]])
    emitters.close()
    tally = emitters.tally
    assert (tally.exported, tally.failed, tally.exported_points) == (0, 40, 0)
    assert tally.failed_points == sum(body.points for body in eventful.metrics[:12])
