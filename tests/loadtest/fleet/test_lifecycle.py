"""Starts, drains, restarts and upgrades of one replica."""

import pytest
from msgspec.structs import replace

from loadtest.fleet.lifecycle import Lifecycle
from loadtest.fleet.plan import Version
from loadtest.fleet.replica import Replica, ReplicaState
from loadtest.fleet.request import End, Phase
from tests.factories.engines import FAULTLESS, Bench, asking

OTHER = Version(revision="2", behaviour=FAULTLESS)
THIRD = Version(revision="3", behaviour=FAULTLESS)


class Life:
    """A bench whose replica has a lifecycle, and what was told of it."""

    def __init__(self) -> None:
        self.bench = Bench()
        self.replica = self.bench.replica
        self.told: list[tuple[float, str]] = []
        self.steps = Lifecycle(self.bench.env, self.replica, self._hear)

    def _hear(self, what: str, _replica: Replica) -> None:
        self.told.append((self.bench.env.now, what))


def test_a_restart_drains_loads_and_is_ready_with_the_other_version() -> None:
    life = Life()
    request = asking(1, output=45)
    life.bench.ask(request)
    life.bench.run(1.0)
    life.steps.restart(OTHER, reports=True)
    life.bench.run(2.0)
    assert not life.replica.submit(asking(2))
    life.bench.run(500.0)
    assert life.told == [(1.0, "draining"), (5.0, "down"), (5.0, "starting"), (95.0, "ready")]
    assert (request.phase, life.bench.ends()) == (Phase.ENDED, {1: End.COMPLETED})
    assert (life.replica.identity.revision, life.replica.identity.incarnation) == ("2", 1)


def test_a_drain_waits_two_minutes_and_no_longer() -> None:
    life = Life()
    life.replica.behave(replace(FAULTLESS, speed=0.2))
    life.bench.ask(asking(1, output=400), asking(2, output=400))
    life.steps.restart(OTHER, reports=True)
    life.bench.run(500.0)
    assert life.bench.left == [(120.0, 1, End.REPLICA_LOST), (120.0, 2, End.REPLICA_LOST)]
    assert life.told[-1] == (210.0, "ready")


def test_a_stopped_replica_stays_down_until_it_is_started() -> None:
    life = Life()
    life.steps.stop()
    life.bench.run(1000.0)
    assert (life.replica.state, life.told) == (ReplicaState.DOWN, [(0, "draining"), (0, "down")])
    life.steps.start()
    life.bench.run(2000.0)
    assert life.told[2:] == [(1000.0, "starting"), (1090.0, "ready")]


def test_a_start_takes_a_stop_back_while_it_drains() -> None:
    life = Life()
    life.bench.ask(asking(1, output=500))
    life.steps.stop()
    life.bench.run(10.0)
    life.steps.start()
    life.bench.run()
    assert life.told == [(0, "draining"), (10.0, "ready")]
    assert life.bench.ends() == {1: End.COMPLETED}


def test_an_eviction_loses_everything_at_once() -> None:
    life = Life()
    life.bench.ask(asking(1, output=500), asking(2))
    life.bench.run(1.0)
    life.steps.evict()
    assert (life.replica.state, life.told) == (ReplicaState.DOWN, [(1.0, "down")])
    assert life.bench.ends() == {1: End.REPLICA_LOST, 2: End.REPLICA_LOST}
    life.bench.run()
    assert life.replica.state is ReplicaState.DOWN


def test_who_is_told_of_lost_requests_finds_the_replica_down() -> None:
    life = Life()
    states: list[ReplicaState] = []
    life.replica.ended = lambda _request, _end: states.append(life.replica.state)
    life.bench.ask(asking(1))
    life.steps.evict()
    assert states == [ReplicaState.DOWN]


def test_an_evicted_replica_starts_with_the_version_that_came_meanwhile() -> None:
    life = Life()
    life.steps.evict()
    life.steps.restart(OTHER, reports=True)
    life.bench.run(500.0)
    assert life.replica.state is ReplicaState.DOWN
    life.steps.start()
    life.bench.run(1000.0)
    assert (life.replica.state, life.replica.identity.revision) == (ReplicaState.READY, "2")


def test_the_latest_order_wins() -> None:
    life = Life()
    life.steps.restart(OTHER, reports=True)
    life.bench.run(50.0)
    life.steps.restart(THIRD, reports=True)
    life.bench.run(60.0)
    life.steps.evict()
    life.steps.start()
    life.bench.run(1000.0)
    assert [what for _, what in life.told] == [
        "draining",
        "down",
        "starting",
        "down",
        "starting",
        "down",
        "starting",
        "ready",
    ]
    assert (life.told[-1], life.replica.identity.revision) == ((150.0, "ready"), "3")


def test_an_upgrade_keeps_the_process_and_serves_on() -> None:
    life = Life()
    life.bench.ask(asking(1, output=50))
    life.steps.upgrade(OTHER, reports=True)
    life.bench.run(1.0)
    waiting = asking(2)
    life.bench.ask(waiting)
    life.bench.run(500.0)
    assert life.told == [(0, "loading"), (90.0, "ready")]
    assert (life.replica.identity.revision, life.replica.identity.incarnation) == ("2", 0)
    assert waiting.scheduled_s == 90.0


