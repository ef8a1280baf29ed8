"""Arrivals of live traffic: a rise of load, and bursts on top of it."""

from collections.abc import Iterator
from heapq import merge
from itertools import dropwhile, takewhile

import msgspec

from loadtest.fleet.plan import FleetPlan, RisePlan
from loadtest.fleet.request import Request
from loadtest.fleet.timeline import Burst, Timeline
from loadtest.fleet.traffic import Traffic

_BURST_NUMBERS = 1 << 45
"""Added to numbers of requests and sessions of each burst's own stream, so that they never meet those of the rise."""


def live_arrivals(plan: FleetPlan, start_s: float, rise: RisePlan, live: Timeline) -> Iterator[Request]:
    """Requests from `start_s` on, in order.

    live  happenings with their times in simulated seconds; its bursts of a factor below 1 change nothing here
    """
    bursts = [one for one in live if isinstance(one, Burst) and one.factor > 1.0]
    streams = [_burst(plan, start_s, rise, burst, place) for place, burst in enumerate(bursts, 1)]
    return merge(Traffic(plan).rise(start_s, rise), *streams, key=lambda request: request.arrival_s)


def _burst(plan: FleetPlan, start_s: float, rise: RisePlan, burst: Burst, place: int) -> Iterator[Request]:
    """What the burst adds to the rise: a rise of its own seed, so many times as high, of its tier, in its time."""
    tenants = {at for at, tenant in enumerate(plan.tenants) if burst.service_tier in {None, tenant.service_tier}}
    added = msgspec.structs.replace(
        rise, from_factor=rise.from_factor * (burst.factor - 1), to_factor=rise.to_factor * (burst.factor - 1)
    )
    drawn = Traffic(msgspec.structs.replace(plan, seed=plan.seed + 7919 * place)).rise(start_s, added)
    later = dropwhile(lambda request: request.arrival_s < burst.at_s, drawn)
    for request in takewhile(lambda request: request.arrival_s < burst.until_s, later):
        if request.tenant in tenants:
            request.number += place * _BURST_NUMBERS
            if request.session >= 0:
                request.session += place * _BURST_NUMBERS
            yield request
