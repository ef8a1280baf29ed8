"""The whole cluster: nothing is lost, queueing obeys its laws, faults do what they are planned to do."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from loadtest.fleet.demo_plan import CHAT, demo_fault
from loadtest.fleet.plan import EnginePlan, FleetPlan, Lengths, TrafficPlan
from loadtest.fleet.request import End, Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.traffic import Traffic
from tests.factories.fleets import fleet_plan, run_fleet

BAD = {End.ENGINE_ERROR, End.OVERLOADED, End.RATE_LIMITED, End.TIMED_OUT}


def bad_share(requests: list[Request]) -> float:
    return sum(request.end in BAD or request.target_tokens == 0 for request in requests) / len(requests)


def test_arrivals_are_outcomes_and_in_flight_at_every_instant() -> None:
    plan = fleet_plan(requests_per_day=60_000)
    simulation, ended = run_fleet(plan, 9)
    for minute in range(60):
        simulation.run(9 * 3600 + minute * 11.0)
        assert simulation.arrived == len(ended) + simulation.in_flight
        for route in simulation.routes:
            assert route.forwarded == sum(replica.in_flight for replica in route.replicas)


def test_the_cache_is_never_negative_nor_over_its_budget() -> None:
    simulation, _ = run_fleet(fleet_plan(requests_per_day=60_000), 14)
    for route in simulation.routes:
        for replica in route.replicas:
            assert -1e-3 < replica.kv_used <= replica.kv_highest <= route.plan.engine.kv_tokens + 1e-3


def test_littles_law_holds() -> None:
    """Mean number in the system, sampled, is arrival rate times mean time in the system."""
    begin_s, seconds = 8 * 3600, 12 * 3600
    simulation, ended = run_fleet(fleet_plan(requests_per_day=30_000), 8)
    held = []
    for second in range(seconds):
        simulation.run(begin_s + second + 0.5)
        held.append(simulation.in_flight)
    simulation.run(begin_s + seconds + 3600)
    watched = [request for request in ended if begin_s <= request.arrival_s < begin_s + seconds]
    spent_s = float(np.mean([request.ended_s - request.arrival_s for request in watched]))
    assert float(np.mean(held)) == pytest.approx(len(watched) / seconds * spent_s, rel=0.02)


def test_a_queue_that_theory_knows_waits_as_theory_says() -> None:
    """Slots of constant speed and exponential work are M/M/c: the mean wait follows Erlang's C formula."""
    slots, work_s, rate = 3, 10.0, 0.22
    engine = EnginePlan(slots, 10**9, 10**6, 1e9, 0.0, 0.01, 0.0, 0.0, 0.0, 0.0)
    lengths = Lengths(1, 0.0, 1)
    model = replace(
        CHAT,
        replicas=1,
        share=1.0,
        prompt=lengths,
        engine=engine,
        in_flight_max=10**6,
        timeout_s=1e9,
        context_window=10**7,
    )
    plan = FleetPlan(1, 0, "mmc", (model,), fleet_plan().tenants, TrafficPlan(1.0))
    rng = np.random.default_rng(5)
    arrivals = np.cumsum(rng.exponential(1 / rate, 60_000))
    work = np.maximum(rng.exponential(work_s / 0.01, len(arrivals)), 1).astype(int)
    ended: list[Request] = []
    simulation = Simulation(plan, ended.append)
    simulation.feed(
        Request(number, float(at), 0, 0, 1, int(tokens), 0, False, False, 0.0, 1e12, 0.5, 0.5)  # noqa: FBT003 - columns of a draw
        for number, (at, tokens) in enumerate(zip(arrivals, work, strict=True))
    )
    simulation.run(float(arrivals[-1]))
    waited = float(np.mean([request.scheduled_s - request.arrival_s for request in ended[2000:]]))
    assert waited == pytest.approx(erlang_c_wait(rate, work_s, slots), rel=0.10)


def erlang_c_wait(rate: float, work_s: float, slots: int) -> float:
    offered = rate * work_s
    busy = offered**slots / math.factorial(slots) * slots / (slots - offered)
    waits = busy / (sum(offered**k / math.factorial(k) for k in range(slots)) + busy)
    return waits * work_s / (slots - offered)


def test_the_same_seed_ends_the_same_way() -> None:
    told = [[(r.number, r.end, r.ended_s) for r in run_fleet(fleet_plan(seed), 6)[1]] for seed in (3, 3, 4)]
    assert told[0] == told[1] != told[2]


def test_how_far_one_runs_at_a_time_changes_nothing() -> None:
    at_once = run_fleet(fleet_plan(), 3)[1]
    simulation, ended = _in_steps(fleet_plan())
    assert [(r.number, r.ended_s) for r in ended] == [(r.number, r.ended_s) for r in at_once]
    assert simulation.now_s == 3 * 3600


def _in_steps(plan: FleetPlan) -> tuple[Simulation, list[Request]]:
    ended: list[Request] = []
    simulation = Simulation(plan, ended.append)
    simulation.feed(Traffic(plan).history(0.0, math.inf))
    for second in range(7, 3 * 3600 + 1, 7):
        simulation.run(second)
    simulation.run(3 * 3600)
    return simulation, ended


def test_contention_raises_defects_that_a_quiet_fleet_does_not_have() -> None:
    quiet = bad_share(run_fleet(fleet_plan(requests_per_day=8_000), 24)[1])
    loaded = bad_share(run_fleet(fleet_plan(requests_per_day=45_000), 24)[1])
    assert quiet < 0.008
    assert loaded > 3 * quiet


def test_contention_is_no_function_of_the_rate_but_of_what_the_rate_meets() -> None:
    plan = fleet_plan(requests_per_day=45_000)
    roomy = replace(plan, models=tuple(replace(model, replicas=3 * model.replicas) for model in plan.models))
    assert bad_share(run_fleet(roomy, 24)[1]) < 0.4 * bad_share(run_fleet(plan, 24)[1])


def test_a_bad_replica_shows_from_its_hour_on_and_nowhere_else() -> None:
    _, ended = run_fleet(fleet_plan(), 18, demo_fault(9 * 3600))
    chat = [request for request in ended if request.model == 0 and request.replica >= 0]
    shares = {
        (replica, late): bad_share([r for r in chat if r.replica == replica and (r.arrival_s > 9 * 3600) is late])
        for replica in range(4)
        for late in (False, True)
    }
    assert shares[2, True] > 0.2
    assert max(share for place, share in shares.items() if place != (2, True)) < 0.04


def test_every_end_happens_when_load_is_high_enough() -> None:
    _, ended = run_fleet(fleet_plan(requests_per_day=90_000), 24)
    assert Counter(request.end for request in ended).keys() >= {
        *(End.COMPLETED, End.CONTEXT_TOO_LONG, End.RATE_LIMITED, End.CLIENT_GONE, End.ENGINE_ERROR, End.TIMED_OUT)
    }


def test_a_new_source_replaces_the_old_one() -> None:
    plan = fleet_plan()
    simulation, ended = run_fleet(plan, 1)
    simulation.feed(iter(()))
    arrived = simulation.arrived
    simulation.run(2 * 3600)
    assert simulation.arrived == arrived == len(ended)
