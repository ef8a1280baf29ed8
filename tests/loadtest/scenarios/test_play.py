"""History and live traffic are one simulation."""

from collections.abc import Iterator

import msgspec
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from loadtest.emission.outbox import Body
from loadtest.fleet.timeline import Behave, Burst, Scale
from loadtest.scenarios.demo_schedule import demo_schedule
from loadtest.scenarios.play import Play
from loadtest.scenarios.schema import ScenarioFile
from loadtest.scenarios.truth import TruthRecorder
from tests.factories.fleets import MONDAY_NS, fleet_plan
from tests.factories.otlp_stub import spans_of

HOUR_S = 3600.0
STORY = demo_schedule(fleet_plan()).story()


def play(story: ScenarioFile = STORY, truth: TruthRecorder | None = None, every_s: float | None = None) -> Play:
    return Play(story, fleet_plan(), truth, every_s)


def ids(bodies: list[Body]) -> list[bytes]:
    return [s.span_id for body in bodies for s in spans_of(ExportTraceServiceRequest.FromString(body.payload))]


def seconds_of(one: Play, seconds: int) -> tuple[list[list[Body]], list[int]]:
    """Live traffic, one look a second; bodies of each look and arrivals so far."""
    left: Iterator[int] = iter(range(seconds))
    now_s = one.simulation.now_s
    arrived: list[int] = []

    def wait() -> bool:
        nonlocal now_s
        now_s += 1
        arrived.append(one.simulation.arrived)
        return next(left, None) is not None

    return list(one.live(lambda: MONDAY_NS + int(now_s * 1e9), wait)), arrived


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, again = (list(play(every_s=300.0).history(3 * HOUR_S, 500)) for _ in range(2))
    assert one == again
    assert len(one) > 1


def test_bodies_come_in_the_order_of_time() -> None:
    until = [body.until_s for body in play().history(3 * HOUR_S, 500)]
    assert until == sorted(until)
    assert until[-1] == 3 * HOUR_S


def test_a_history_that_was_broken_off_goes_on_with_exactly_the_rest() -> None:
    whole = list(play().history(4 * HOUR_S, 500))
    told = whole[: len(whole) // 2]
    resumed = play()
    resumed.skip(told[-1].until_s)
    rest = list(resumed.history(4 * HOUR_S, 500))
    assert sorted(ids(told) + ids(rest)) == sorted(ids(whole))


def test_metrics_come_beside_the_spans_and_change_nothing() -> None:
    bare = list(play().history(2 * HOUR_S, 500))
    both = list(play(every_s=300.0).history(2 * HOUR_S, 500))
    assert [body for body in both if body.signal == "traces"] == bare
    metrics = [body for body in both if body.signal == "metrics"]
    assert metrics
    assert all(ExportMetricsServiceRequest.FromString(body.payload).resource_metrics for body in metrics)
    assert sum(body.points for body in metrics) > 1000


def test_metrics_of_live_traffic_have_a_pace_of_their_own() -> None:
    one = play(every_s=300.0)
    list(one.history(HOUR_S, 5000))
    one.begin_live(15.0)
    looks, _ = seconds_of(one, 60)
    seen = [any(body.signal == "metrics" for body in look) for look in looks]
    assert sum(seen) in {3, 4}


def test_live_traffic_follows_the_clock_and_rises() -> None:
    one = play()
    list(one.history(2 * HOUR_S, 5000))
    one.begin_live()
    looks, arrived = seconds_of(one, 600)
    bodies = [body for look in looks for body in look]
    assert one.simulation.now_s == 2 * HOUR_S + 600
    assert arrived[60] - arrived[0] < 0.8 * (arrived[599] - arrived[539])
    assert len(set(ids(bodies))) == len(ids(bodies))
    assert all(len(ExportTraceServiceRequest.FromString(body.payload).resource_spans) == 1 for body in bodies)


def test_what_happens_live_begins_with_live_traffic_and_is_part_of_the_truth() -> None:
    truth = TruthRecorder(fleet_plan(), STORY.timeline)
    one = play(truth=truth)
    list(one.history(HOUR_S, 5000))
    one.begin_live()
    seconds_of(one, 400)
    (happening,) = truth.document()["timeline"]
    assert happening["from"] == "2025-11-24T01:02:00.000Z"
    assert happening["requests"] > 0


def test_without_a_rise_the_typical_week_goes_on() -> None:
    one = play(msgspec.structs.replace(STORY, rise=None, live=()))
    list(one.history(HOUR_S, 5000))
    arrived = one.simulation.arrived
    one.begin_live()
    seconds_of(one, 600)
    assert 0 < one.simulation.arrived - arrived < 200


def test_a_live_burst_within_an_hour_that_was_told_uses_no_id_twice() -> None:
    burst = Burst(at_s=0.0, for_s=900.0, factor=3.0)
    for seed in range(1, 4):
        one = Play(msgspec.structs.replace(STORY, live=(burst,), rise=None), fleet_plan(seed, 120_000))
        one.skip(HOUR_S + 1700.0)
        told = ids(list(one.history(HOUR_S + 1815.0, 5000)))
        one.begin_live()
        looks, _ = seconds_of(one, 200)
        told += ids([body for look in looks for body in look])
        assert len(set(told)) == len(told)


def test_a_live_part_may_speak_of_replicas_that_it_adds_itself() -> None:
    name = fleet_plan().models[0].name
    live = (Behave(at_s=60.0, model=name, replicas=(5,), speed=0.5), Scale(at_s=10.0, model=name, to=6))
    one = play(msgspec.structs.replace(STORY, live=live))
    one.skip(HOUR_S)
    one.begin_live()
    one.simulation.run(HOUR_S + 300.0)
    assert one.simulation.pools[0].replicas[5].behaviour.speed == 0.5
