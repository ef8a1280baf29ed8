"""What can be played: what would not fit into memory, or never come, is refused before it begins."""

from typing import Final

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.timeline import Burst, Scale, SkewClock, Spread, Timeline

HAPPENINGS_MAX: Final = 63
"""In timeline and live together: each has a bit of the truth's exposure column."""
REPLICAS_MAX: Final = 10_000
CARDS_MAX: Final = 100_000
REQUESTS_PER_DAY_MIN: Final = 0.001
REQUESTS_PER_DAY_MAX: Final = 1e8
SKEW_MS_MAX: Final = 1e9


def unplayable(plan: FleetPlan, timeline: Timeline = ()) -> str | None:
    """The first reason why it cannot be played, for a person; None when it can.

    timeline  of history and live traffic together; each happening is looked at by itself
    """
    replicas = sum(model.replicas for model in plan.models) + plan.gateway.count
    cards = sum(model.replicas * model.engine.cards for model in plan.models)
    per_day = plan.traffic.requests_per_day
    bursts = [one.factor for one in timeline if isinstance(one, Burst)]
    if (least := per_day * min([1.0, *bursts])) < REQUESTS_PER_DAY_MIN:
        return f"{least:g} requests a day, bursts included: at least {REQUESTS_PER_DAY_MIN:g} can be played"
    found = (
        *((abs(one.skew_ms), SKEW_MS_MAX, "ms of skew") for one in timeline if isinstance(one, SkewClock)),
        (max([replicas, *(one.to for one in timeline if isinstance(one, Scale))]), REPLICAS_MAX, "replicas, gateways"),
        (max([cards, *(_cards(one, plan) for one in timeline if isinstance(one, Spread))]), CARDS_MAX, "cards"),
        (per_day * max([1.0, *bursts]), REQUESTS_PER_DAY_MAX, "requests a day, bursts included"),
    )
    return next(
        (f"{has:,.0f} {what}: at most {most:,.0f} can be played" for has, most, what in found if not has <= most), None
    )


def _cards(spread: Spread, plan: FleetPlan) -> int:
    replicas = max(model.replicas for model in plan.models) if not spread.replicas else len(spread.replicas)
    return spread.cards * replicas
