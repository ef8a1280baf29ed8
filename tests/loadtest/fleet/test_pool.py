"""Deploys, scaling, training and placement of a pool."""

from collections.abc import Sequence

from msgspec.structs import replace
from simpy import Environment

from loadtest.fleet.plan import FleetPlan, Version
from loadtest.fleet.pool import Pool
from loadtest.fleet.rack import Rack, build_racks
from loadtest.fleet.replica import Replica, ReplicaState
from loadtest.fleet.request import End, Request
from loadtest.fleet.timeline import Deploy
from tests.factories.engines import ENGINE, FAULTLESS, MODEL, asking
from tests.factories.fleets import fleet_plan

OTHER = Version(revision="2", behaviour=replace(FAULTLESS, speed=0.5))
THIRD = Version(revision="3", behaviour=FAULTLESS)
BIT = 0b100


class Site:
    """A pool, its racks, what it noted and what was lost."""

    def __init__(self, replicas: int = 3, cards: int = 1) -> None:
        self.env = Environment()
        model = replace(MODEL, replicas=replicas, engine=replace(ENGINE, cards=cards))
        self.plan: FleetPlan = replace(fleet_plan(), models=(model,), cards_per_rack=4)
        self.racks: list[Rack] = build_racks(self.plan)
        self.left: list[tuple[int, End]] = []
        self.noted: list[tuple[float, str, int]] = []
        self.pool = Pool(self.env, model, 0, self.racks, self.plan, self._ended, note=self._note)

    def _ended(self, request: Request, end: End) -> None:
        self.left.append((request.number, end))

    def _note(self, what: str, replica: Replica) -> None:
        self.noted.append((self.env.now, what, replica.place))

    def run(self, until_s: float) -> None:
        self.env.run(until=until_s)

    def ready(self) -> list[int]:
        return [replica.place for replica in self.pool.ready()]

    def revisions(self) -> list[str]:
        return [replica.identity.revision for replica in self.pool.replicas]

    def exposed(self) -> list[bool]:
        return [bool(replica.exposure & BIT) for replica in self.pool.replicas]

    def times(self, what: str) -> list[tuple[float, int]]:
        return [(at_s, place) for at_s, noted, place in self.noted if noted == what]


def deploy(
    mode: str = "rolling",
    *,
    replicas: Sequence[int] = (),
    every_s: float = 200.0,
    for_s: float | None = None,
    share: float = 0.0,
    version: Version = OTHER,
    reports: bool = True,
) -> Deploy:
    assert mode in {"rolling", "in_place", "canary"}
    return Deploy(
        at_s=0.0,
        model="tested",
        version=version,
        mode=mode,  # type: ignore[arg-type]
        replicas=tuple(replicas),
        every_s=every_s,
        for_s=for_s,
        share=share,
        reports=reports,
    )


def test_planned_replicas_are_ready_at_once() -> None:
    site = Site()
    assert (site.ready(), site.revisions()) == ([0, 1, 2], ["1", "1", "1"])
    assert [replica.identity.incarnation for replica in site.pool.replicas] == [0, 0, 0]


def test_replicas_of_all_models_fill_the_racks_one_after_the_other() -> None:
    site = Site(replicas=3, cards=3)
    later = Pool(site.env, replace(MODEL, replicas=2), 1, site.racks, site.plan, site._ended)
    places = [[rack.index for rack in replica.racks] for replica in site.pool.replicas + later.replicas]
    assert places == [[0], [0, 1], [1, 2], [2], [2]]
    assert [replica.identity.rack for replica in site.pool.replicas] == [0, 0, 1]


def test_a_rolling_deploy_takes_one_replica_after_the_other() -> None:
    site = Site()
    site.pool.deploy(deploy(), BIT)
    site.run(95.0)
    assert (site.ready(), site.revisions(), site.exposed()) == ([0, 1, 2], ["2", "1", "1"], [True, False, False])
    site.run(250.0)
    assert site.ready() == [0, 2]
    site.run(1000.0)
    assert site.times("draining") == [(0, 0), (200.0, 1), (400.0, 2)]
    assert site.times("ready") == [(90.0, 0), (290.0, 1), (490.0, 2)]
    assert (site.revisions(), site.exposed()) == (["2"] * 3, [True] * 3)


