"""History and live traffic are one simulation."""

from collections.abc import Iterator

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from loadtest.fleet.demo_schedule import demo_schedule
from loadtest.fleet.fleet import Fleet
from loadtest.fleet.outbox import Body
from tests.factories.fleets import MONDAY_NS, fleet_plan
from tests.factories.otlp_stub import spans_of

HOUR_S = 3600.0


def ids(bodies: list[Body]) -> list[bytes]:
    return [s.span_id for body in bodies for s in spans_of(ExportTraceServiceRequest.FromString(body.payload))]


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, again = (list(Fleet(fleet_plan()).history(3 * HOUR_S, 500)) for _ in range(2))
    assert one == again
    assert len(one) > 1


def test_bodies_come_in_the_order_of_time() -> None:
    until = [body.until_s for body in Fleet(fleet_plan()).history(3 * HOUR_S, 500)]
    assert until == sorted(until)
    assert until[-1] == 3 * HOUR_S


def test_a_history_that_was_broken_off_goes_on_with_exactly_the_rest() -> None:
    whole = list(Fleet(fleet_plan()).history(4 * HOUR_S, 500))
    told = whole[: len(whole) // 2]
    resumed = Fleet(fleet_plan())
    resumed.skip(told[-1].until_s)
    rest = list(resumed.history(4 * HOUR_S, 500))
    assert sorted(ids(told) + ids(rest)) == sorted(ids(whole))


def test_live_traffic_follows_the_clock_and_rises() -> None:
    fleet = Fleet(fleet_plan())
    list(fleet.history(2 * HOUR_S, 5000))
    schedule = demo_schedule(fleet.plan)
    fleet.start_rise(schedule.rise, schedule.fault(2 * HOUR_S))
    seconds: Iterator[int] = iter(range(600))
    now_s = 2 * HOUR_S
    arrived: list[int] = []

    def wait() -> bool:
        nonlocal now_s
        now_s += 1
        arrived.append(fleet.simulation.arrived)
        return next(seconds, None) is not None

    bodies = [body for tick in fleet.live(lambda: MONDAY_NS + int(now_s * 1e9), wait) for body in tick]
    assert fleet.simulation.now_s == 2 * HOUR_S + 600
    assert arrived[60] - arrived[0] < 0.8 * (arrived[599] - arrived[539])
    assert len(set(ids(bodies))) == len(ids(bodies))
    assert all(len(ExportTraceServiceRequest.FromString(body.payload).resource_spans) == 1 for body in bodies)
