"""The whole cluster: nothing is lost, queueing obeys its laws, faults do what they are planned to do."""

import math
from collections import Counter
from functools import cache
from heapq import heappop, heappush
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace

from loadtest.fleet.clients import FIRST_REPETITION
from loadtest.fleet.plan import (
    DependencyPlan,
    EnginePlan,
    FleetPlan,
    GatewayPlan,
    Lengths,
    RateLimit,
    Retries,
    Version,
)
from loadtest.fleet.request import End, Phase, Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import (
    Behave,
    Burst,
    ChangeClients,
    Deploy,
    FailDependency,
    LeakDescriptors,
    LimitRate,
    LoseSpans,
    Sample,
    Scale,
    ShrinkCache,
    SkewClock,
    SlowLink,
    Spread,
    Timeline,
    Train,
)
from loadtest.fleet.traffic import Traffic
from loadtest.scenarios.demo_plan import CHAT, demo_fault
from tests.factories.clusters import CALM, MODEL, NO_RETRIES, ROOMY, Scene, asking, cluster_plan
from tests.factories.fleets import fleet_plan, run_fleet

HOUR_S = 3600.0
LONG_S = 900.0
BAD = {End.ENGINE_ERROR, End.OVERLOADED, End.QUEUE_FULL, End.TIMED_OUT, End.NO_REPLICA, End.REPLICA_LOST}
LATENCY = Lengths(median=3.0, spread=0.5, largest=400)
DEPENDENCIES = (
    DependencyPlan(name="redis", kind="cache", system="redis", latency_ms=LATENCY),
    DependencyPlan(name="milvus", kind="vector", system="milvus", latency_ms=LATENCY, share=0.2, is_needed=True),
    DependencyPlan(name="kafka", kind="queue", system="kafka", latency_ms=LATENCY),
)
MEAN_WHILE = Version(revision="next", behaviour=replace(CALM, output_factor=1.2))


def bad_share(requests: list[Request]) -> float:
    return sum(request.end in BAD or request.target_tokens == 0 for request in requests) / len(requests)


@cache
def bad_share_of_a_day(requests_per_day: float, replicas_factor: int = 1) -> float:
    """Up to the evening of a Monday, when nobody tries again."""
    plan = without_repetitions(fleet_plan(requests_per_day=requests_per_day))
    models = tuple(replace(model, replicas=replicas_factor * model.replicas) for model in plan.models)
    return bad_share(run_fleet(replace(plan, models=models), 20)[1])


def without_repetitions(plan: FleetPlan) -> FleetPlan:
    return replace(plan, clients=NO_RETRIES)


def everything() -> Timeline:
    """Every kind of happening within one hour, several at once, begun and ended."""
    chat = CHAT.name
    return (
        Behave(at_s=100.0, model=chat, replicas=(1,), error_probability=0.3, hang_probability=0.02, for_s=LONG_S),
        Behave(at_s=400.0, model=chat, replicas=(2,), speed=0.0, for_s=LONG_S),
        ShrinkCache(at_s=200.0, model=chat, replicas=(0,), share=0.9, for_s=LONG_S),
        Spread(at_s=300.0, model=chat, replicas=(0,), cards=4, for_s=LONG_S),
        SlowLink(at_s=350.0, rack=0, factor=5.0, for_s=LONG_S),
        Train(at_s=500.0, model=chat, replicas=(3,), mode="evict", for_s=LONG_S),
        Train(at_s=600.0, model=chat, replicas=(0, 1), for_s=LONG_S),
        Deploy(at_s=700.0, model=chat, version=MEAN_WHILE, every_s=30.0),
        Deploy(at_s=1500.0, model=chat, replicas=(1,), version=MEAN_WHILE, mode="in_place", every_s=30.0),
        Deploy(at_s=2000.0, model=chat, replicas=(2,), version=MEAN_WHILE, mode="canary", share=0.2, for_s=LONG_S),
        Scale(at_s=800.0, model=chat, to=6, for_s=LONG_S),
        Scale(at_s=2200.0, model=chat, to=2, for_s=LONG_S),
        LeakDescriptors(at_s=900.0, gateway=0, per_s=3.0, for_s=LONG_S),
        LimitRate(at_s=1000.0, limit=RateLimit(requests_per_s=0.05, burst=4), service_tier="core", for_s=LONG_S),
        ChangeClients(at_s=0.0, retries=Retries(share=1.0, attempts_max=4, backoff_s=1.0), for_s=LONG_S),
        FailDependency(at_s=1100.0, dependency="redis", for_s=LONG_S),
        FailDependency(at_s=1200.0, dependency="milvus", for_s=LONG_S),
        FailDependency(at_s=1300.0, for_s=60.0, dependency="kafka"),
        Burst(at_s=1400.0, factor=3.0, for_s=LONG_S),
        LoseSpans(at_s=100.0, share=0.2, for_s=LONG_S),
        SkewClock(at_s=100.0, model=chat, skew_ms=40.0, for_s=LONG_S),
        Sample(at_s=100.0, share=0.5, for_s=LONG_S),
    )