def test_a_rolling_deploy_waits_for_the_one_that_is_not_ready_yet() -> None:
    site = Site()
    site.pool.deploy(deploy(every_s=10.0), BIT)
    site.run(1000.0)
    assert site.times("draining") == [(0, 0), (90.0, 1), (180.0, 2)]


def test_a_deploy_that_ends_brings_the_old_version_back() -> None:
    site = Site()
    site.pool.deploy(deploy(for_s=1000.0), BIT)
    site.run(999.0)
    assert site.revisions() == ["2", "2", "2"]
    site.run(2000.0)
    assert (site.revisions(), site.exposed()) == (["1"] * 3, [False] * 3)
    assert [replica.identity.incarnation for replica in site.pool.replicas] == [2, 2, 2]
    assert site.times("draining")[3:] == [(1000.0, 0), (1200.0, 1), (1400.0, 2)]


def test_a_deploy_that_ends_too_early_is_given_up_halfway() -> None:
    site = Site()
    site.pool.deploy(deploy(for_s=250.0), BIT)
    site.run(3000.0)
    assert (site.revisions(), site.exposed()) == (["1"] * 3, [False] * 3)
    assert [replica.identity.incarnation for replica in site.pool.replicas] == [2, 2, 0]


def test_a_later_deploy_wins_over_an_unfinished_one() -> None:
    site = Site()
    site.pool.deploy(deploy(), BIT)
    site.run(100.0)
    site.pool.deploy(deploy(version=THIRD), 0)
    site.run(3000.0)
    assert (site.revisions(), site.exposed()) == (["3"] * 3, [False] * 3)
    assert [replica.identity.incarnation for replica in site.pool.replicas] == [2, 1, 1]


def test_a_deploy_that_ends_beneath_a_later_one_changes_nothing() -> None:
    site = Site()
    site.pool.deploy(deploy(for_s=2000.0), BIT)
    site.run(1000.0)
    site.pool.deploy(deploy(version=THIRD, for_s=3000.0), 0b1000)
    site.run(2900.0)
    assert (site.revisions(), site.exposed()) == (["3"] * 3, [False] * 3)
    site.run(6000.0)
    assert site.revisions() == ["1", "1", "1"]


def test_a_later_deploy_that_ends_first_brings_back_the_earlier_one() -> None:
    site = Site()
    site.pool.deploy(deploy(), BIT)
    site.run(1000.0)
    site.pool.deploy(deploy("canary", replicas=(2,), share=0.2, version=THIRD, for_s=1500.0), 0b1000)
    site.run(1200.0)
    assert (site.revisions(), site.exposed()) == (["2", "2", "3"], [True, True, False])
    site.run(3000.0)
    assert (site.revisions(), site.exposed()) == (["2"] * 3, [True] * 3)


def test_a_silent_deploy_changes_what_runs_and_not_what_is_said() -> None:
    site = Site()
    site.pool.deploy(deploy(reports=False), BIT)
    site.run(1000.0)
    assert site.revisions() == ["1", "1", "1"]
    assert [replica.behaviour.speed for replica in site.pool.replicas] == [0.5, 0.5, 0.5]


def test_an_in_place_deploy_keeps_processes_and_halves_caches_meanwhile() -> None:
    site = Site()
    site.pool.deploy(deploy("in_place"), BIT)
    site.run(50.0)
    assert [replica.kv.capacity for replica in site.pool.replicas] == [500, 1000, 1000]
    assert site.ready() == [0, 1, 2]
    site.run(1000.0)
    assert [(one.identity.revision, one.identity.incarnation, one.kv.capacity) for one in site.pool.replicas] == [
        ("2", 0, 1000)
    ] * 3


