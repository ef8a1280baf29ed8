"""A timeline at work: begin, end, overlap, and what becomes of requests."""

from collections import Counter
from collections.abc import Iterator
from typing import get_args

import pytest
from msgspec.structs import replace

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.happenings import Happenings
from loadtest.fleet.plan import DependencyPlan, Lengths, RateLimit, Retries, Version
from loadtest.fleet.replica import Replica, ReplicaState
from loadtest.fleet.request import End
from loadtest.fleet.timeline import (
    Behave,
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
from tests.factories.clusters import CALM, ENGINE, ROOMY, TENANTS, Scene, asking, cluster_plan

REDIS = DependencyPlan(
    name="redis", kind="cache", system="redis", latency_ms=Lengths(median=2.0, spread=0.1, largest=50)
)
KAFKA = replace(REDIS, name="kafka", kind="queue", system="kafka")
PLAN = cluster_plan(replace(ROOMY, replicas=4, engine=replace(ROOMY.engine, load_s=5.0)), dependencies=(REDIS, KAFKA))
CHAT = "chat"


def at_each(times: list[float], *timeline: object) -> Iterator[Cluster]:
    """The cluster under a timeline at these seconds."""
    simulation = Scene(PLAN, tuple(timeline)).simulation  # type: ignore[arg-type]
    for second in times:
        simulation.run(second)
        yield simulation.cluster


def replicas_at(times: list[float], *timeline: object) -> Iterator[list[Replica]]:
    for cluster in at_each(times, *timeline):
        yield cluster.pools[0].replicas


def test_a_behaviour_begins_ends_and_lies_on_another_one() -> None:
    slow = Behave(at_s=10.0, for_s=20.0, model=CHAT, replicas=(1,), speed=0.5)
    failing = Behave(at_s=20.0, for_s=20.0, model=CHAT, error_probability=0.3)
    found = [
        [(one.behaviour.speed, one.behaviour.error_probability) for one in replicas[:2]]
        for replicas in replicas_at([5, 15, 25, 35, 45], slow, failing)
    ]
    assert found == [
        [(1.0, 0.0), (1.0, 0.0)],
        [(1.0, 0.0), (0.5, 0.0)],
        [(1.0, 0.3), (0.5, 0.3)],
        [(1.0, 0.3), (1.0, 0.3)],
        [(1.0, 0.0), (1.0, 0.0)],
    ]


def test_what_began_before_the_start_is_in_force_and_what_is_over_is_not() -> None:
    timeline: Timeline = (
        Behave(at_s=10.0, model=CHAT, speed=0.5),
        Behave(at_s=10.0, for_s=50.0, model=CHAT, error_probability=0.3),
        Behave(at_s=90.0, for_s=20.0, model=CHAT, output_factor=2.0),
    )
    scene = Scene(PLAN, timeline, start_s=100.0)
    replica = scene.simulation.pools[0].replicas[0]
    assert replica.behaviour == replace(CALM, speed=0.5, output_factor=2.0)
    assert replica.exposure == 0b101
    scene.run(111.0)
    assert (replica.behaviour, replica.exposure) == (replace(CALM, speed=0.5), 0b001)


def test_happenings_may_be_planted_while_it_runs() -> None:
    scene = Scene(PLAN)
    scene.run(50.0)
    scene.simulation.plant(Behave(at_s=60.0, for_s=10.0, model=CHAT, replicas=(2,), speed=0.0), 7)
    replica = scene.simulation.pools[0].replicas[2]
    scene.run(61.0)
    assert (replica.behaviour.speed, replica.exposure) == (0.0, 1 << 7)
    scene.run(71.0)
    assert (replica.behaviour.speed, replica.exposure) == (1.0, 0)


def test_what_scaling_has_added_may_be_spoken_of_later() -> None:
    scene = Scene(PLAN, (Scale(at_s=1.0, model=CHAT, to=5),))
    scene.run(20.0)
    scene.simulation.plant(Behave(at_s=21.0, model=CHAT, replicas=(4,), speed=0.5), 1)
    scene.run(22.0)
    assert [one.behaviour.speed for one in scene.simulation.pools[0].replicas] == [1.0, 1.0, 1.0, 1.0, 0.5]


def test_an_upgrade_in_place_keeps_what_disturbs_the_replica() -> None:
    new = Version(revision="r2", behaviour=replace(CALM, speed=2.0, output_factor=1.5))
    timeline: Timeline = (
        Behave(at_s=0.0, for_s=50.0, model=CHAT, replicas=(0,), speed=1.0),
        Deploy(at_s=10.0, model=CHAT, replicas=(0,), version=new, mode="in_place"),
    )
    found = [
        (replicas[0].behaviour.speed, replicas[0].behaviour.output_factor)
        for replicas in replicas_at([5, 40, 60], *timeline)
    ]
    assert found == [(1.0, 1.0), (1.0, 1.5), (2.0, 1.5)]


def test_caches_shrink_and_grow_back() -> None:
    half, fifth = (ShrinkCache(at_s=at_s, for_s=20.0, model=CHAT, share=share) for at_s, share in ((0, 0.5), (10, 0.2)))
    capacities = [replicas[3].kv.capacity for replicas in replicas_at([5, 15, 25, 35], half, fifth)]
    assert capacities == [4_750, 950, 1_900, 9_500]


def test_clocks_are_off_and_right_again() -> None:
    skew = SkewClock(at_s=10.0, for_s=10.0, model=CHAT, replicas=(0,), skew_ms=250.0)
    assert [[one.skew_ns for one in replicas[:2]] for replicas in replicas_at([5, 15, 25], skew)] == [
        [0, 0],
        [250_000_000, 0],
        [0, 0],
    ]


def test_training_takes_its_share_of_the_speed() -> None:
    train = Train(at_s=10.0, for_s=10.0, model=CHAT, replicas=(0,), speed=0.25)
    scene = Scene(PLAN, (train,))
    before, meanwhile = asking(0, output=40), asking(1, output=40, arrival_s=10.0)
    scene.send(before)
    scene.run(9.0)
    scene.simulation.pools[0].evict([1, 2, 3])
    scene.send(meanwhile)
    scene.run()
    assert meanwhile.ended_s - 10.0 == pytest.approx(4 * before.ended_s, rel=0.01)
    assert [one.training_share for one in scene.simulation.pools[0].replicas] == [1.0] * 4
    assert (before.exposure, meanwhile.exposure) == (0, 1)


def test_training_that_evicts_loses_requests_and_cold_starts_follow() -> None:
    train = Train(at_s=1.0, for_s=10.0, model=CHAT, replicas=(0, 1), mode="evict")
    longer = Train(at_s=5.0, for_s=16.0, model=CHAT, replicas=(1, 2), mode="evict")
    scene = Scene(PLAN, (train, longer))
    scene.send(*(asking(number, output=400) for number in range(4)))
    scene.run(2.0)
    assert Counter(scene.ends.values()) == {End.REPLICA_LOST: 2}
    assert {request.exposure for request in scene.ended} == {1}
    ready = []
    for second in (6.0, 15.5, 16.5, 25.5, 26.5):
        scene.run(second)
        ready.append([one.place for one in scene.simulation.pools[0].ready()])
    assert ready == [[3], [3], [0, 3], [0, 3], [0, 1, 2, 3]]
    assert [one.identity.incarnation for one in scene.simulation.pools[0].replicas] == [1, 1, 1, 0]


def test_a_spread_spans_more_cards_for_a_while() -> None:
    spread = Spread(at_s=10.0, for_s=10.0, model=CHAT, replicas=(2,), cards=5)
    found = [(replicas[2].cards, len(replicas[2].racks) > 1) for replicas in replicas_at([5, 15, 25], spread)]
    assert found == [(1, False), (5, True), (1, False)]


def test_links_are_slow_for_a_while() -> None:
    slow = SlowLink(at_s=10.0, for_s=10.0, rack=1, factor=4.0)
    found = [[(rack.slowness, rack.exposure) for rack in cluster.racks] for cluster in at_each([5, 15, 25], slow)]
    assert found == [[(1.0, 0), (1.0, 0)], [(1.0, 0), (4.0, 1)], [(1.0, 0), (1.0, 0)]]


def test_requests_meet_a_slow_link_only_while_their_replica_stands_there() -> None:
    spread = Spread(at_s=10.0, for_s=20.0, model=CHAT, replicas=(0,), cards=4)
    slow = SlowLink(at_s=20.0, for_s=20.0, rack=1, factor=4.0)
    scene = Scene(PLAN, (spread, slow))
    scene.simulation.pools[0].evict((1, 2, 3))
    asked = [asking(number, output=2, arrival_s=15.0 + 10.0 * number) for number in range(3)]
    scene.send(*asked)
    scene.run()
    assert [request.exposure for request in asked] == [0b01, 0b11, 0]


def test_slow_links_slow_down_what_exchanges_through_them() -> None:
    exchanging = replace(ENGINE, exchange_s=0.02, cards=3)
    plan = cluster_plan(replace(ROOMY, engine=exchanging))
    told = []
    for timeline in ((), (SlowLink(at_s=0.0, rack=0, factor=4.0),)):
        scene = Scene(plan, timeline)
        requests = [asking(number) for number in range(2)]
        scene.send(*requests)
        scene.run()
        told.append({request.place: request.ended_s for request in requests})
    assert told[1][0] > 1.5 * told[0][0]
    assert told[1][1] == told[0][1]


def test_a_deploy_changes_versions_and_what_lasts_stays_on_top() -> None:
    new = Version(revision="r2", behaviour=replace(CALM, output_factor=1.5))
    deploy = Deploy(at_s=10.0, model=CHAT, version=new, every_s=1.0)
    slow = Behave(at_s=5.0, for_s=100.0, model=CHAT, replicas=(0,), speed=0.5)
    found = [
        [(one.identity.revision, one.behaviour.speed, one.behaviour.output_factor) for one in replicas[:2]]
        for replicas in replicas_at([6, 60, 110], deploy, slow)
    ]
    assert found == [
        [("r1", 0.5, 1.0), ("r1", 1.0, 1.0)],
        [("r2", 0.5, 1.5), ("r2", 1.0, 1.5)],
        [("r2", 1.0, 1.5), ("r2", 1.0, 1.5)],
    ]


def test_scaling_up_starts_cold_and_what_is_in_force_holds_for_newcomers() -> None:
    scene = Scene(
        PLAN,
        (
            Behave(at_s=0.0, for_s=50.0, model=CHAT, speed=0.5),
            Scale(at_s=10.0, for_s=30.0, model=CHAT, to=6),
            Behave(at_s=0.0, for_s=50.0, model=CHAT, replicas=(5,), error_probability=0.4),
        ),
    )
    pool = scene.simulation.pools[0]
    scene.run(12.0)
    newcomers = pool.replicas[4:]
    assert [one.state for one in newcomers] == [ReplicaState.STARTING] * 2
    assert [one.behaviour.speed for one in newcomers] == [0.5, 0.5]
    assert [one.behaviour.error_probability for one in newcomers] == [0.0, 0.4]
    assert [one.exposure for one in pool.replicas] == [0b011] * 5 + [0b111]
    scene.run(16.0)
    assert len(pool.ready()) == 6
    scene.run(60.0)
    assert [one.place for one in pool.ready()] == [0, 1, 2, 3]
    assert [one.exposure for one in pool.replicas] == [0] * 6
    assert ("replica_ready", "model/0/4") in [(note.what, note.subject) for note in scene.simulation.notes]


def test_limits_come_and_go_tier_by_tier() -> None:
    planned = RateLimit(requests_per_s=50.0, burst=50)
    plan = replace(PLAN, tenants=(replace(TENANTS[0], rate_limit=planned), TENANTS[1]))
    tight, core = RateLimit(requests_per_s=1.0, burst=1), RateLimit(requests_per_s=2.0, burst=2)
    scene = Scene(
        plan,
        (
            LimitRate(at_s=10.0, for_s=20.0, limit=tight),
            LimitRate(at_s=20.0, for_s=20.0, limit=core, service_tier="core"),
        ),
    )
    found = []
    for second in (5, 15, 25, 35, 45):
        scene.run(second)
        found.append([None if one is None else one.limit for one in scene.simulation.cluster.buckets])
    assert found == [[planned, None], [tight, tight], [core, tight], [core, None], [planned, None]]


def test_a_limit_that_stays_keeps_its_tokens() -> None:
    tight = RateLimit(requests_per_s=0.001, burst=1)
    scene = Scene(PLAN, (LimitRate(at_s=0.0, limit=tight), LimitRate(at_s=5.0, for_s=1.0, limit=tight)))
    scene.send(*(asking(number, output=2, arrival_s=2.0 * number) for number in range(5)))
    assert Counter(scene.run().values()) == {End.COMPLETED: 1, End.RATE_LIMITED: 4}


def test_clients_change_and_return_to_their_ways() -> None:
    eager, frantic = Retries(share=1.0, attempts_max=5), Retries(share=1.0, attempts_max=50)
    changes = (
        ChangeClients(at_s=10.0, for_s=20.0, retries=eager),
        ChangeClients(at_s=20.0, for_s=5.0, retries=frantic),
    )
    found = [cluster.clients.retries for cluster in at_each([5, 15, 22, 27, 35], *changes)]
    assert found == [Retries(), eager, frantic, eager, Retries()]


def test_telemetry_suffers_and_recovers() -> None:
    found = [
        (cluster.telemetry.engine_loss, cluster.telemetry.gateway_loss, cluster.telemetry.sample_share)
        for cluster in at_each(
            [5, 15, 25],
            LoseSpans(at_s=10.0, for_s=10.0, share=0.5),
            LoseSpans(at_s=10.0, for_s=10.0, share=0.25, who="all"),
            Sample(at_s=10.0, for_s=10.0, share=0.1),
        )
    ]
    assert found == [(0.0, 0.0, 1.0), (0.625, 0.25, 0.1), (0.0, 0.0, 1.0)]


def test_gateways_leak_and_are_restarted() -> None:
    leak = LeakDescriptors(at_s=10.0, for_s=10.0, gateway=0, per_s=2.0)
    assert [cluster.gateways[0].fds_used for cluster in at_each([5, 15.5, 25], leak)] == [40, 51, 40]


def test_dependencies_fail_while_any_failure_lasts() -> None:
    failures = [FailDependency(at_s=at_s, for_s=20.0, dependency="redis") for at_s in (10.0, 20.0)]
    scene = Scene(PLAN, tuple(failures))
    found = []
    for second in (5, 15, 25, 35, 45):
        scene.run(second)
        found.append([one.is_failing for one in scene.simulation.dependencies])
    assert found == [[False, False], [True, False], [True, False], [True, False], [False, False]]
    assert [note.what for note in scene.simulation.notes] == ["dependency_failing"] * 3 + ["dependency_back"]


def test_a_queue_that_fails_over_floods_the_engines_when_it_is_back() -> None:
    plan = replace(PLAN, dependencies=(KAFKA,))
    failure = FailDependency(at_s=1.0, for_s=19.0, dependency="kafka", fails_at_once=0.0)
    scene = Scene(plan, (failure,))
    batch = [asking(number, output=5, tenant=1, arrival_s=1.5 + 0.1 * number) for number in range(100)]
    core = asking(200, output=5, arrival_s=10.0)
    scene.send(*batch, core)
    scene.run(19.0)
    assert scene.simulation.in_flight == 100
    assert core.end is End.COMPLETED
    scene.run()
    forwarded = [request.forwarded_s for request in batch]
    assert forwarded == pytest.approx([20.05 + 0.05 * number for number in range(100)])
    assert {request.exposure for request in batch} == {1}
    assert core.exposure == 0


def test_who_hangs_in_a_dependency_meets_each_failure_that_keeps_it_there() -> None:
    failures = [FailDependency(at_s=at_s, for_s=30.0, dependency="kafka", fails_at_once=0.0) for at_s in (1.0, 10.0)]
    scene = Scene(PLAN, tuple(failures))
    answered, gone = (asking(number, tenant=1, arrival_s=5.0, output=2) for number in range(2))
    gone.patience_s = 20.0
    scene.send(answered, gone)
    scene.run(29.0)
    assert (gone.end, gone.exposure) == (End.CLIENT_GONE, 0b11)
    scene.run()
    assert answered.exposure == 0b11


class TestOrdersThatCross:
    """Scaling, training, spreads and deploys that meet in one instant or in one drain."""

    def test_scaling_up_down_and_up_at_once_is_the_last_of_it(self) -> None:
        scales = tuple(Scale(at_s=0.0, for_s=for_s, model=CHAT, to=to) for for_s, to in ((76, 6), (444, 1), (540, 6)))
        scene = Scene(PLAN, scales)
        ready = []
        for second in (10.0, 100.0, 500.0, 600.0):
            scene.run(second)
            ready.append(len(scene.simulation.pools[0].ready()))
        assert ready == [6, 6, 6, 4]

    @pytest.mark.parametrize("at_s", [0.0, 20.0])
    def test_replicas_that_are_added_while_training_holds_them_start_when_it_ends(self, at_s: float) -> None:
        scene = Scene(
            PLAN,
            (
                Train(at_s=0.0, for_s=50.0, model=CHAT, mode="evict"),
                Spread(at_s=0.0, for_s=100.0, model=CHAT, replicas=(5,), cards=2),
                Scale(at_s=at_s, model=CHAT, to=6),
            ),
        )
        scene.run(40.0)
        pool = scene.simulation.pools[0]
        assert (pool.ready(), [one.cards for one in pool.replicas]) == ([], [1, 1, 1, 1, 1, 2])
        scene.run(60.0)
        assert (len(pool.ready()), pool.replicas[5].exposure) == (6, 0b110)
        scene.run(110.0)
        assert [one.cards for one in pool.replicas] == [1] * 6

    def test_a_replica_that_is_added_and_evicted_at_once_comes_back_cold(self) -> None:
        evict = Train(at_s=0.0, for_s=50.0, model=CHAT, replicas=(4,), mode="evict")
        scene = Scene(PLAN, (Scale(at_s=0.0, model=CHAT, to=5), evict))
        scene.run(40.0)
        assert len(scene.simulation.pools[0].ready()) == 4
        scene.run(60.0)
        assert len(scene.simulation.pools[0].ready()) == 5

    @pytest.mark.parametrize(("deploy_s", "scale_s", "for_s"), [(15.0, 10.0, 20.0), (10.0, 12.0, 1.0)])
    def test_a_deploy_survives_scaling_that_is_taken_back_within_its_drain(
        self, deploy_s: float, scale_s: float, for_s: float
    ) -> None:
        new = Version(revision="r2", behaviour=CALM)
        scene = Scene(
            PLAN,
            (
                Scale(at_s=scale_s, for_s=for_s, model=CHAT, to=3),
                Deploy(at_s=deploy_s, model=CHAT, replicas=(3,), version=new, every_s=1.0),
            ),
        )
        scene.send(*(asking(number, output=600, arrival_s=5.0) for number in range(4)))
        scene.run(200.0)
        replica = scene.simulation.pools[0].replicas[3]
        assert (replica.state, replica.identity.revision, replica.exposure) == (ReplicaState.READY, "r2", 0b10)


def test_every_kind_of_happening_has_an_effect() -> None:
    kinds = set(get_args(get_args(Timeline)[0]))
    assert len(kinds) == 15
    assert Happenings(Scene(PLAN).simulation.cluster).effects.keys() == kinds
