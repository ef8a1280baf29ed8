"""The cluster of `peakline demo`: one gateway, two models, six replicas, sized so that a weekday peak is contended."""

from loadtest.fleet.plan import (
    Behaviour,
    EnginePlan,
    FleetPlan,
    Lengths,
    ModelPlan,
    TenantPlan,
    TrafficPlan,
    Version,
)
from loadtest.fleet.timeline import Behave

SERVICE = "assistant"

CHAT = ModelPlan(
    name="meridian-70b-instruct",
    version=Version(
        revision="2026-08-14",
        quantization="fp8",
        behaviour=Behaviour(error_probability=0.0016, empty_probability=0.0008),
    ),
    context_window=8_192,
    replicas=4,
    share=0.72,
    prompt=Lengths(median=1_050, spread=0.85, largest=9_000),
    output=Lengths(median=300, spread=0.80, largest=6_000),
    engine=EnginePlan(
        batch_max=16,
        kv_tokens=9_500,
        queue_max=32,
        prefill_tokens_per_s=5_500.0,
        prefill_share=0.45,
        step_s=0.040,
        step_per_sequence_s=0.014,
        step_per_kv_token_s=4.0e-7,
    ),
    in_flight_max=40,
    queue_max=12,
    timeout_s=120.0,
    patience=Lengths(median=80, spread=0.6, largest=100_000),
)

REASONING = ModelPlan(
    name="meridian-r-32b",
    version=Version(
        revision="2026-09-30",
        quantization="awq",
        behaviour=Behaviour(error_probability=0.0022, empty_probability=0.0006),
    ),
    context_window=12_288,
    replicas=2,
    share=0.28,
    prompt=Lengths(median=700, spread=0.85, largest=13_000),
    output=Lengths(median=900, spread=0.75, largest=12_000),
    engine=EnginePlan(
        batch_max=12,
        kv_tokens=14_000,
        queue_max=24,
        prefill_tokens_per_s=9_000.0,
        prefill_share=0.45,
        step_s=0.026,
        step_per_sequence_s=0.0070,
        step_per_kv_token_s=2.0e-7,
    ),
    in_flight_max=20,
    queue_max=8,
    timeout_s=200.0,
    patience=Lengths(median=150, spread=0.6, largest=100_000),
)

TENANTS = (
    TenantPlan(name="harbor-bank", service_tier="core", share=0.17),
    TenantPlan(name="city-hospital", service_tier="core", share=0.10),
    TenantPlan(name="nova-retail", service_tier="general", share=0.24),
    TenantPlan(name="brightdesk", service_tier="general", share=0.20),
    TenantPlan(name="studio-kite", service_tier="general", share=0.12),
    TenantPlan(name="ledger-audit", service_tier="batch", share=0.17, is_nocturnal=True),
)


def demo_plan(seed: int, origin_ns: int, requests_per_day: float) -> FleetPlan:
    """The demo's cluster from `origin_ns` on (a full hour), without any fault."""
    return FleetPlan(
        seed=seed,
        origin_ns=origin_ns,
        service=SERVICE,
        models=(CHAT, REASONING),
        tenants=TENANTS,
        traffic=TrafficPlan(requests_per_day=requests_per_day),
    )


def demo_fault(at_s: float) -> Behave:
    """What goes wrong in the live part: one chat replica computes slowly, fails and answers nothing at times."""
    return Behave(at_s=at_s, model=CHAT.name, replicas=(2,), speed=0.6, error_probability=0.22, empty_probability=0.10)
