"""The parts of a running fleet that happenings touch."""

from collections.abc import Callable
from dataclasses import dataclass

from simpy import Environment

from loadtest.fleet.clients import Clients
from loadtest.fleet.dependency import Dependency
from loadtest.fleet.gateway import Gateway
from loadtest.fleet.limits import TokenBucket
from loadtest.fleet.notes import TelemetryState
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.pool import Pool
from loadtest.fleet.rack import Rack


@dataclass(frozen=True)
class Cluster:
    """One running fleet.

    buckets   limits by tenant, None: no limit
    exposure  by tenant, bits of the happenings that touch all it sends
    note      told what happened, and to what
    """

    env: Environment
    plan: FleetPlan
    pools: list[Pool]
    racks: list[Rack]
    gateways: list[Gateway]
    dependencies: list[Dependency]
    clients: Clients
    telemetry: TelemetryState
    buckets: list[TokenBucket | None]
    exposure: list[int]
    note: Callable[[str, str], None]

    def pool(self, model: str) -> Pool:
        """The pool of a model, by its name."""
        names = [one.name for one in self.plan.models]
        return self.pools[names.index(model)]

    def dependency(self, name: str) -> Dependency:
        """A dependency by its name."""
        names = [one.name for one in self.plan.dependencies]
        return self.dependencies[names.index(name)]

    def tenants(self, service_tier: str | None) -> list[int]:
        """Indices of the tenants of a tier; of all of them for None."""
        tenants = enumerate(self.plan.tenants)
        return [index for index, tenant in tenants if service_tier in {None, tenant.service_tier}]
