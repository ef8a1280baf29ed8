"""One replica's way through starts, drains, restarts and upgrades."""

from collections.abc import Callable, Generator

from simpy import Environment
from simpy.events import Event, Process, Timeout

from loadtest.fleet.plan import Version
from loadtest.fleet.replica import Replica, ReplicaState
from loadtest.fleet.request import End

_DRAIN_S_MAX = 120
_Steps = Generator[Event, object, None]


class Lifecycle:
    """Steers one replica; the latest order wins, an earlier one that is not done yet is forgotten.

    told        hears of `starting`, `ready`, `draining`, `down` and `loading`, before lost requests are told of
    version     what the replica is to run, now or at its next start
    reports     whether its telemetry is to say so
    should_run  False: it stays down until it is started again
    """

    def __init__(self, env: Environment, replica: Replica, told: Callable[[str, Replica], None]) -> None:
        self.env = env
        self.replica = replica
        self.told = told
        self.version = replica.version
        self.reports = True
        self.should_run = True
        self._order = 0

    def start(self) -> None:
        """Start it cold if it is down; one that was about to stop goes on, or restarts if it is to change."""
        was_stopping, self.should_run = not self.should_run, True
        if self.replica.state is ReplicaState.DOWN:
            self._order += 1
            self.env.process(self._load(self._order))
        elif self.replica.state is ReplicaState.DRAINING:
            self._order += 1
            self._go_on(self._order)
        elif was_stopping and self.version is self.replica.version and not self.replica.is_loading:
            self._order += 1  # the stop came in this very instant and has not begun

    def stop(self) -> None:
        """Drain it; then it stays down."""
        self.should_run = False
        self._order += 1
        self.env.process(self._cycle(self._order))

    def evict(self) -> None:
        """It is down at once, and what it had is lost."""
        self.should_run = False
        self._order += 1
        if self.replica.state is not ReplicaState.DOWN:
            self._fall()

    def restart(self, version: Version, *, reports: bool) -> Process:
        """Drain it and start it again with another version; done when it is ready, or when a later order came."""
        self.version, self.reports = version, reports
        self._order += 1
        return Process(self.env, self._cycle(self._order))

    def upgrade(self, version: Version, *, reports: bool) -> Process:
        """Load another version beside the one that serves; a replica that does not serve starts with it."""
        if self.replica.state is not ReplicaState.READY:
            return self.restart(version, reports=reports)
        self.version, self.reports = version, reports
        self._order += 1
        return Process(self.env, self._load_beside(self._order))

    def _go_on(self, order: int) -> None:
        """A stop is taken back: an upgrade in place is resumed, a restart goes through, otherwise nothing was lost."""
        if self.replica.is_loading:
            self._become(ReplicaState.READY, "ready")
            self.env.process(self._load_beside(order))
        elif self.version is not self.replica.version:
            self.env.process(self._cycle(order))
        else:
            self._become(ReplicaState.READY, "ready")

    def _cycle(self, order: int) -> _Steps:
        if order != self._order:
            return
        if self.replica.state is ReplicaState.READY:
            self._become(ReplicaState.DRAINING, "draining")
        yield from self._drain(order)
        if order != self._order:
            return
        if self.replica.state is not ReplicaState.DOWN:
            self._fall()
        if self.should_run and order == self._order:
            yield from self._load(order)

    def _drain(self, order: int) -> _Steps:
        for _ in range(_DRAIN_S_MAX):
            if order != self._order or not self.replica.in_flight:
                return
            yield Timeout(self.env, 1.0)

    def _fall(self) -> None:
        lost = self.replica.die()
        self.told("down", self.replica)
        for request in lost:
            self.replica.ended(request, End.REPLICA_LOST)

    def _load(self, order: int) -> _Steps:
        if order != self._order:
            return  # a later order came before this one had begun
        self.replica.begin(self.version, reports=self.reports)
        self.told("starting", self.replica)
        yield Timeout(self.env, self.replica.engine.load_s)
        if order == self._order:
            self._become(ReplicaState.READY, "ready")

    def _load_beside(self, order: int) -> _Steps:
        if order != self._order:
            return
        self.replica.load_beside()
        self.told("loading", self.replica)
        yield Timeout(self.env, self.replica.engine.load_s)
        if order == self._order:
            self.replica.swap_weights(self.version, reports=self.reports)
            self.told("ready", self.replica)

    def _become(self, state: ReplicaState, what: str) -> None:
        self.replica.state = state
        self.told(what, self.replica)
