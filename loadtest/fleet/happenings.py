"""A timeline at work: happenings begin and end, and what they touch is set to what is in force then."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from simpy.events import Timeout

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.exposure import (
    Marked,
    dependency_of,
    everybody,
    gateway_of,
    mark,
    nothing,
    pool_of,
    rack_of,
    replicas_of,
    tier_of,
    unmark,
)
from loadtest.fleet.in_force import InForce
from loadtest.fleet.limits import TokenBucket
from loadtest.fleet.replica import Replica
from loadtest.fleet.timeline import (
    Behave,
    Burst,
    ChangeClients,
    Deploy,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    LoseSpans,
    OnReplicas,
    Sample,
    Scale,
    ShrinkCache,
    SkewClock,
    SlowLink,
    Spread,
    Train,
)


class Effect(NamedTuple):
    """What a kind of happening touches, and what sets that to what is in force, at its begin and at its end."""

    touches: Callable[[Cluster, Any], Iterable[Marked]]
    apply: Callable[[Any, int], None]


class Happenings:
    """Applies happenings to a cluster when their time comes.

    effects  of every kind of happening; all that tells one kind from another is here
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.in_force = InForce()
        self.effects: dict[type[Happening], Effect] = {
            Behave: Effect(replicas_of, self._set_replicas),
            ShrinkCache: Effect(replicas_of, self._set_replicas),
            SkewClock: Effect(replicas_of, self._set_replicas),
            Train: Effect(replicas_of, self._train),
            Spread: Effect(replicas_of, self._spread),
            Deploy: Effect(nothing, self._deploy),
            Scale: Effect(pool_of, self._scale),
            SlowLink: Effect(rack_of, self._slow_link),
            LeakDescriptors: Effect(gateway_of, self._leak),
            LimitRate: Effect(tier_of, self._limit),
            FailDependency: Effect(dependency_of, self._fail),
            Burst: Effect(tier_of, self._leave),
            ChangeClients: Effect(everybody, self._set_clients),
            LoseSpans: Effect(everybody, self._set_telemetry),
            Sample: Effect(everybody, self._set_telemetry),
        }

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
        for index, happening in self.in_force.active.items():
            mark(self._touched(happening), 1 << index)
        self._set(replica)

    def _begin(self, happening: Happening, index: int) -> None:
        self.in_force.active[index] = happening
        mark(self._touched(happening), 1 << index)
        self.effects[type(happening)].apply(happening, index)
        if happening.for_s is not None:
            end = Timeout(self.cluster.env, happening.until_s - self.cluster.env.now)
            end.callbacks.append(lambda _: self._finish(happening, index))

    def _finish(self, happening: Happening, index: int) -> None:
        del self.in_force.active[index]
        self.effects[type(happening)].apply(happening, index)
        unmark(self._touched(happening), 1 << index)

    def _touched(self, happening: Happening) -> Iterable[Marked]:
        return self.effects[type(happening)].touches(self.cluster, happening)

    def _set_replicas(self, happening: OnReplicas, _index: int) -> None:
        for replica in replicas_of(self.cluster, happening):
            self._set(replica)

    def _set(self, replica: Replica) -> None:
        force, place = self.in_force, replica.place
        model = self.cluster.plan.models[replica.identity.model].name
        replica.skew_ns = force.skew_ns(model, place)
        replica.training_share = force.training_share(model, place)
        replica.shrink_cache(force.cache_share(model, place))
        replica.behave(force.behaviour(replica.version.behaviour, model, place))

    def _train(self, happening: Train, index: int) -> None:
        if happening.mode == "evict":
            self._evict(happening)
        else:
            self._set_replicas(happening, index)

    def _evict(self, happening: Train) -> None:
        pool = self.cluster.pool(happening.model)
        places = [replica.place for replica in replicas_of(self.cluster, happening)]
        evicted = [place for place in places if self.in_force.is_evicted(happening.model, place)]
        if evicted:
            pool.evict(evicted)
        if restored := [place for place in places if place not in evicted]:
            pool.restore(restored)

    def _spread(self, happening: Spread, _index: int) -> None:
        pool = self.cluster.pool(happening.model)
        planned = pool.model.engine.cards
        for replica in replicas_of(self.cluster, happening):
            cards = self.in_force.cards(planned, happening.model, replica.place)
            if cards != replica.cards:
                pool.spread([replica.place], cards)

    def _deploy(self, happening: Deploy, index: int) -> None:
        if index in self.in_force.active:
            self.cluster.pool(happening.model).deploy(happening, 1 << index)

    def _scale(self, happening: Scale, _index: int) -> None:
        """Replicas that are added are taken by training and spread like the others before any of them starts."""
        pool = self.cluster.pool(happening.model)
        size, there = self.in_force.replicas(pool.model.replicas, happening.model), len(pool.replicas)
        pool.grow(size)
        for place in range(there, size):
            if self.in_force.is_evicted(happening.model, place):
                pool.evict([place])
            cards = self.in_force.cards(pool.model.engine.cards, happening.model, place)
            if cards != pool.replicas[place].cards:
                pool.spread([place], cards)
        pool.scale(size)

    def _slow_link(self, happening: SlowLink, _index: int) -> None:
        rack = self.cluster.racks[happening.rack]
        rack.slowness = self.in_force.slowness(rack.index)
        rack.refresh()

    def _leak(self, happening: LeakDescriptors, index: int) -> None:
        gateway = self.cluster.gateways[happening.gateway]
        gateway.descriptors.leak(self.in_force.leak_per_s(gateway.index), self.cluster.env.now)
        if index not in self.in_force.active:
            gateway.restart()

    def _limit(self, happening: LimitRate, _index: int) -> None:
        for tenant in self.cluster.tenants(happening.service_tier):
            plan, present = self.cluster.plan.tenants[tenant], self.cluster.buckets[tenant]
            limit = self.in_force.limit(plan.rate_limit, plan.service_tier)
            if limit is None:
                self.cluster.buckets[tenant] = None
            elif present is None or present.limit != limit:
                self.cluster.buckets[tenant] = TokenBucket(limit, self.cluster.env.now)

    def _fail(self, happening: FailDependency, _index: int) -> None:
        name = happening.dependency
        dependency = self.cluster.dependency(name)
        failure = self.in_force.failure(name)
        if failure is None:
            dependency.recover()
        else:
            dependency.fail(failure.fails_at_once)
        self.cluster.note("dependency_failing" if dependency.is_failing else "dependency_back", f"dependency/{name}")

    def _set_clients(self, _happening: Happening, _index: int) -> None:
        self.cluster.clients.retries = self.in_force.retries(self.cluster.plan.clients)

    def _set_telemetry(self, _happening: Happening, _index: int) -> None:
        telemetry, force = self.cluster.telemetry, self.in_force
        telemetry.engine_loss = force.span_loss("engine")
        telemetry.gateway_loss = force.span_loss("gateway")
        telemetry.sample_share = force.sample_share()

    def _leave(self, _happening: Happening, _index: int) -> None:
        """Arrivals are drawn with it; nothing in the cluster changes."""
