"""Service tiers and load tiers: the two axes of a traffic tier."""

from enum import StrEnum


class ServiceTier(StrEnum):
    """Business class of a request; free text is allowed beside these, `general` is the default."""

    CORE = "core"
    GENERAL = "general"
    BATCH = "batch"


RISK_THRESHOLDS: dict[str, float] = {ServiceTier.CORE: 0.005, ServiceTier.GENERAL: 0.01, ServiceTier.BATCH: 0.02}
"""Highest defect rate (0..1) that each service tier accepts unless configured otherwise."""


class LoadTier(StrEnum):
    """Where a minute's load stands among the loads that requests met in the reference period."""

    OFF_PEAK = "off_peak"
    NORMAL = "normal"
    BUSY = "busy"
    PEAK = "peak"


LOAD_TIER_QUANTILES: tuple[float, float, float] = (0.50, 0.85, 0.95)
"""Request-weighted quantiles of load that end off_peak, normal and busy."""
