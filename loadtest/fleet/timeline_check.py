"""Whether a plan can be run, and whether a timeline speaks of things that the fleet has; asked before anything runs."""

from collections.abc import Iterable, Mapping

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.timeline import (
    FailDependency,
    Happening,
    LeakDescriptors,
    OnReplicas,
    Scale,
    SlowLink,
    Timeline,
)
from vocabulary.errors import PeaklineError


class PlanError(PeaklineError):
    """A plan contradicts itself, or a timeline speaks of something that is not there."""


def check_plan(plan: FleetPlan) -> None:
    """Raise PlanError for the first model whose engine could not serve the longest request that it admits."""
    for model in plan.models:
        window, cache = model.context_window, model.engine.kv_tokens
        if window > cache:
            raise PlanError(f"model {model.name}: context_window {window} does not fit into kv_tokens {cache}.")


def check_timeline(timeline: Timeline, plan: FleetPlan, racks: int) -> None:
    """Raise PlanError for the first name or number that the fleet does not have. `racks` counts those at the origin."""
    for index, happening in enumerate(timeline):
        check_happening(happening, index, plan, racks, timeline)


def check_happening(
    happening: Happening,
    index: int,
    plan: FleetPlan,
    racks: int,
    timeline: Iterable[Happening] = (),
    standing: Mapping[str, int] | None = None,
) -> None:
    """As `check_timeline`, for one.

    timeline  tells which replicas scaling will add
    standing  replicas by model that are there by now, where the fleet runs
    """
    where = f"happening {index} ({happening.__struct_config__.tag})"
    if isinstance(happening, OnReplicas | Scale):
        _must_be_one_of(where, "model", happening.model, [model.name for model in plan.models])
    if isinstance(happening, OnReplicas):
        count = max(_replicas(happening.model, plan, timeline), (standing or {}).get(happening.model, 0))
        for place in happening.replicas:
            _must_be_below(where, "replicas", place, count, f"replicas of {happening.model}")
    if isinstance(happening, SlowLink):
        _must_be_below(where, "rack", happening.rack, racks, "racks")
    if isinstance(happening, LeakDescriptors):
        _must_be_below(where, "gateway", happening.gateway, plan.gateway.count, "gateways")
    if isinstance(happening, FailDependency):
        _must_be_one_of(where, "dependency", happening.dependency, [one.name for one in plan.dependencies])
    tier = getattr(happening, "service_tier", None)
    if tier is not None:
        _must_be_one_of(where, "service_tier", tier, sorted({tenant.service_tier for tenant in plan.tenants}))


def _replicas(model: str, plan: FleetPlan, timeline: Iterable[Happening]) -> int:
    planned = next(one.replicas for one in plan.models if one.name == model)
    return max([planned, *(one.to for one in timeline if isinstance(one, Scale) and one.model == model)])


def _must_be_one_of(where: str, field: str, value: str, there: Iterable[str]) -> None:
    names = list(there)
    if value not in names:
        known = ", ".join(names) if names else "none"
        raise PlanError(f"{where}: {field} {value!r} does not exist; there are: {known}.")


def _must_be_below(where: str, field: str, value: int, count: int, what: str) -> None:
    if not 0 <= value < count:
        raise PlanError(f"{where}: {field} {value} does not exist; there are {count} {what}, counted from 0.")