def busy_plan() -> FleetPlan:
    """Two gateways with few descriptors, dependencies, and more traffic than fits."""
    return replace(
        fleet_plan(requests_per_day=70_000),
        gateway=GatewayPlan(count=2, fd_limit=90, fd_idle=20),
        dependencies=DEPENDENCIES,
    )


class TestConservation:
    """Arrivals are outcomes and what is in flight, at every instant."""

    def test_with_everything_at_once(self) -> None:
        plan, timeline, rng = busy_plan(), everything(), Random(1)
        ended: list[Request] = []
        simulation = Simulation(plan, ended.append, timeline)
        simulation.feed(Traffic(plan, timeline).history(0.0, HOUR_S))
        for instant in sorted(rng.uniform(0.0, 1.2 * HOUR_S) for _ in range(700)):
            simulation.run(instant)
            assert simulation.arrived == len(ended) + simulation.in_flight
            self._check_gateways(simulation)
        assert len({request.number for request in ended}) == len(ended)
        assert all(request.phase is Phase.ENDED for request in ended)
        assert simulation.in_flight == 0
        met = 0
        for request in ended:
            met |= request.exposure
        assert met == (1 << len(timeline)) - 1

    @staticmethod
    def _check_gateways(simulation: Simulation) -> None:
        for gateway in simulation.gateways:
            phases = Counter(request.phase for request in gateway.held)
            at_engine = phases[Phase.ENGINE_QUEUE] + phases[Phase.PREFILL] + phases[Phase.DECODE]
            assert gateway.forwarded == at_engine
            assert gateway.queued == phases[Phase.GATEWAY_QUEUE]
            assert sum(lane.taken for lane in gateway.lanes) == at_engine + phases[Phase.BACKOFF]
            assert all(0 <= lane.taken <= lane.places for lane in gateway.lanes)
            assert gateway.descriptors.open == gateway.in_flight + gateway.forwarded
            assert gateway.fds_used <= gateway.fd_limit
            assert not phases[Phase.NEW]
            assert not phases[Phase.ENDED]
        held = sum(gateway.forwarded for gateway in simulation.gateways)
        assert held <= sum(replica.in_flight for pool in simulation.pools for replica in pool.replicas)
        calls = sum(dependency.in_flight for dependency in simulation.dependencies)
        assert calls == sum(request.phase is Phase.DEPENDENCY for one in simulation.gateways for request in one.held)

    def test_in_a_quiet_fleet_engines_hold_what_gateways_forwarded(self) -> None:
        simulation, ended = run_fleet(fleet_plan(requests_per_day=60_000), 9)
        for minute in range(60):
            simulation.run(9 * HOUR_S + minute * 11.0)
            assert simulation.arrived == len(ended) + simulation.in_flight
            forwarded = sum(gateway.forwarded for gateway in simulation.gateways)
            assert forwarded >= sum(replica.in_flight for pool in simulation.pools for replica in pool.replicas)

    def test_the_cache_is_never_negative_nor_over_its_budget(self) -> None:
        simulation, _ = run_fleet(fleet_plan(requests_per_day=80_000), 8)
        for step in range(300):
            simulation.run(8 * HOUR_S + 7.0 * step)
            for pool in simulation.pools:
                for replica in pool.replicas:
                    kv = replica.kv
                    assert kv.used >= 0.0
                    assert kv.cached >= 0
                    assert kv.used + kv.cached <= kv.capacity + 1e-3


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


WORK_S = 10.0