def test_an_upgrade_interrupted_by_an_eviction_is_done_at_the_next_start() -> None:
    life = Life()
    life.steps.upgrade(OTHER, reports=True)
    life.bench.run(10.0)
    life.steps.evict()
    life.bench.run(200.0)
    assert life.replica.version.revision == "1"
    life.steps.start()
    life.bench.run(500.0)
    assert (life.replica.version.revision, life.replica.is_loading) == ("2", False)
    assert life.replica.kv.capacity == 1000


def test_a_replica_that_is_not_up_is_upgraded_by_a_start() -> None:
    life = Life()
    life.steps.evict()
    life.steps.start()
    life.bench.run(10.0)
    life.steps.upgrade(OTHER, reports=True)
    life.bench.run(500.0)
    assert (life.replica.state, life.replica.identity.revision) == (ReplicaState.READY, "2")


def test_a_stalled_replica_can_be_restarted() -> None:
    life = Life()
    life.replica.behave(replace(FAULTLESS, speed=0.0))
    life.bench.ask(asking(1))
    life.steps.restart(OTHER, reports=True)
    life.bench.run(500.0)
    assert life.bench.left == [(120.0, 1, End.REPLICA_LOST)]
    assert life.replica.state is ReplicaState.READY


def test_a_silent_restart_keeps_the_labels() -> None:
    life = Life()
    life.steps.restart(OTHER, reports=False)
    life.bench.run(500.0)
    assert (life.replica.identity.revision, life.replica.version.revision) == ("1", "2")


def test_hung_requests_are_gone_after_a_restart() -> None:
    life = Life()
    life.replica.behave(replace(FAULTLESS, hang_probability=1.0))
    request = asking(1)
    life.bench.ask(request)
    life.bench.run(10.0)
    life.replica.abort(request)
    life.steps.restart(OTHER, reports=True)
    life.bench.run(500.0)
    assert (life.replica.in_flight, life.replica.kv.used, life.bench.left) == (0, 0.0, [])
    assert life.told[1][0] == pytest.approx(130.0)  # nobody can wait for what hangs


def test_an_upgrade_goes_on_when_a_stop_is_taken_back() -> None:
    life = Life()
    life.bench.ask(asking(1, output=400))
    life.steps.upgrade(OTHER, reports=True)
    life.bench.run(5.0)
    life.steps.stop()
    life.bench.run(10.0)
    life.steps.start()
    life.bench.run(500.0)
    assert (life.replica.state, life.replica.is_loading, life.replica.version.revision) == (
        ReplicaState.READY,
        False,
        "2",
    )


def test_an_upgrade_does_not_keep_a_stopping_replica_from_stopping() -> None:
    life = Life()
    life.bench.ask(asking(1, output=400))
    life.steps.stop()
    life.bench.run(5.0)
    life.steps.upgrade(OTHER, reports=True)
    life.bench.run(500.0)
    assert life.replica.state is ReplicaState.DOWN


class TestOrdersThatCross:
    """Several orders before the first one has begun, or before its drain is over."""

    def test_two_starts_at_once_are_one(self) -> None:
        life = Life()
        life.steps.evict()
        life.steps.start()
        life.steps.start()
        life.bench.run(500.0)
        assert life.told == [(0, "down"), (0, "starting"), (90.0, "ready")]

    def test_a_start_that_is_evicted_at_once_never_begins(self) -> None:
        life = Life()
        life.steps.evict()
        life.steps.start()
        life.steps.evict()
        life.bench.run(500.0)
        assert (life.replica.state, life.told) == (ReplicaState.DOWN, [(0, "down")])

    def test_an_upgrade_that_is_stopped_at_once_never_begins(self) -> None:
        life = Life()
        life.bench.ask(asking(1, output=50))
        life.steps.upgrade(OTHER, reports=True)
        life.steps.stop()
        life.bench.run(1.0)
        assert (life.replica.state, life.replica.is_loading) == (ReplicaState.DRAINING, False)

    def test_a_stop_that_is_taken_back_at_once_never_begins(self) -> None:
        life = Life()
        life.steps.stop()
        life.steps.start()
        life.bench.run(500.0)
        assert (life.replica.state, life.told) == (ReplicaState.READY, [])

    def test_a_version_that_came_while_it_stopped_is_run_when_the_stop_is_taken_back(self) -> None:
        life = Life()
        life.bench.ask(asking(1, output=100))
        life.steps.stop()
        life.bench.run(2.0)
        life.steps.restart(OTHER, reports=True)
        life.bench.run(4.0)
        life.steps.start()
        life.bench.run(500.0)
        assert (life.replica.state, life.replica.identity.revision) == (ReplicaState.READY, "2")
        assert life.bench.ends() == {1: End.COMPLETED}

    def test_a_restart_whose_drain_was_stopped_goes_through_when_the_stop_is_taken_back(self) -> None:
        life = Life()
        life.bench.ask(asking(1, output=100))
        life.steps.restart(OTHER, reports=True)
        life.bench.run(2.0)
        life.steps.stop()
        life.bench.run(4.0)
        life.steps.start()
        life.bench.run(500.0)
        assert (life.replica.state, life.replica.identity.revision) == (ReplicaState.READY, "2")
