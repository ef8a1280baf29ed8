"""Plans read from a document refuse what makes no sense, and never change afterwards."""

import msgspec
import pytest

from loadtest.fleet.plan import Behaviour, FleetPlan, Lengths, RateLimit, Retries, TrafficPlan
from tests.factories.fleets import fleet_plan


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        (Lengths, {"median": 0, "spread": 0.5, "largest": 10}),
        (Lengths, {"median": 5, "spread": -1, "largest": 10}),
        (Lengths, {"median": 5, "spread": 0.5, "largest": 10, "mean": 7}),
        (Behaviour, {"error_probability": 1.5}),
        (Behaviour, {"speed": -0.1}),
        (Behaviour, {"speed": float("inf")}),
        (RateLimit, {"requests_per_s": float("inf"), "burst": 5}),
        (RateLimit, {"requests_per_s": float("nan"), "burst": 5}),
        (RateLimit, {"requests_per_s": 0, "burst": 5}),
        (RateLimit, {"requests_per_s": 2}),
        (Retries, {"attempts_max": 0}),
        (Retries, {"backoff_s": -1.0}),
        (TrafficPlan, {"requests_per_day": 5, "noise": float("nan")}),
        (TrafficPlan, {"requests_per_day": 5, "noise": 1e5}),
        (TrafficPlan, {"requests_per_day": 5, "pulses_per_day": float("inf")}),
        (TrafficPlan, {"requests_per_day": 5, "pulse_minutes": [0, 90]}),
        (TrafficPlan, {"requests_per_day": 5, "growth_per_week": 1e-9}),
    ],
)
def test_nonsense_is_refused(kind: type, document: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(document, kind)


def test_a_plan_survives_being_written_and_read() -> None:
    plan = fleet_plan()
    assert msgspec.json.decode(msgspec.json.encode(plan), type=FleetPlan) == plan


def test_a_plan_is_frozen() -> None:
    with pytest.raises(AttributeError):
        fleet_plan().seed = 2  # type: ignore[misc]
