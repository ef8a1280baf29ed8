"""What a gateway works with: its part of each model, and what it shares with the other gateways."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from random import Random

from simpy import Environment

from loadtest.fleet.breaker import Breakers
from loadtest.fleet.dependency import Dependency
from loadtest.fleet.limits import TokenBucket
from loadtest.fleet.plan import FleetPlan, ModelPlan
from loadtest.fleet.request import Request
from loadtest.fleet.router import Router


@dataclass(frozen=True)
class Surroundings:
    """What all gateways share: the clock, the way to the replicas, the tenants' limits, and whom to tell.

    buckets   by tenant, None: no limit
    exposure  by tenant, bits of the happenings that touch all it sends
    watch     told of each admitted request: from then on it may be given up
    finish    told of each ended request once
    note      told what happened, and to what
    """

    env: Environment
    plan: FleetPlan
    routers: list[Router]
    dependencies: list[Dependency]
    buckets: list[TokenBucket | None]
    exposure: list[int]
    rng: Random
    watch: Callable[[Request], None]
    finish: Callable[[Request], None]
    note: Callable[[str, str], None]


class Lane:
    """A gateway's part of one model: places for forwarded requests, and a queue before them.

    taken       places in use; a request keeps its place while it waits to be tried again
    queued      requests in the queue that are still wanted; given up ones stay in it until their turn
    is_pulling  the queue is being served further up the stack
    """

    __slots__ = ("breakers", "is_pulling", "places", "queue", "queue_max", "queued", "router", "taken", "window")

    def __init__(self, model: ModelPlan, router: Router, gateways: int, breakers: Breakers) -> None:
        self.router = router
        self.breakers = breakers
        self.window = model.context_window
        self.places = ceil(model.in_flight_max / gateways)
        self.queue_max = ceil(model.queue_max / gateways)
        self.taken = 0
        self.queued = 0
        self.queue: deque[Request] = deque()
        self.is_pulling = False

    def wait(self, request: Request) -> None:
        """Put a request at the end of the queue."""
        self.queue.append(request)
        self.queued += 1
