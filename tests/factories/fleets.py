"""Small fleets and what they did."""

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import Timeline
from loadtest.fleet.traffic import Traffic
from loadtest.scenarios.demo_plan import demo_plan

MONDAY_NS = 1_763_942_400_000_000_000  # 2025-11-24, a Monday, 00:00 UTC


def fleet_plan(seed: int = 1, requests_per_day: float = 21_500.0) -> FleetPlan:
    return demo_plan(seed, MONDAY_NS, requests_per_day)


def run_fleet(plan: FleetPlan, hours: float, timeline: Timeline = ()) -> tuple[Simulation, list[Request]]:
    """A fleet after some hours, and the requests that ended."""
    ended: list[Request] = []
    simulation = Simulation(plan, ended.append, timeline)
    simulation.feed(Traffic(plan, timeline).history(0.0, float("inf")))
    simulation.run(hours * 3600)
    return simulation, ended
