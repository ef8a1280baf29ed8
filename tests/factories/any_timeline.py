"""Timelines and requests by chance for a small busy cluster, and what must hold of it whatever happens."""

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from loadtest.fleet.exposure import Marked
from loadtest.fleet.plan import DependencyPlan, GatewayPlan, Lengths, RateLimit, Retries, Version
from loadtest.fleet.replica import Replica, ReplicaState
from loadtest.fleet.request import Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import (
    Behave,
    ChangeClients,
    Deploy,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    Scale,
    ShrinkCache,
    SlowLink,
    Spread,
    Timeline,
    Train,
)
from tests.factories.clusters import CALM, ENGINE, MODEL, asking, cluster_plan

_LATENCY = Lengths(median=3.0, spread=0.5, largest=400)
_ENGINE = replace(
    ENGINE, batch_max=4, kv_tokens=1_200, queue_max=3, exchange_s=0.002, exchange_per_sequence_s=0.001, load_s=5.0
)
_MODEL = replace(MODEL, context_window=1_000, replicas=3, engine=_ENGINE, in_flight_max=12, queue_max=6, timeout_s=60.0)
BUSY = cluster_plan(
    _MODEL,
    gateway=GatewayPlan(count=2, fd_limit=50, fd_idle=20),
    clients=Retries(share=0.5, attempts_max=2, backoff_s=2.0),
    dependencies=(
        DependencyPlan(name="redis", kind="cache", system="redis", latency_ms=_LATENCY),
        DependencyPlan(name="milvus", kind="vector", system="milvus", latency_ms=_LATENCY, share=0.2, is_needed=True),
        DependencyPlan(name="kafka", kind="queue", system="kafka", latency_ms=_LATENCY),
    ),
)


