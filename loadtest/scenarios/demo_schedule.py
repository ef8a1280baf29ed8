"""When what happens in the demo's live part: a short run sees the same story in a hurry.

Only arrivals, the instant of the fault and the alert rule follow the length of a run. Defects come from queues,
the cache and the bad replica, whatever the hurry.
"""

from dataclasses import dataclass

from loadtest.fleet.plan import FleetPlan, RisePlan
from loadtest.fleet.timeline import Behave
from loadtest.fleet.traffic import Traffic
from loadtest.scenarios.demo_plan import demo_fault
from loadtest.scenarios.schema import ScenarioFile

SHORTEST_S, RELAXED_S = 45.0, 300.0
SIZED_FOR_PER_DAY = 21_400.0
"""Requests a day whose weekday peak the fleet can just carry. A fleet with fewer rises to the same load, or nothing
would be contended; its requests take half a minute, so a rise must be steep to be seen in requests that ended."""

_RECOVERY = 0.55
_SCENARIO_LINE, _SCENARIO_OVER_S, _SCENARIO_FOR_S = 1.6, 60, 10


@dataclass(frozen=True, slots=True)
class Schedule:
    """The live part of one demo; seconds since it began, loads in requests per second and chat replica.

    rise           the course of arrivals
    line           the alert rule's line, far enough above a weekday's peak that chance does not cross it
    recovery       its recovery line
    over_s, for_s  the rule's window, and how long it must hold
    fault_s        when the replica goes bad
    alert_s        about when the alert fires: the rise has filled the window
    """

    rise: RisePlan
    line: float
    recovery: float
    over_s: int
    for_s: int
    fault_s: float
    alert_s: float

    def fault(self) -> Behave:
        """The fault of live traffic, at its second since the beginning."""
        return demo_fault(self.fault_s)

    def story(self) -> ScenarioFile:
        """The demo's own scenario: nothing in the history, then the rise and the fault."""
        return ScenarioFile(
            name="demo",
            title="A rise of load and a bad replica",
            title_zh="负载上升与故障副本",
            summary="Load rises over the line, contention grows with it, and one chat replica goes bad.",
            days=14,
            fleet="demo",
            live=(self.fault(),),
            rise=self.rise,
        )


def demo_schedule(plan: FleetPlan, duration_s: float | None = None) -> Schedule:
    """The story told within `duration_s`, at its relaxed pace where there is time or no end.

    Runs under SHORTEST_S see the beginning of the shortest story.
    """
    told_s = min(max(duration_s or RELAXED_S, SHORTEST_S), RELAXED_S)
    rise_s, over_s = min(told_s / 3, 80.0), round(min(told_s / 3, 60.0))
    for_s = round(min(told_s / 12, 10.0))
    ratio = max(1.0, SIZED_FOR_PER_DAY / plan.traffic.requests_per_day)
    line = ratio * _peak(plan) * (2.0 + 120.0 / told_s)
    return Schedule(
        rise=RisePlan(from_factor=1.0, to_factor=ratio * (4.5 + 430.0 / told_s), rise_s=rise_s),
        line=round(line, 3),
        recovery=round(line * _RECOVERY, 3),
        over_s=over_s,
        for_s=for_s,
        fault_s=0.4 * told_s,
        alert_s=rise_s + 0.8 * over_s + for_s,
    )


def scenario_schedule(scenario: ScenarioFile, plan: FleetPlan) -> Schedule:
    """The alert rule beside a scenario: a line somewhat above the typical weekday's peak of the first model."""
    line = _peak(plan) * _SCENARIO_LINE
    return Schedule(
        rise=scenario.rise or RisePlan(),
        line=round(line, 3),
        recovery=round(line * _RECOVERY, 3),
        over_s=_SCENARIO_OVER_S,
        for_s=_SCENARIO_FOR_S,
        fault_s=min((one.at_s for one in scenario.live), default=0.0),
        alert_s=(scenario.rise or RisePlan()).rise_s + _SCENARIO_OVER_S,
    )


def _peak(plan: FleetPlan) -> float:
    """Requests per second and replica of the first model at a typical weekday's peak."""
    first = plan.models[0]
    return float(Traffic(plan).weekday_peak().sum()) * first.share / first.replicas