@pytest.mark.parametrize(("slots", "rate"), [(1, 0.05), (3, 0.22), (5, 0.40)])
def test_a_queue_that_theory_knows_waits_as_theory_says(slots: int, rate: float) -> None:
    """Slots of constant speed and exponential work are M/M/c: the mean wait follows Erlang's C formula."""
    rng = np.random.default_rng(5)
    arrivals = np.cumsum(rng.exponential(1 / rate, 40_000))
    work = np.maximum(rng.exponential(WORK_S / 0.01, len(arrivals)), 1).astype(int)
    ended: list[Request] = []
    simulation = Simulation(queue_of(slots), ended.append)
    simulation.feed(
        asking(number, arrival_s=float(at_s), prompt=1, output=int(tokens), limit_tokens=10**9)
        for number, (at_s, tokens) in enumerate(zip(arrivals, work, strict=True))
    )
    simulation.run(float(arrivals[-1]))
    waited = float(np.mean([request.scheduled_s - request.arrival_s for request in ended[2000:]]))
    assert waited == pytest.approx(erlang_c_wait(rate, WORK_S, slots), rel=0.10)


def test_each_wait_is_that_of_first_come_first_served() -> None:
    """Request by request as the recursion of Kiefer and Wolfowitz has it."""
    rng, free_s, expected = Random(3), [0.0] * 4, []
    requests, now_s = [], 0.0
    for number in range(4_000):
        now_s += rng.expovariate(0.37)
        requests.append(
            asking(number, arrival_s=now_s, prompt=1, output=1 + int(rng.expovariate(0.001)), limit_tokens=10**9)
        )
        begin_s = max(now_s, heappop(free_s))
        heappush(free_s, begin_s + (requests[-1].natural_tokens - 1) * 0.01)
        expected.append(begin_s - now_s)
    simulation = Simulation(queue_of(4), lambda _: None)
    simulation.feed(iter(requests))
    simulation.run(1e6)
    assert max(expected) > 10.0
    assert [request.scheduled_s - request.arrival_s for request in requests] == pytest.approx(expected, abs=1e-5)


def queue_of(slots: int) -> FleetPlan:
    """Slots that produce 100 tokens a second each, whatever their neighbours do."""
    engine = EnginePlan(
        batch_max=slots, kv_tokens=10**9, queue_max=10**6, prefill_tokens_per_s=1e9, prefill_share=0.0, step_s=0.01
    )
    model = replace(
        MODEL, replicas=1, engine=engine, in_flight_max=10**6, timeout_s=1e9, context_window=10**7, affinity=False
    )
    return cluster_plan(model, gateway=GatewayPlan(fd_limit=10**7, retries=NO_RETRIES))


def erlang_c_wait(rate: float, work_s: float, slots: int) -> float:
    offered = rate * work_s
    busy = offered**slots / math.factorial(slots) * slots / (slots - offered)
    waits = busy / (sum(offered**k / math.factorial(k) for k in range(slots)) + busy)
    return waits * work_s / (slots - offered)


class TestDeterminism:
    """Equal plans, timelines and seeds end in the same way."""

    def test_the_same_seed_ends_the_same_way(self) -> None:
        told = [[(r.number, r.end, r.ended_s) for r in run_fleet(fleet_plan(seed), 6)[1]] for seed in (3, 3, 4)]
        assert told[0] == told[1] != told[2]

    def test_how_far_one_runs_at_a_time_changes_nothing(self) -> None:
        at_once = _told(math.inf)
        assert _told(7.0) == _told(61.3) == at_once
        assert len(at_once[0]) > 1_500


def _told(step_s: float) -> tuple[list[tuple[object, ...]], list[object]]:
    """All that a run with everything in it tells, in steps of so many seconds."""
    plan, timeline = busy_plan(), everything()
    ended: list[Request] = []
    simulation = Simulation(plan, ended.append, timeline)
    simulation.feed(Traffic(plan, timeline).history(0.0, math.inf))
    while simulation.now_s < HOUR_S:
        simulation.run(min(simulation.now_s + step_s, HOUR_S))
    told: list[tuple[object, ...]] = [
        (one.number, one.end, one.ended_s, one.first_token_s, one.exposure, one.identity, *one.calls, *one.earlier)
        for one in ended
    ]
    return told, list(simulation.notes)