def random_request(rng: Random, number: int, at_s: float) -> Request:
    """Some are long, some are further turns, some are doomed."""
    prompt = rng.choice((20, 100, 600))
    return asking(
        number,
        output=1 + int(rng.expovariate(1 / 60)),
        prompt=prompt,
        arrival_s=at_s,
        tenant=rng.randrange(2),
        session=rng.randrange(-20, 20),
        prefix_tokens=rng.choice((0, prompt // 2)),
        limit_tokens=300,
        is_streamed=rng.random() < 0.7,
        patience_s=rng.uniform(5.0, 60.0),
        luck=rng.random(),
        when=rng.random(),
    )


def random_timeline(rng: Random) -> Timeline:
    """Up to 14 happenings that overlap, begin together or last for an instant; all are over by second 350."""
    timeline = [rng.choice(_KINDS)(rng, rng.choice(((), (0,), (1,), (0, 1)))) for _ in range(rng.randint(4, 14))]
    return msgspec.convert([msgspec.to_builtins(one) for one in timeline], Timeline)


def _times(rng: Random) -> dict[str, Any]:
    at_s = rng.choice((0.0, 20.0, 20.0, rng.uniform(0.0, 200.0)))
    return {"at_s": at_s, "for_s": rng.choice((0.5, 10.0, rng.uniform(1.0, 150.0), 150.0))}


def _version(rng: Random) -> Version:
    return Version(revision=f"v{rng.randint(2, 4)}", behaviour=replace(CALM, output_factor=rng.choice((1.0, 1.5))))


def _behave(rng: Random, places: tuple[int, ...]) -> Behave:
    return Behave(
        model="chat",
        replicas=places,
        speed=rng.choice((0.0, 0.3, None)),
        hang_probability=rng.choice((None, 0.3)),
        error_probability=rng.choice((None, 0.3)),
        **_times(rng),
    )


def _deploy(rng: Random, places: tuple[int, ...]) -> Deploy:
    return Deploy(
        model="chat",
        replicas=places,
        version=_version(rng),
        mode=rng.choice(("rolling", "in_place", "canary")),
        share=0.3,
        every_s=rng.choice((1.0, 20.0)),
        **_times(rng),
    )


_KINDS: tuple[Callable[[Random, tuple[int, ...]], Happening], ...] = (
    _behave,
    _deploy,
    _deploy,
    lambda rng, places: ShrinkCache(model="chat", replicas=places, share=rng.choice((0.0, 0.3, 0.8)), **_times(rng)),
    lambda rng, places: Spread(model="chat", replicas=places, cards=rng.choice((1, 2, 3, 7)), **_times(rng)),
    lambda rng, _places: SlowLink(rack=0, factor=3.0, **_times(rng)),
    lambda rng, places: Train(model="chat", replicas=places, mode=rng.choice(("share", "evict")), **_times(rng)),
    lambda rng, _places: Scale(model="chat", to=rng.randint(1, 5), **_times(rng)),
    lambda rng, _places: LeakDescriptors(gateway=rng.randrange(2), per_s=rng.choice((0.5, 5.0)), **_times(rng)),
    lambda rng, _places: FailDependency(
        dependency=rng.choice(("redis", "milvus", "kafka")), fails_at_once=rng.random(), **_times(rng)
    ),
    lambda rng, _places: ChangeClients(retries=Retries(share=1.0, attempts_max=4, backoff_s=0.5), **_times(rng)),
    lambda rng, _places: LimitRate(limit=RateLimit(requests_per_s=0.5, burst=2), **_times(rng)),
)


def check_books(simulation: Simulation) -> None:
    """No cache is overdrawn, and its books say who holds it; gateways and racks count what is there."""
    for pool in simulation.pools:
        for replica in pool.replicas:
            _check_cache(replica)
            assert [rack.replicas.count(replica) for rack in simulation.racks if rack in replica.racks] == [1] * len(
                replica.racks
            )
    for gateway in simulation.gateways:
        assert 0 <= gateway.forwarded <= gateway.in_flight
        assert gateway.descriptors.open == gateway.in_flight + gateway.forwarded
        assert all(0 <= lane.taken <= lane.places and lane.queued >= 0 for lane in gateway.lanes)
    taken = sum(rack.taken for rack in simulation.racks)
    assert taken == sum(replica.cards for pool in simulation.pools for replica in pool.replicas)


def _check_cache(replica: Replica) -> None:
    kv, batch = replica.kv, replica.batch
    assert min(kv.used, kv.cached) >= 0
    assert kv.used + kv.cached <= kv.capacity + 1e-3
    assert kv.cached == sum(kv.contexts.values())
    held = sum(request.kv_at_join + batch.clock - request.joined_clock for request in batch.requests)
    held += replica._stuck_kv + (replica.prefilling.kv_at_join if replica.prefilling else 0.0)
    assert abs(held - kv.used) < 0.5


def check_that_all_is_as_planned(simulation: Simulation) -> None:
    """Nothing is left of a timeline whose happenings are over."""
    for pool in simulation.pools:
        assert (pool.size, pool.canary, pool.canary_share) == (pool.model.replicas, frozenset(), 0.0)
        for replica in pool.replicas:
            assert replica.state is (ReplicaState.READY if replica.place < pool.size else ReplicaState.DOWN)
            assert (replica.exposure, replica.cards, replica.is_loading) == (0, replica.engine.cards, False)
        for replica in pool.ready():
            assert (replica.version, replica.identity.revision) == (pool.model.version, pool.model.version.revision)
            assert (replica.behaviour, replica.training_share) == (replica.version.behaviour, 1.0)
            assert replica.kv.capacity == replica.engine.kv_tokens or replica._stuck_kv
    assert {rack.slowness for rack in simulation.racks} == {1.0}
    marked: list[Marked] = [*simulation.racks, *simulation.gateways, *simulation.dependencies]
    assert not any(one.exposure for one in marked)
    assert not any(simulation.cluster.exposure)
    assert simulation.cluster.buckets == [None, None]
