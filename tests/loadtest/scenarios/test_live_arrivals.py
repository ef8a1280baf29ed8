"""Bursts of live traffic lie on top of its rise."""

from itertools import takewhile

from loadtest.fleet.plan import RisePlan
from loadtest.fleet.request import Request
from loadtest.fleet.timeline import Burst, Timeline
from loadtest.scenarios.live_arrivals import live_arrivals
from tests.factories.fleets import fleet_plan

PLAN = fleet_plan(requests_per_day=200_000)
RISE = RisePlan(from_factor=1.0, to_factor=1.0, rise_s=10)
START_S = 7200.0
BURST = Burst(at_s=START_S + 100, for_s=100, factor=3.0)


def drawn(live: Timeline, seconds: float = 300) -> list[Request]:
    arrivals = live_arrivals(PLAN, START_S, RISE, live)
    return list(takewhile(lambda request: request.arrival_s < START_S + seconds, arrivals))


def between(requests: list[Request], start_s: float, end_s: float) -> int:
    return sum(START_S + start_s <= request.arrival_s < START_S + end_s for request in requests)


def test_without_bursts_it_is_the_rise() -> None:
    requests = drawn(())
    assert [request.number for request in requests] == [request.number for request in drawn(())]
    assert 0.8 < between(requests, 0, 150) / between(requests, 150, 300) < 1.25


def test_a_burst_multiplies_arrivals_while_it_lasts() -> None:
    before, during = drawn(()), drawn((BURST,))
    assert between(during, 0, 100) == between(before, 0, 100)
    assert between(during, 200, 300) == between(before, 200, 300)
    assert 2.5 < between(during, 100, 200) / between(before, 100, 200) < 3.5


def test_arrivals_stay_in_order_and_numbers_and_sessions_unique() -> None:
    requests = drawn((BURST, Burst(at_s=START_S + 150, for_s=50, factor=2.0)))
    assert [one.arrival_s for one in requests] == sorted(one.arrival_s for one in requests)
    assert len({one.number for one in requests}) == len(requests)
    owners: dict[int, set[tuple[int, int]]] = {}
    for one in requests:
        owners.setdefault(one.session, set()).add((one.tenant, one.model))
    assert all(len(found) == 1 for session, found in owners.items() if session >= 0)


def test_a_burst_of_one_tier_brings_that_tier_only() -> None:
    core = {at for at, tenant in enumerate(PLAN.tenants) if tenant.service_tier == "core"}
    requests = drawn((Burst(at_s=START_S + 100, for_s=100, factor=3.0, service_tier="core"),))
    added = {one.number for one in requests} - {one.number for one in drawn(())}
    assert added
    assert all(one.tenant in core for one in requests if one.number in added)
