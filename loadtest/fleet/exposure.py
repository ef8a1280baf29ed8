"""Which requests a happening touches: it sets its bit on what they meet, and they collect the bits there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.dependency import Dependency
from loadtest.fleet.gateway import Gateway
from loadtest.fleet.in_force import covers
from loadtest.fleet.rack import Rack
from loadtest.fleet.replica import Replica
from loadtest.fleet.request import Request
from loadtest.fleet.timeline import (
    Burst,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    OnReplicas,
    Scale,
    SlowLink,
)


class Marked(Protocol):
    """Something that carries bits. Requests that come to it collect them; who is there already gets them at once."""

    exposure: int

    def present(self) -> Iterable[Request]:
        """Requests that are there now."""


@dataclass
class Tenant:
    """A caller. What it has sent is not touched by what changes for what it sends."""

    cluster: Cluster
    index: int

    @property
    def exposure(self) -> int:
        """Bits of all that it sends."""
        return self.cluster.exposure[self.index]

    @exposure.setter
    def exposure(self, bits: int) -> None:
        self.cluster.exposure[self.index] = bits

    def present(self) -> Iterable[Request]:
        """Nobody."""
        return ()


def mark(things: Iterable[Marked], bit: int) -> None:
    """A happening begins, or is met by something new."""
    for thing in things:
        thing.exposure |= bit
        for request in thing.present():
            request.exposure |= bit


def unmark(things: Iterable[Marked], bit: int) -> None:
    """A happening ends; requests that met it keep its bit."""
    for thing in things:
        thing.exposure &= ~bit


def replicas_of(cluster: Cluster, happening: OnReplicas) -> Sequence[Replica]:
    """The replicas that it is about, as far as they exist by now."""
    replicas = cluster.pool(happening.model).replicas
    return [replica for replica in replicas if covers(happening, happening.model, replica.place)]


def pool_of(cluster: Cluster, happening: Scale) -> Sequence[Replica]:
    """All replicas of the model: whoever is added or taken away, the others share its load."""
    return cluster.pool(happening.model).replicas


def rack_of(cluster: Cluster, happening: SlowLink) -> Sequence[Rack]:
    """The rack, so that whoever comes to stand in it meets its links."""
    return [cluster.racks[happening.rack]]


def gateway_of(cluster: Cluster, happening: LeakDescriptors) -> Sequence[Gateway]:
    """The process that leaks."""
    return [cluster.gateways[happening.gateway]]


def dependency_of(cluster: Cluster, happening: FailDependency) -> Sequence[Dependency]:
    """What fails over."""
    return [cluster.dependency(happening.dependency)]


def tier_of(cluster: Cluster, happening: Burst | LimitRate) -> Sequence[Tenant]:
    """Tenants of the tier, or all."""
    return [Tenant(cluster, index) for index in cluster.tenants(happening.service_tier)]


def everybody(cluster: Cluster, _happening: Happening) -> Sequence[Tenant]:
    """What clients or telemetry do touches all tenants."""
    return [Tenant(cluster, index) for index in cluster.tenants(None)]


def nothing(_cluster: Cluster, _happening: Happening) -> Sequence[Marked]:
    """Deploys are marked by the pool, one replica after the other."""
    return ()