def test_an_in_place_deploy_that_ends_goes_back_in_place() -> None:
    site = Site()
    site.pool.deploy(deploy("in_place", for_s=1000.0), BIT)
    site.run(3000.0)
    assert (site.revisions(), site.exposed()) == (["1"] * 3, [False] * 3)
    assert {replica.identity.incarnation for replica in site.pool.replicas} == {0}


def test_a_canary_has_its_share_from_when_it_is_ready_until_it_ends() -> None:
    site = Site()
    site.pool.deploy(deploy("canary", replicas=(1,), share=0.1, for_s=1000.0), BIT)
    site.run(80.0)
    assert (site.pool.canary, site.pool.canary_share) == (frozenset(), 0.0)
    site.run(95.0)
    assert (site.pool.canary, site.pool.canary_share, site.revisions()) == (frozenset({1}), 0.1, ["1", "2", "1"])
    site.run(1001.0)
    assert (site.pool.canary, site.pool.canary_share, site.ready()) == (frozenset(), 0.0, [0, 2])
    site.run(2000.0)
    assert (site.revisions(), site.exposed(), site.ready()) == (["1"] * 3, [False] * 3, [0, 1, 2])


def test_scaling_up_appends_cold_replicas_behind_the_last_rack() -> None:
    site = Site(replicas=4)
    site.pool.scale(6)
    site.run(10.0)
    assert site.ready() == [0, 1, 2, 3]
    site.run(100.0)
    assert site.ready() == [0, 1, 2, 3, 4, 5]
    assert site.times("ready") == [(90.0, 4), (90.0, 5)]
    assert [replica.identity.incarnation for replica in site.pool.replicas[4:]] == [0, 0]
    assert [replica.racks[0].index for replica in site.pool.replicas[4:]] == [1, 1]
    assert len(site.racks) == 2


def test_replicas_that_are_scaled_up_run_what_was_deployed_last() -> None:
    site = Site()
    site.pool.deploy(deploy(), BIT)
    site.run(1000.0)
    site.pool.scale(4)
    site.run(2000.0)
    assert (site.revisions(), site.exposed()) == (["2"] * 4, [True] * 4)


def test_scaling_down_drains_the_highest_places_and_scaling_up_brings_them_back() -> None:
    site = Site()
    request = asking(1, output=100)
    assert site.pool.replicas[2].submit(request)
    site.pool.scale(1)
    site.run(5.0)
    assert (site.ready(), site.pool.replicas[2].state) == ([0], ReplicaState.DRAINING)
    site.run(100.0)
    assert (site.left, site.pool.replicas[2].state) == ([(1, End.COMPLETED)], ReplicaState.DOWN)
    site.pool.scale(2)
    site.run(1000.0)
    assert (site.ready(), site.pool.replicas[1].identity.incarnation) == ([0, 1], 1)
    assert len(site.pool.replicas) == 3


def test_training_takes_replicas_at_once_and_they_come_back_cold() -> None:
    site = Site()
    assert site.pool.replicas[1].submit(asking(1))
    site.run(1.5)
    assert site.pool.replicas[1].submit(asking(2))
    site.pool.evict((1, 2))
    assert (site.ready(), site.left) == ([0], [(1, End.COMPLETED), (2, End.REPLICA_LOST)])
    site.run(100.0)
    site.pool.restore((1, 2))
    site.run(150.0)
    assert site.ready() == [0]
    site.run(200.0)
    assert site.ready() == [0, 1, 2]


def test_scaling_starts_no_replica_that_training_holds() -> None:
    site = Site()
    site.pool.scale(2)
    site.run(10.0)
    site.pool.evict((2,))
    site.pool.scale(3)
    site.run(500.0)
    assert site.ready() == [0, 1]
    site.pool.restore()
    site.run(1000.0)
    assert site.ready() == [0, 1, 2]


def test_restoring_what_was_not_evicted_starts_nothing() -> None:
    site = Site()
    site.pool.scale(2)
    site.run(10.0)
    site.pool.restore()
    site.run(500.0)
    assert site.ready() == [0, 1]


