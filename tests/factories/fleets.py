"""Small fleets and what they did."""

from loadtest.fleet.demo_plan import demo_plan
from loadtest.fleet.plan import Fault, FleetPlan
from loadtest.fleet.request import Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.traffic import Traffic

MONDAY_NS = 1_763_942_400_000_000_000  # 2025-11-24, a Monday, 00:00 UTC


def fleet_plan(seed: int = 1, requests_per_day: float = 21_500.0) -> FleetPlan:
    return demo_plan(seed, MONDAY_NS, requests_per_day)


def run_fleet(plan: FleetPlan, hours: float, fault: Fault | None = None) -> tuple[Simulation, list[Request]]:
    """A fleet after some hours, and the requests that ended."""
    ended: list[Request] = []
    simulation = Simulation(plan, ended.append)
    if fault is not None:
        simulation.plant(fault)
    simulation.feed(Traffic(plan).history(0.0, float("inf")))
    simulation.run(hours * 3600)
    return simulation, ended
