"""Answers as the analyzer gives them, made from the few numbers a test is about."""

from typing import Any

from analyzer.questions.answers import (
    Basis,
    Interval,
    Ledger,
    Overview,
    OverviewPoint,
    Quantiles,
    Rate,
    RequestLedger,
    RiskStanding,
    SignalLedger,
    Status,
    TierReport,
    TierRow,
)
from tests.dashboard.scenery import NOW_NS, POOL
from vocabulary.pools import MINUTE_NS, Window

WINDOW = Window(NOW_NS - 60 * MINUTE_NS, NOW_NS)
NOTHING_KNOWN = Rate(0, 0, None, Interval(0.0, 1.0))
LATENCY = Quantiles(100, 0.9, 2.1, 4.0)


def rate(defective: int, requests: int) -> Rate:
    """A rate with a rough interval; nothing here tests the arithmetic."""
    share = defective / requests
    return Rate(requests, defective, share, Interval(max(0.0, share - 0.01), share + 0.02))


def basis(requests: int = 100) -> Basis:
    return Basis("test", 1, WINDOW, NOW_NS, requests, 0)


def point(minute: int, load_rps: float, found: Rate | None = None) -> OverviewPoint:
    """One minute after the window's start."""
    found = found or rate(3, 100)
    return OverviewPoint(WINDOW.start_ns + minute * MINUTE_NS, load_rps, found.requests, found)


def overview(*points: OverviewPoint) -> Overview:
    return Overview(POOL, 60, points, rate(40, 1000), basis(1000), Status.OK)


def row(service_tier: str = "general", load_tier: str = "normal", **facts: Any) -> TierRow:
    """A tier with 20 defects in 1,000 requests."""
    plain: dict[str, Any] = {
        "step": None,
        "load_from_rps": 1.0,
        "load_to_rps": 2.0,
        "mean_load_rps": 1.5,
        "requests_all": 1000,
        "rate": rate(20, 1000),
        "defects": {"error": 12, "timeout": 8},
        "unknown": 0,
        "minutes": 10,
        "multiplier": 2.0,
        "multiplier_interval": Interval(1.2, 3.1),
        "e2e": LATENCY,
        "ttft": LATENCY,
        "status": Status.OK,
        "risk_threshold": 0.01,
        "risk_standing": RiskStanding.ACROSS,
    }
    return TierRow(service_tier=service_tier, load_tier=load_tier, **{**plain, **facts})


def report(*rows: TierRow, load_test: str = "") -> TierReport:
    return TierReport(POOL, load_test, rows, basis(), Status.OK, [])


def ledger(lost: int = 0, **rejected: int) -> Ledger:
    """1,000 requests; records of which `rejected` were, by reason."""
    requests = RequestLedger(1000, 10, 990, 950, 20, 10, 5, 3, lost, 2, "unverified")
    gone = sum(rejected.values())
    return Ledger(requests, {"traces": SignalLedger(5000 + gone, 4990, 10, rejected)}, WINDOW)