class TestDefects:
    """Defects come out of queues, caches, limits and behaviours."""

    def test_contention_raises_defects_that_a_quiet_fleet_does_not_have(self) -> None:
        quiet = bad_share_of_a_day(8_000)
        assert quiet < 0.008
        assert bad_share_of_a_day(45_000) > 3 * quiet

    def test_contention_is_no_function_of_the_rate_but_of_what_the_rate_meets(self) -> None:
        assert bad_share_of_a_day(45_000, replicas_factor=3) < 0.4 * bad_share_of_a_day(45_000)

    def test_a_bad_replica_shows_from_its_hour_on_and_nowhere_else(self) -> None:
        _, ended = run_fleet(fleet_plan(), 18, (demo_fault(9 * HOUR_S),))
        by_place: dict[tuple[int, bool], list[bool]] = {}
        for request in ended:
            is_late = request.arrival_s > 9 * HOUR_S
            for attempt in request.earlier:
                if request.model == 0:
                    by_place.setdefault((attempt.identity.place, is_late), []).append(True)
            if request.model == 0 and request.place >= 0:
                by_place.setdefault((request.place, is_late), []).append(bad_share([request]) > 0)
        shares = {place: float(np.mean(verdicts)) for place, verdicts in by_place.items()}
        assert shares[2, True] > 0.2
        assert max(share for place, share in shares.items() if place != (2, True)) < 0.04

    def test_every_end_happens_when_load_is_high_enough(self) -> None:
        _, ended = run_fleet(fleet_plan(requests_per_day=90_000), 11)
        assert Counter(request.end for request in ended).keys() >= {
            *(End.COMPLETED, End.CONTEXT_TOO_LONG, End.QUEUE_FULL, End.CLIENT_GONE, End.ENGINE_ERROR, End.TIMED_OUT)
        }


class TestRepetitions:
    """Clients' further tries pass the same gateways."""

    def test_they_arrive_and_end_like_all_others(self) -> None:
        clients = Retries(share=1.0, attempts_max=3, backoff_s=2.0)
        scene = Scene(cluster_plan(clients=clients), (Behave(at_s=0.0, model="chat", error_probability=1.0),))
        scene.send(asking(8))
        scene.run()
        assert [(one.number, one.client_attempt, one.first_number) for one in scene.ended] == [
            (8, 0, -1),
            (FIRST_REPETITION, 1, 8),
            (FIRST_REPETITION + 1, 2, 8),
        ]
        assert scene.simulation.arrived == 3
        assert scene.simulation.clients.waiting == 0

    def test_who_was_never_connected_tries_again(self) -> None:
        clients = Retries(share=1.0, attempts_max=2, backoff_s=30.0)
        scene = Scene(cluster_plan(ROOMY, clients=clients, gateway=GatewayPlan(fd_limit=42, retries=NO_RETRIES)))
        scene.send(asking(1), asking(2))
        scene.run()
        assert [(one.number, one.end) for one in scene.ended] == [
            (2, End.NEVER_CONNECTED),
            (1, End.COMPLETED),
            (FIRST_REPETITION, End.COMPLETED),
        ]


class TestSources:
    """Where arrivals come from."""

    def test_a_new_source_replaces_the_old_one(self) -> None:
        simulation, ended = run_fleet(without_repetitions(fleet_plan()), 1)
        simulation.feed(iter(()))
        arrived = simulation.arrived
        simulation.run(2 * HOUR_S)
        assert simulation.arrived == arrived == len(ended)

    def test_requests_may_be_sent_besides(self) -> None:
        scene = Scene()
        scene.simulation.feed(iter([asking(1, arrival_s=5.0)]))
        scene.send(asking(2, arrival_s=3.0))
        scene.run()
        assert [(one.number, one.arrival_s) for one in scene.ended] == [(2, 3.0), (1, 5.0)]

    def test_arrivals_that_are_late_arrive_at_once(self) -> None:
        scene = Scene(start_s=100.0)
        late = asking(1, arrival_s=90.0)
        scene.simulation.feed(iter([late]))
        scene.run(101.0)
        assert late.forwarded_s == 100.0

    def test_a_client_may_leave_at_any_time(self) -> None:
        scene = Scene()
        request = asking(1)
        scene.send(request)
        scene.at(1.0, lambda: scene.simulation.leave(request))
        scene.at(2.0, lambda: scene.simulation.leave(request))
        assert scene.run() == {1: End.CLIENT_GONE}
        assert request.ended_s == 1.0


def test_the_next_event_is_known() -> None:
    scene = Scene()
    assert scene.simulation.next_event_s == math.inf
    scene.simulation.feed(iter([asking(1, arrival_s=5.0)]))
    assert scene.simulation.next_event_s == 5.0


def test_an_ordinary_request_costs_few_events() -> None:
    plan = fleet_plan(requests_per_day=21_500)
    simulation, _ = run_fleet(plan, 12)
    events = next(simulation.env._eid)
    assert events / simulation.arrived < 6


def test_the_next_event_is_what_happens_next_and_not_the_end_of_the_last_run() -> None:
    simulation = Simulation(fleet_plan(), lambda _request: None)
    simulation.feed(Traffic(fleet_plan()).history(0.0, math.inf))
    simulation.run(60.0)
    assert simulation.next_event_s > 60.0
