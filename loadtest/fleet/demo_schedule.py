"""When what happens in the demo's live part: a short run sees the same story in a hurry.

Only arrivals, the instant of the fault and the alert rule follow the length of a run. Defects come from queues,
the cache and the bad replica, whatever the hurry.
"""

from dataclasses import dataclass

from loadtest.fleet.demo_plan import CHAT, demo_fault
from loadtest.fleet.plan import Fault, FleetPlan, RisePlan
from loadtest.fleet.traffic import Traffic

SHORTEST_S, RELAXED_S = 45.0, 300.0
SIZED_FOR_PER_DAY = 21_400.0
"""Requests a day whose weekday peak the fleet can just carry. A fleet with fewer rises to the same load, or nothing
would be contended; its requests take half a minute, so a rise must be steep to be seen in requests that ended."""

_RECOVERY = 0.55


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

    def fault(self, start_s: float) -> Fault:
        """The fault of live traffic that begins at this simulated second."""
        return demo_fault(start_s + self.fault_s)


def demo_schedule(plan: FleetPlan, duration_s: float | None = None) -> Schedule:
    """The story told within `duration_s`, at its relaxed pace where there is time or no end.

    Runs under SHORTEST_S see the beginning of the shortest story.
    """
    told_s = min(max(duration_s or RELAXED_S, SHORTEST_S), RELAXED_S)
    rise_s, over_s = min(told_s / 3, 80.0), round(min(told_s / 3, 60.0))
    for_s = round(min(told_s / 12, 10.0))
    ratio = max(1.0, SIZED_FOR_PER_DAY / plan.traffic.requests_per_day)
    peak = float(Traffic(plan).weekday_peak().sum()) * CHAT.share / CHAT.replicas
    line = ratio * peak * (2.0 + 120.0 / told_s)
    return Schedule(
        rise=RisePlan(from_factor=1.0, to_factor=ratio * (4.5 + 430.0 / told_s), rise_s=rise_s),
        line=round(line, 3),
        recovery=round(line * _RECOVERY, 3),
        over_s=over_s,
        for_s=for_s,
        fault_s=0.4 * told_s,
        alert_s=rise_s + 0.8 * over_s + for_s,
    )
