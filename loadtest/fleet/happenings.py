"""A timeline at work: happenings begin and end, and what they touch is set to what is in force then."""

from simpy.events import Timeout

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.exposure import mark, replicas_in, replicas_of
from loadtest.fleet.in_force import InForce, covers
from loadtest.fleet.limits import TokenBucket
from loadtest.fleet.replica import Replica
from loadtest.fleet.timeline import (
    Deploy,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    OnReplicas,
    Scale,
    SlowLink,
    Spread,
    Train,
)


class Happenings:
    """Applies happenings to a cluster when their time comes."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.in_force = InForce()

    def plant(self, happening: Happening, index: int) -> None:
        """Let it happen; what has begun already begins now, what is over never does."""
        now = self.cluster.env.now
        if happening.until_s <= now:
            return
        if happening.at_s <= now:
            self._begin(happening, index)
            return
        begin = Timeout(self.cluster.env, happening.at_s - now)
        begin.callbacks.append(lambda _: self._begin(happening, index))

    def refit(self, replica: Replica) -> None:
        """A replica starts or has changed its version: what is in force holds for it, too."""
        model = self._model(replica)
        for index, happening in self.in_force.active.items():
            if isinstance(happening, SlowLink | Scale) or (
                isinstance(happening, OnReplicas) and covers(happening, model, replica.place)
            ):
                mark(self.cluster, happening, 1 << index, begins=True)
        self._set(replica)

    def _begin(self, happening: Happening, index: int) -> None:
        self.in_force.active[index] = happening
        mark(self.cluster, happening, 1 << index, begins=True)
        self._apply(happening, index)
        if happening.for_s is not None:
            end = Timeout(self.cluster.env, happening.until_s - self.cluster.env.now)
            end.callbacks.append(lambda _: self._finish(happening, index))

    def _finish(self, happening: Happening, index: int) -> None:
        del self.in_force.active[index]
        self._apply(happening, index)
        if isinstance(happening, LeakDescriptors):
            self.cluster.gateways[happening.gateway].restart()
        mark(self.cluster, happening, 1 << index, begins=False)

    def _apply(self, happening: Happening, index: int) -> None:  # noqa: C901 - a table of kinds
        """Set what a happening is about to what is in force now, whether it has just begun or ended."""
        if isinstance(happening, Train) and happening.mode == "evict":
            self._evict(happening)
        elif isinstance(happening, Spread):
            self._spread(happening)
        elif isinstance(happening, Deploy):
            self._deploy(happening, index)
        elif isinstance(happening, OnReplicas):
            for replica in replicas_of(self.cluster, happening):
                self._set(replica)
        elif isinstance(happening, Scale):
            self._scale(happening)
        elif isinstance(happening, SlowLink):
            self._slow_link(happening.rack)
        elif isinstance(happening, LeakDescriptors):
            gateway = self.cluster.gateways[happening.gateway]
            gateway.descriptors.leak(self.in_force.leak_per_s(gateway.index), self.cluster.env.now)
        elif isinstance(happening, LimitRate):
            self._limit(happening.service_tier)
        elif isinstance(happening, FailDependency):
            self._fail(happening.dependency)
        else:
            self._set_clients_and_telemetry()

    def _model(self, replica: Replica) -> str:
        return self.cluster.plan.models[replica.identity.model].name

    def _set(self, replica: Replica) -> None:
        force, model, place = self.in_force, self._model(replica), replica.place
        replica.skew_ns = force.skew_ns(model, place)
        replica.training_share = force.training_share(model, place)
        replica.shrink_cache(force.cache_share(model, place))
        replica.behave(force.behaviour(replica.version.behaviour, model, place))
        replica.refresh()

    def _evict(self, happening: Train) -> None:
        pool = self.cluster.pool(happening.model)
        places = [replica.place for replica in replicas_of(self.cluster, happening)]
        evicted = [place for place in places if self.in_force.is_evicted(happening.model, place)]
        if evicted:
            pool.evict(evicted)
        if restored := [place for place in places if place not in evicted]:
            pool.restore(restored)

    def _spread(self, happening: Spread) -> None:
        pool = self.cluster.pool(happening.model)
        planned = pool.model.engine.cards
        for replica in replicas_of(self.cluster, happening):
            cards = self.in_force.cards(planned, happening.model, replica.place)
            if cards != replica.cards:
                pool.spread([replica.place], cards)

    def _deploy(self, happening: Deploy, index: int) -> None:
        pool, bit = self.cluster.pool(happening.model), 1 << index
        if index in self.in_force.active:
            pool.deploy(happening, bit)

    def _scale(self, happening: Scale) -> None:
        pool = self.cluster.pool(happening.model)
        pool.scale(self.in_force.replicas(pool.model.replicas, happening.model))

    def _slow_link(self, index: int) -> None:
        rack = self.cluster.racks[index]
        rack.slowness = self.in_force.slowness(index)
        for replica in replicas_in(self.cluster, index):
            replica.refresh()

    def _limit(self, service_tier: str | None) -> None:
        for tenant in self.cluster.tenants(service_tier):
            plan, present = self.cluster.plan.tenants[tenant], self.cluster.buckets[tenant]
            limit = self.in_force.limit(plan.rate_limit, plan.service_tier)
            if limit is None:
                self.cluster.buckets[tenant] = None
            elif present is None or present.limit != limit:
                self.cluster.buckets[tenant] = TokenBucket(limit, self.cluster.env.now)

    def _fail(self, name: str) -> None:
        dependency = self.cluster.dependency(name)
        failure = self.in_force.failure(name)
        if failure is None:
            dependency.recover()
        else:
            dependency.fail(failure.fails_at_once)
        self.cluster.note("dependency_failing" if dependency.is_failing else "dependency_back", f"dependency/{name}")

    def _set_clients_and_telemetry(self) -> None:
        cluster, force = self.cluster, self.in_force
        cluster.clients.retries = force.retries(cluster.plan.clients)
        cluster.telemetry.engine_loss = force.span_loss("engine")
        cluster.telemetry.gateway_loss = force.span_loss("gateway")
        cluster.telemetry.sample_share = force.sample_share()
