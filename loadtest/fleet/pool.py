"""All replicas of one model: which are ready, and what deploys, scaling and training do to them."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.lifecycle import Lifecycle
from loadtest.fleet.plan import FleetPlan, ModelPlan, Version
from loadtest.fleet.rack import Rack, next_rack, release_cards, take_cards
from loadtest.fleet.replica import Replica, ReplicaState
from loadtest.fleet.request import End, Request
from loadtest.fleet.timeline import Deploy

_Steps = Generator[Event, object, None]


@dataclass(frozen=True, eq=False)
class Rollout:
    """A deploy that has begun and not ended; `bit` is on replicas that run what it brought."""

    deploy: Deploy
    bit: int

    def covers(self, place: int) -> bool:
        """Whether it is about this replica, be it there yet or not."""
        return not self.deploy.replicas or place in self.deploy.replicas


class Pool:
    """`replicas` by place. Places are given as indices; none given: all.

    racks         shared by all pools; replicas take the next free cards, racks are added where they run out
    note          hears of lifecycle steps: starting, ready, draining, down, loading
    canary        places that run a canary's version: they get `canary_share` of the requests, the others get the rest
    """

    def __init__(
        self,
        env: Environment,
        model: ModelPlan,
        model_index: int,
        racks: list[Rack],
        plan: FleetPlan,
        ended: Callable[[Request, End], None],
        *,
        note: Callable[[str, Replica], None] = lambda _what, _replica: None,
    ) -> None:
        self.env = env
        self.model = model
        self.model_index = model_index
        self.racks = racks
        self.plan = plan
        self.ended = ended
        self.note = note
        self.canary: frozenset[int] = frozenset()
        self.canary_share = 0.0
        self.replicas: list[Replica] = []
        self.lifecycles: list[Lifecycle] = []
        self._holdings: list[list[tuple[Rack, int]]] = []
        self._evicted: set[int] = set()
        self._rollouts: list[Rollout] = []
        self._present: list[Rollout | None] = []  # by place, whose version it has or is on its way to
        self._running: list[Rollout | None] = []  # by place, whose version it has been ready with
        self._bits: list[int] = []  # by place, bits of rollouts that it has
        for _ in range(model.replicas):
            self._append()
        self.size = model.replicas
        self._ready = list(self.replicas)

    def ready(self) -> list[Replica]:
        """Replicas that take requests, by place; not to be changed."""
        return self._ready

    def start(self, place: int) -> None:
        """Start a replica that is down: cold, with the version that it is to run."""
        self.lifecycles[place].start()

    def stop(self, place: int) -> None:
        """Drain a replica; it stays down until it is started."""
        self.lifecycles[place].stop()

    def grow(self, replicas: int) -> None:
        """Let there be so many replicas at least; further ones are down, on their cards, until `scale` starts them."""
        while len(self.replicas) < replicas:
            self._append_cold()

    def scale(self, replicas: int) -> None:
        """So many replicas from now on: further ones start cold, the highest places drain and stay down."""
        self.grow(replicas)
        for place in range(self.size, replicas):
            if place not in self._evicted:
                self.start(place)
        for place in range(replicas, self.size):
            self.stop(place)
        self.size = replicas

    def evict(self, places: Sequence[int] = ()) -> None:
        """Others need the cards: down at once, all requests lost."""
        for place in self._places(places):
            self._evicted.add(place)
            self.lifecycles[place].evict()

    def restore(self, places: Sequence[int] = ()) -> None:
        """The cards are back: evicted replicas start cold."""
        for place in self._places(places):
            was_evicted = place in self._evicted
            self._evicted.discard(place)
            if was_evicted and place < self.size:
                self.start(place)

    def spread(self, places: Sequence[int], cards: int) -> None:
        """Let replicas span so many cards, from their own racks on; as elastic parallelism does, without a restart."""
        for place in self._places(places):
            holding = self._holdings[place]
            release_cards(holding)
            self._holdings[place] = holding = take_cards(self.racks, cards, holding[0][0].index)
            self.replicas[place].stand(tuple(rack for rack, _ in holding), cards)

    def deploy(self, deploy: Deploy, bit: int) -> None:
        """Bring replicas to another version, and back when it ends. While several are about a replica, the last counts.

        bit  the happening's bit of `exposure`, as a mask; on a replica from its drain until another version is there
        """
        rollout = Rollout(deploy, bit)
        self._rollouts.append(rollout)
        self.env.process(self._roll(rollout, deploy.every_s))
        if deploy.for_s is not None:
            end = Timeout(self.env, max(deploy.until_s - self.env.now, 0.0))
            end.callbacks.append(lambda _: self._end(rollout))

    def _end(self, rollout: Rollout) -> None:
        self._rollouts.remove(rollout)
        self._find_canary()
        is_canary = rollout.deploy.mode == "canary"
        self.env.process(self._roll(rollout, 0.0 if is_canary else rollout.deploy.every_s))

    def _roll(self, cause: Rollout, every_s: float) -> _Steps:
        """Bring one replica after the other to what counts; the next when this one is ready and `every_s` has passed.

        every_s  0: all at once
        """
        for place in self._places(cause.deploy.replicas):
            wanted = self._wanted(place)
            if self._present[place] is not wanted:  # otherwise it has it, or is on its way
                change = self.env.process(self._change(place, wanted, is_in_place=cause.deploy.mode == "in_place"))
                if every_s:
                    yield change & Timeout(self.env, every_s)
        yield Timeout(self.env, 0.0)

    def _change(self, place: int, wanted: Rollout | None, *, is_in_place: bool) -> _Steps:
        replica, lifecycle = self.replicas[place], self.lifecycles[place]
        self._present[place] = wanted
        if replica.state is ReplicaState.DOWN:
            self._settle(place, None)
        bit = wanted.bit if wanted is not None else 0
        replica.exposure |= bit
        self._bits[place] |= bit
        order = lifecycle.upgrade if is_in_place else lifecycle.restart
        version, reports = self._version(wanted)
        yield order(version, reports=reports)

    def _settle(self, place: int, running: Rollout | None) -> None:
        """A replica is ready with what it was to run, or down: of all rollouts only the present one's bit is left."""
        replica, present = self.replicas[place], self._present[place]
        bit = present.bit if present is not None else 0
        replica.exposure &= bit | ~self._bits[place]
        self._bits[place] = bit
        self._running[place] = running
        self._find_canary()

    def _find_canary(self) -> None:
        """Replicas that run what a canary brought that lasts; the share is that of the last such deploy."""
        canaries = [one for one in self._rollouts if one.deploy.mode == "canary" and one in self._running]
        self.canary = frozenset(place for place, running in enumerate(self._running) if running in canaries)
        self.canary_share = canaries[-1].deploy.share if canaries else 0.0

    def _wanted(self, place: int) -> Rollout | None:
        """What counts for a replica; None: the version as planned."""
        return next((rollout for rollout in reversed(self._rollouts) if rollout.covers(place)), None)

    def _version(self, wanted: Rollout | None) -> tuple[Version, bool]:
        """What to run, and whether telemetry tells it."""
        return (self.model.version, True) if wanted is None else (wanted.deploy.version, wanted.deploy.reports)

    def _places(self, places: Sequence[int]) -> Sequence[int]:
        return places or range(len(self.replicas))

    def _append(self) -> Replica:
        cards = self.model.engine.cards
        holding = take_cards(self.racks, cards, next_rack(self.racks))
        racks = tuple(rack for rack, _ in holding)
        replica = Replica(self.env, self.model, self.model_index, len(self.replicas), racks, self.ended)
        self._holdings.append(holding)
        self._present.append(None)
        self._running.append(None)
        self._bits.append(0)
        self.replicas.append(replica)
        self.lifecycles.append(Lifecycle(self.env, replica, self._hear))
        return replica

    def _append_cold(self) -> None:
        replica = self._append()
        replica.state = ReplicaState.DOWN
        replica.identity = replica.identity._replace(incarnation=-1)  # its first process begins when it is started
        lifecycle, wanted = self.lifecycles[-1], self._wanted(replica.place)
        lifecycle.version, lifecycle.reports = self._version(wanted)
        self._present[-1] = wanted
        if wanted is not None:
            replica.exposure |= wanted.bit
            self._bits[-1] = wanted.bit

    def _hear(self, what: str, replica: Replica) -> None:
        self._ready = [one for one in self.replicas if one.state is ReplicaState.READY]
        place = replica.place
        if what == "down":
            self._settle(place, None)
        elif what == "ready" and replica.version is self.lifecycles[place].version:
            self._settle(place, self._present[place])
        self.note(what, replica)
