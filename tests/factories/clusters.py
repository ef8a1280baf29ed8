"""A small cluster without chance, and requests that are written by hand."""

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace
from simpy.events import Event

from loadtest.fleet.plan import (
    Behaviour,
    EnginePlan,
    FleetPlan,
    GatewayPlan,
    Lengths,
    ModelPlan,
    Retries,
    TenantPlan,
    TrafficPlan,
    Version,
)
from loadtest.fleet.request import End, Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import Timeline

CALM = Behaviour(error_probability=0.0, empty_probability=0.0, runaway_probability=0.0)
ENGINE = EnginePlan(
    batch_max=1,
    kv_tokens=9_500,
    queue_max=1,
    prefill_tokens_per_s=5_500.0,
    prefill_share=0.45,
    step_s=0.040,
)
MODEL = ModelPlan(
    name="chat",
    version=Version(revision="r1", behaviour=CALM),
    context_window=8_192,
    replicas=2,
    share=1.0,
    prompt=Lengths(median=100, spread=0.0, largest=100),
    output=Lengths(median=100, spread=0.0, largest=100),
    engine=ENGINE,
    in_flight_max=4,
    queue_max=1,
    timeout_s=30.0,
    patience=Lengths(median=100, spread=0.0, largest=1000),
)
ROOMY = replace(MODEL, in_flight_max=10_000, queue_max=10_000, engine=replace(ENGINE, batch_max=64, queue_max=10_000))
TENANTS = (
    TenantPlan(name="bank", service_tier="core", share=0.5),
    TenantPlan(name="audit", service_tier="batch", share=0.5),
)
NO_RETRIES = Retries()


def cluster_plan(model: ModelPlan = MODEL, **changes: Any) -> FleetPlan:
    """One model, one gateway, nobody tries again."""
    plan = FleetPlan(
        seed=1,
        origin_ns=0,
        service="assistant",
        models=(model,),
        tenants=TENANTS,
        traffic=TrafficPlan(requests_per_day=1.0),
        gateway=GatewayPlan(retries=NO_RETRIES),
        clients=NO_RETRIES,
    )
    return replace(plan, **changes)


def asking(number: int, output: int = 100, prompt: int = 100, **changes: Any) -> Request:
    """A request that the engine takes about 0.04 s a token for."""
    columns: dict[str, Any] = {
        "number": number,
        "arrival_s": 0.0,
        "model": 0,
        "tenant": 0,
        "session": -1,
        "prefix_tokens": 0,
        "prompt_tokens": prompt,
        "natural_tokens": output,
        "limit_tokens": 8_000,
        "max_tokens": 0,
        "is_streamed": True,
        "temperature": 0.0,
        "patience_s": 1e9,
        "luck": 0.999,
        "when": 0.5,
    }
    return Request(**columns | changes)


class Scene:
    """A cluster, and what came of the requests that were sent into it."""

    def __init__(self, plan: FleetPlan | None = None, timeline: Timeline = (), start_s: float = 0.0) -> None:
        self.ended: list[Request] = []
        self.simulation = Simulation(plan or cluster_plan(), self.ended.append, timeline, start_s)

    @property
    def ends(self) -> dict[int, End]:
        return {request.number: request.end for request in self.ended}

    @property
    def is_conserved(self) -> bool:
        """Arrivals are outcomes and what is in flight."""
        return self.simulation.arrived == len(self.ended) + self.simulation.in_flight

    def at(self, when_s: float, act: Callable[[], object]) -> None:
        """Do something at a time to come."""

        def run(_event: Event) -> None:
            act()

        self.simulation.env.timeout(when_s - self.simulation.now_s).callbacks.append(run)

    def send(self, *requests: Request) -> None:
        """Let requests arrive at the time that they name."""
        for request in requests:
            if request.arrival_s > self.simulation.now_s:
                self.at(request.arrival_s, partial(self.simulation.arrive, request))
            else:
                self.simulation.arrive(request)
            assert self.is_conserved

    def run(self, until_s: float = 1000.0) -> dict[int, End]:
        """How each request that has ended by then ended, by number."""
        self.simulation.run(until_s)
        assert self.is_conserved
        return self.ends
