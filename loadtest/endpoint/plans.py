"""The cluster behind an endpoint: the default one, or a part of another."""

import msgspec

from loadtest.fleet.plan import (
    Behaviour,
    EnginePlan,
    FleetPlan,
    GatewayPlan,
    Lengths,
    ModelPlan,
    Retries,
    TenantPlan,
    TrafficPlan,
    Version,
)
from vocabulary.errors import PeaklineError

DEFAULT_MODEL = "meridian-8b-instruct"


class UnknownPartError(PeaklineError):
    """A model or a fleet that does not exist; the sentence says which exist."""


def default_plan(model: str = DEFAULT_MODEL, replicas: int = 2, seed: int = 0, origin_ns: int = 0) -> FleetPlan:
    """One small model on a few cards, quick and free of faults: errors come only where they are asked for."""
    return FleetPlan(
        seed=seed,
        origin_ns=origin_ns,
        service="simulated-endpoint",
        models=(_model(model, replicas),),
        tenants=(TenantPlan(name="anyone", service_tier="general", share=1.0),),
        traffic=TrafficPlan(requests_per_day=1.0),
        gateway=GatewayPlan(count=1, fd_limit=65_536, retries=Retries(share=1.0, attempts_max=2, backoff_s=0.2)),
        clients=Retries(share=0.0),
    )


def _model(name: str, replicas: int) -> ModelPlan:
    quiet = Behaviour(error_probability=0.0, empty_probability=0.0, runaway_probability=0.0)
    return ModelPlan(
        name=name,
        version=Version(revision="2026-08-14", quantization="fp8", behaviour=quiet),
        context_window=16_384,
        replicas=replicas,
        share=1.0,
        prompt=Lengths(median=600, spread=0.8, largest=12_000),
        output=Lengths(median=160, spread=0.6, largest=3_000),
        engine=EnginePlan(
            batch_max=64,
            kv_tokens=160_000,
            queue_max=1_024,
            prefill_tokens_per_s=14_000.0,
            prefill_share=0.4,
            step_s=0.011,
            step_per_sequence_s=0.00045,
            step_per_kv_token_s=4.0e-8,
            load_s=40.0,
        ),
        in_flight_max=replicas * 1_088,
        queue_max=4_096,
        timeout_s=600.0,
        patience=Lengths(median=600, spread=0.0, largest=600),
    )


def narrowed(plan: FleetPlan, model: str | None, replicas: int | None) -> FleetPlan:
    """The plan with only this model, and with so many replicas of each; None leaves it.

    raises  UnknownPartError
    """
    models = [one for one in plan.models if model in (None, one.name)]
    if not models:
        raise UnknownPartError(f"the fleet has no model {model!r}; it has {', '.join(one.name for one in plan.models)}")
    if replicas is not None:
        models = [msgspec.structs.replace(one, replicas=replicas) for one in models]
    whole = sum(one.share for one in models)
    models = [msgspec.structs.replace(one, share=one.share / whole) for one in models]
    return msgspec.structs.replace(plan, models=tuple(models))
