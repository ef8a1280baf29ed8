"""The cluster of `peakline demo`: one gateway, two models, six replicas, sized so that a weekday peak is contended."""

from loadtest.fleet.plan import EnginePlan, Fault, FleetPlan, Lengths, ModelPlan, TenantPlan, TrafficPlan

SERVICE = "assistant"

CHAT = ModelPlan(
    name="meridian-70b-instruct",
    revision="2026-08-14",
    quantization="fp8",
    context_window=8_192,
    replicas=4,
    share=0.72,
    prompt=Lengths(1_050, 0.85, 9_000),
    output=Lengths(300, 0.80, 6_000),
    engine=EnginePlan(
        batch_max=16,
        kv_tokens=9_500,
        queue_max=32,
        prefill_tokens_per_s=5_500.0,
        prefill_share=0.45,
        step_s=0.040,
        step_per_sequence_s=0.014,
        step_per_kv_token_s=4.0e-7,
        error_probability=0.0016,
        empty_probability=0.0008,
    ),
    in_flight_max=40,
    queue_max=12,
    timeout_s=120.0,
    patience=Lengths(80, 0.6, 100_000),
)

REASONING = ModelPlan(
    name="meridian-r-32b",
    revision="2026-09-30",
    quantization="awq",
    context_window=12_288,
    replicas=2,
    share=0.28,
    prompt=Lengths(700, 0.85, 13_000),
    output=Lengths(900, 0.75, 12_000),
    engine=EnginePlan(
        batch_max=12,
        kv_tokens=14_000,
        queue_max=24,
        prefill_tokens_per_s=9_000.0,
        prefill_share=0.45,
        step_s=0.026,
        step_per_sequence_s=0.0070,
        step_per_kv_token_s=2.0e-7,
        error_probability=0.0022,
        empty_probability=0.0006,
    ),
    in_flight_max=20,
    queue_max=8,
    timeout_s=200.0,
    patience=Lengths(150, 0.6, 100_000),
)

TENANTS = (
    TenantPlan("harbor-bank", "core", 0.17),
    TenantPlan("city-hospital", "core", 0.10),
    TenantPlan("nova-retail", "general", 0.24),
    TenantPlan("brightdesk", "general", 0.20),
    TenantPlan("studio-kite", "general", 0.12),
    TenantPlan("ledger-audit", "batch", 0.17, is_nocturnal=True),
)


def demo_plan(seed: int, origin_ns: int, requests_per_day: float) -> FleetPlan:
    """The demo's cluster from `origin_ns` on (a full hour), without any fault."""
    return FleetPlan(seed, origin_ns, SERVICE, (CHAT, REASONING), TENANTS, TrafficPlan(requests_per_day))


def demo_fault(at_s: float) -> Fault:
    """What goes wrong in the live part: one chat replica computes slowly, fails and answers nothing at times."""
    return Fault(at_s, model=0, replica=2, error_probability=0.22, empty_probability=0.10, speed=0.6)
