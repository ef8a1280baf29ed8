"""Which requests a happening touches: it sets its bit on what they meet, and they collect the bits there."""

from collections.abc import Iterator
from typing import Protocol

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.in_force import covers
from loadtest.fleet.replica import Replica
from loadtest.fleet.timeline import (
    Burst,
    Deploy,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    OnReplicas,
    Scale,
    SlowLink,
)


class Marked(Protocol):
    """Something that carries bits."""

    exposure: int


def mark(cluster: Cluster, happening: Happening, bit: int, *, begins: bool) -> None:
    """Set or clear a happening's bit. Deploys are marked by the pool, one replica after the other."""
    for thing in _things(cluster, happening):
        thing.exposure = thing.exposure | bit if begins else thing.exposure & ~bit
    for tenant in _tenants(cluster, happening):
        bits = cluster.exposure[tenant]
        cluster.exposure[tenant] = bits | bit if begins else bits & ~bit


def _things(cluster: Cluster, happening: Happening) -> Iterator[Marked]:
    if isinstance(happening, OnReplicas):
        if not isinstance(happening, Deploy):
            yield from replicas_of(cluster, happening)
    elif isinstance(happening, Scale):
        yield from cluster.pool(happening.model).replicas
    elif isinstance(happening, SlowLink):
        yield from replicas_in(cluster, happening.rack)
    elif isinstance(happening, LeakDescriptors):
        yield cluster.gateways[happening.gateway]
    elif isinstance(happening, FailDependency):
        yield cluster.dependency(happening.dependency)


def _tenants(cluster: Cluster, happening: Happening) -> list[int]:
    """Bursts and limits touch a tier; what clients or telemetry do touches everybody."""
    if isinstance(happening, Burst | LimitRate):
        return cluster.tenants(happening.service_tier)
    is_elsewhere = isinstance(happening, OnReplicas | Scale | SlowLink | LeakDescriptors | FailDependency)
    return [] if is_elsewhere else cluster.tenants(None)


def replicas_of(cluster: Cluster, happening: OnReplicas) -> list[Replica]:
    """The replicas that it is about, as far as they exist by now."""
    replicas = cluster.pool(happening.model).replicas
    return [replica for replica in replicas if covers(happening, happening.model, replica.place)]


def replicas_in(cluster: Cluster, rack: int) -> list[Replica]:
    """Replicas that have cards in a rack."""
    return [replica for pool in cluster.pools for replica in pool.replicas if cluster.racks[rack] in replica.racks]
