"""The cluster at work: arrivals, gateways, engines, happenings, one clock."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.clients import Clients
from loadtest.fleet.cluster import Cluster
from loadtest.fleet.deadlines import Deadlines
from loadtest.fleet.dependency import Dependency
from loadtest.fleet.events import carried
from loadtest.fleet.gateway import Gateway
from loadtest.fleet.happenings import Happenings
from loadtest.fleet.lane import Surroundings
from loadtest.fleet.limits import TokenBucket
from loadtest.fleet.notes import Note, TelemetryState
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.pool import Pool
from loadtest.fleet.rack import build_racks
from loadtest.fleet.replica import Replica
from loadtest.fleet.request import End, Phase, Request
from loadtest.fleet.router import Router
from loadtest.fleet.timeline import Happening, Timeline
from loadtest.fleet.timeline_check import check_happening, check_plan, check_timeline

_BATCH_TIER = "batch"


class Simulation:
    """Runs a fleet in simulated time; `ended` gets every request once, when its gateway is done with it.

    start_s   second of the first instant. What began on the timeline before and lasts begins then, in the order of
              its times: a deploy rolls from there, added replicas start cold
    raises    PlanError when the plan contradicts itself, or the timeline speaks of what the plan does not have
    """

    def __init__(
        self, plan: FleetPlan, ended: Callable[[Request], None], timeline: Timeline = (), start_s: float = 0.0
    ) -> None:
        check_plan(plan)
        self.plan = plan
        self.timeline = timeline
        self.env = Environment(initial_time=start_s)
        self.arrived = 0
        self.notes: list[Note] = []
        self.telemetry = TelemetryState()
        self.racks = build_racks(plan)
        self.pools = [
            Pool(self.env, model, index, self.racks, plan, self._engine_ended)
            for index, model in enumerate(plan.models)
        ]
        self.clients = Clients(self.env, plan.clients, self._rng("clients"), self.arrive)
        self.dependencies = self._dependencies()
        self._ended = ended
        self._source: Iterator[Request] = iter(())
        self._next: Event | None = None
        around = self._surroundings()
        self.gateways = [Gateway(around, index) for index in range(plan.gateway.count)]
        self.cluster = self._cluster(around)
        self._happenings = Happenings(self.cluster)
        for pool in self.pools:
            pool.note = self._replica_changed
        check_timeline(timeline, plan, len(self.racks))
        self._planted: list[Happening] = list(timeline)
        for index, happening in sorted(enumerate(timeline), key=lambda told: told[1].at_s):
            self._happenings.plant(happening, index)

    @property
    def now_s(self) -> float:
        """Simulated seconds since the plan's origin."""
        return float(self.env.now)

    @property
    def next_event_s(self) -> float:
        """When something happens next, infinite when nothing will."""
        return float(self.env.peek())

    @property
    def in_flight(self) -> int:
        """Requests that have arrived and not ended, wherever they wait."""
        return sum(gateway.in_flight for gateway in self.gateways)

    def feed(self, source: Iterator[Request]) -> None:
        """From now on take arrivals from here; what the old source had left never arrives."""
        self._source = source
        self._await_next()

    def arrive(self, request: Request) -> None:
        """A client asks now, besides those that are fed."""
        self.arrived += 1
        request.gateway = request.number % len(self.gateways)
        self.gateways[request.gateway].arrive(request)

    def leave(self, request: Request) -> None:
        """The client of a request goes away now, if it has not ended."""
        if request.phase is not Phase.ENDED:
            self._give_up(request, End.CLIENT_GONE)

    def plant(self, happening: Happening, index: int) -> None:
        """Add a happening; `index` names its bit in `exposure`. Raises PlanError as the constructor does."""
        self.plant_all((happening,), index)

    def plant_all(self, timeline: Sequence[Happening], first_index: int) -> None:
        """Add happenings that may speak of one another's replicas, their bits from `first_index` on; all or none."""
        known = [*self._planted, *timeline]
        standing = {pool.model.name: len(pool.replicas) for pool in self.pools}
        told = list(enumerate(timeline, first_index))
        for index, happening in told:
            check_happening(happening, index, self.plan, len(self.racks), known, standing)
        self._planted = known
        for index, happening in sorted(told, key=lambda one: one[1].at_s):
            self._happenings.plant(happening, index)

    def run(self, until_s: float) -> None:
        """Let everything happen that happens before `until_s`."""
        if until_s > self.now_s:
            self.env.run(until=until_s)
            self.env.step()  # SimPy leaves its emptied stop in the queue, where `next_event_s` would find it

    def _await_next(self) -> None:
        request = next(self._source, None)
        if request is None:
            self._next = None
            return
        delay_s = request.arrival_s - self.env.now
        self._next = timeout = Timeout(self.env, max(delay_s, 0.0), request)
        timeout.callbacks.append(self._arrive)

    def _arrive(self, event: Event) -> None:
        if event is not self._next:
            return  # the source was changed
        self.arrive(carried(event))
        self._await_next()

    def _engine_ended(self, request: Request, end: End) -> None:
        self.gateways[request.gateway].engine_ended(request, end)

    def _dependency_answered(self, request: Request, index: int, is_ok: bool) -> None:  # noqa: FBT001 - a callback
        self.gateways[request.gateway].dependency_answered(request, index, is_ok=is_ok)

    def _give_up(self, request: Request, end: End) -> None:
        self.gateways[request.gateway].give_up(request, end)

    def _finish(self, request: Request) -> None:
        self._ended(request)
        if request.end is not End.COMPLETED:
            self.clients.ended(request)

    def _note(self, what: str, subject: str) -> None:
        self.notes.append(Note(self.now_s, what, subject))

    def _replica_changed(self, what: str, replica: Replica) -> None:
        self._note(f"replica_{what}", f"model/{replica.identity.model}/{replica.place}")
        if what in {"starting", "ready"}:
            self._happenings.refit(replica)

    def _rng(self, purpose: str) -> Random:
        """Chance that is drawn in the order of events, a stream for each purpose."""
        return Random(f"{self.plan.seed}/{purpose}")

    def _dependencies(self) -> list[Dependency]:
        batch = frozenset(index for index, tenant in enumerate(self.plan.tenants) if tenant.service_tier == _BATCH_TIER)
        return [
            Dependency(
                self.env,
                plan,
                index,
                batch_tenants=batch,
                rng=self._rng(f"dependency/{index}"),
                answered=self._dependency_answered,
            )
            for index, plan in enumerate(self.plan.dependencies)
        ]

    def _surroundings(self) -> Surroundings:
        plan, now = self.plan, self.now_s
        limits = [tenant.rate_limit for tenant in plan.tenants]
        routers = [Router(pool, affinity=pool.model.affinity) for pool in self.pools]
        deadlines = Deadlines(self.env, tuple(model.timeout_s for model in plan.models), self._give_up)
        return Surroundings(
            env=self.env,
            plan=plan,
            routers=routers,
            dependencies=self.dependencies,
            buckets=[None if limit is None else TokenBucket(limit, now) for limit in limits],
            exposure=[0] * len(plan.tenants),
            rng=self._rng("gateways"),
            watch=deadlines.watch,
            finish=self._finish,
            note=self._note,
        )

    def _cluster(self, around: Surroundings) -> Cluster:
        return Cluster(
            env=self.env,
            plan=self.plan,
            pools=self.pools,
            racks=self.racks,
            gateways=self.gateways,
            dependencies=self.dependencies,
            clients=self.clients,
            telemetry=self.telemetry,
            buckets=around.buckets,
            exposure=around.exposure,
            note=self._note,
        )