def test_single_replicas_are_stopped_and_started() -> None:
    site = Site()
    site.pool.stop(1)
    site.run(1.0)
    assert site.ready() == [0, 2]
    site.pool.start(1)
    site.run(100.0)
    assert site.ready() == [0, 1, 2]


def test_spread_replicas_take_free_cards_near_by_and_then_racks_of_their_own() -> None:
    site = Site(replicas=4, cards=2)
    site.pool.spread((1,), 6)
    spread = site.pool.replicas[1]
    assert ([rack.index for rack in spread.racks], spread.identity.rack) == ([0, 2], 0)
    assert [rack.taken for rack in site.racks] == [4, 4, 4]
    site.pool.spread((1,), 2)
    assert [rack.index for rack in spread.racks] == [0]
    assert [rack.taken for rack in site.racks] == [4, 4, 0]
    assert spread not in site.racks[2].replicas


def test_canaries_of_several_deploys_share_what_the_last_one_gives() -> None:
    site = Site()
    site.pool.deploy(deploy("canary", replicas=(2,), share=0.05, for_s=1000.0), BIT)
    site.pool.deploy(deploy("canary", replicas=(1,), share=0.4, for_s=500.0, version=THIRD), 0b1000)
    site.run(100.0)
    assert (site.pool.canary, site.pool.canary_share) == (frozenset({1, 2}), 0.4)
    site.run(499.0)
    assert site.pool.replicas[1].submit(asking(1, output=200))
    site.run(501.0)
    assert (site.pool.canary, site.pool.canary_share) == (frozenset({2}), 0.05)
    site.run(1001.0)
    assert (site.pool.canary, site.pool.canary_share) == (frozenset(), 0.0)


def test_a_canary_that_a_later_deploy_reaches_is_none_any_more() -> None:
    site = Site()
    site.pool.deploy(deploy("canary", replicas=(1,), share=0.05, for_s=1000.0), BIT)
    site.run(100.0)
    site.pool.deploy(deploy(version=THIRD), 0)
    site.run(290.0)
    assert (site.pool.canary, site.pool.canary_share) == (frozenset({1}), 0.05)  # not its turn yet
    site.run(900.0)
    assert (site.revisions(), site.pool.canary, site.pool.canary_share) == (["3"] * 3, frozenset(), 0.0)


def test_a_replica_that_goes_down_for_good_is_touched_by_no_deploy_that_is_over() -> None:
    site = Site()
    site.pool.deploy(deploy("canary", replicas=(2,), share=0.1, for_s=500.0), BIT)
    site.run(499.0)
    assert site.pool.replicas[2].submit(asking(1, output=200))
    site.run(501.0)
    assert (site.exposed(), site.pool.replicas[2].state) == ([False, False, True], ReplicaState.DRAINING)
    site.pool.scale(2)
    site.run(700.0)
    assert (site.exposed(), site.pool.replicas[2].state) == ([False] * 3, ReplicaState.DOWN)


def test_a_replica_that_keeps_the_old_weights_keeps_the_old_bit() -> None:
    site = Site()
    site.pool.deploy(deploy(every_s=1.0), BIT)
    site.run(500.0)
    request = asking(1, output=300)
    assert site.pool.replicas[2].submit(request)
    site.pool.deploy(deploy("in_place", version=THIRD, every_s=1.0, replicas=(2,)), 0b1000)
    site.run(510.0)
    site.pool.scale(2)
    site.run(515.0)
    site.pool.scale(3)
    site.run(520.0)
    assert (site.ready(), site.pool.replicas[2].version, site.exposed()) == ([0, 1, 2], OTHER, [True] * 3)
    site.run(1000.0)
    assert (site.pool.replicas[2].version, site.exposed()) == (THIRD, [True, True, False])


def test_what_is_grown_is_down_until_it_is_scaled_up() -> None:
    site = Site()
    site.pool.grow(5)
    site.run(500.0)
    assert (site.ready(), len(site.pool.replicas)) == ([0, 1, 2], 5)
    site.pool.evict((4,))
    site.pool.scale(5)
    site.run(1000.0)
    assert site.ready() == [0, 1, 2, 3]
