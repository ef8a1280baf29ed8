"""A fleet small in words whose traffic alone matters: two models, four callers, one of them at night."""

from pathlib import Path
from typing import Any

from loadtest.fleet.plan import EnginePlan, FleetPlan, Lengths, ModelPlan, TenantPlan, TrafficPlan, Version

MONDAY_NS = 1_763_942_400_000_000_000  # 2025-11-24, a Monday, 00:00 UTC
HOUR_S, DAY_S, WEEK_S = 3600.0, 86_400.0, 604_800.0
NIGHT = 3  # the tenant that works at night


def traffic_plan(seed: int = 1, requests_per_day: float = 20_000.0, **traffic: Any) -> FleetPlan:
    return FleetPlan(
        seed=seed,
        origin_ns=MONDAY_NS,
        service="assistant",
        models=(model("chat", share=0.7, window=8_192), model("reason", share=0.3, window=32_768, long_share=0.1)),
        tenants=(
            TenantPlan(name="bank", service_tier="core", share=0.3),
            TenantPlan(name="shop", service_tier="general", share=0.4),
            TenantPlan(name="desk", service_tier="general", share=0.1),
            TenantPlan(name="audit", service_tier="batch", share=0.2, is_nocturnal=True),
        ),
        traffic=TrafficPlan(requests_per_day=requests_per_day, **traffic),
    )


def model(name: str, share: float, window: int, long_share: float = 0.0) -> ModelPlan:
    return ModelPlan(
        name=name,
        version=Version(revision="1"),
        context_window=window,
        replicas=1,
        share=share,
        prompt=Lengths(median=1_000, spread=0.8, largest=9_000),
        output=Lengths(median=300, spread=0.8, largest=6_000),
        engine=EnginePlan(
            batch_max=16, kv_tokens=100_000, queue_max=32, prefill_tokens_per_s=5_000.0, prefill_share=0.4, step_s=0.04
        ),
        in_flight_max=40,
        queue_max=12,
        timeout_s=120.0,
        patience=Lengths(median=80, spread=0.6, largest=100_000),
        long_share=long_share,
        long_prompt=Lengths(median=18_000, spread=0.2, largest=30_000),
    )


def written(folder: Path, text: str) -> str:
    """Path of a file with this text."""
    path = folder / "traffic.csv"
    path.write_bytes(text.encode())
    return str(path)
