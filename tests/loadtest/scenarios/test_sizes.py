"""Scenarios that would not fit are refused before they begin."""

import re

import msgspec
import pytest

from loadtest.fleet.plan import FleetPlan, GatewayPlan
from loadtest.fleet.timeline import Burst, Happening, Scale, SkewClock, Spread
from loadtest.scenarios.catalogue import load
from loadtest.scenarios.sizes import unplayable

PLAN = load("quiet").template
MANY_GATEWAYS = msgspec.structs.replace(PLAN, gateway=GatewayPlan(count=10**6))
MODEL = PLAN.models[0].name


def changed(**traffic: float) -> FleetPlan:
    return msgspec.structs.replace(PLAN, traffic=msgspec.structs.replace(PLAN.traffic, **traffic))


@pytest.mark.parametrize(
    ("plan", "happening", "reason"),
    [
        (PLAN, Scale(at_s=0, model=MODEL, to=10**9), "1,000,000,000 replicas, gateways: at most 10,000 can be played"),
        (PLAN, Spread(at_s=0, model=MODEL, cards=10**6), "5,000,000 cards: at most 100,000 can be played"),
        (PLAN, Burst(at_s=0, factor=1e6), r"\d+,000,000,000 requests a day, bursts included"),
        (PLAN, Burst(at_s=0, factor=1e-300), r"1.6e-296 requests a day, bursts included: at least 0.001"),
        (PLAN, SkewClock(at_s=0, model=MODEL, skew_ms=-1e13), "10,000,000,000,000 ms of skew: at most 1,000,000,000"),
        (PLAN, SkewClock(at_s=0, model=MODEL, skew_ms=float("nan")), "nan ms of skew"),
        (changed(requests_per_day=1e12), Burst(at_s=0, factor=0.5), "1,000,000,000,000 requests a day"),
        (MANY_GATEWAYS, Burst(at_s=0, factor=1), "1,000,008 replicas, gateways: at most 10,000"),
    ],
)
def test_what_is_unplayable_is_told_with_the_most_that_goes(plan: FleetPlan, happening: Happening, reason: str) -> None:
    assert unplayable(PLAN) is None
    said = unplayable(plan, (happening,))  # type: ignore[arg-type]  # each is of the timeline's kinds
    assert said is not None
    assert re.match(reason, said)
