"""The live part of a demo: whatever its length, load rises, the alert fires once, and a replica goes bad."""

import msgspec
import pytest

from alerts.rules import Line, LineKind
from alerts.state import AlertState, Standing, step
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.traffic import Traffic
from loadtest.scenarios.catalogue import fleet_plan as plan_of
from loadtest.scenarios.catalogue import load
from loadtest.scenarios.demo_schedule import Schedule, demo_schedule, scenario_schedule
from tests.factories.fleets import MONDAY_NS, fleet_plan
from vocabulary.pools import SECOND_NS

BEGIN_S = 2000.0
ROUND_S, ON_ITS_WAY_S = 5.0, 1.5


def ends_of(plan: FleetPlan, schedule: Schedule, duration_s: float) -> list[float]:
    """Seconds of live traffic at which requests of the chat pool ended."""
    ends: list[float] = []
    simulation = Simulation(plan, lambda request: ends.append(request.ended_s - BEGIN_S) if not request.model else None)
    traffic = Traffic(plan)
    simulation.feed(traffic.history(0.0, float("inf")))
    simulation.run(BEGIN_S)
    simulation.feed(traffic.rise(BEGIN_S, schedule.rise))
    simulation.plant(msgspec.structs.replace(schedule.fault(), at_s=BEGIN_S + schedule.fault_s), 0)
    simulation.run(BEGIN_S + duration_s)
    return ends


def changes(plan: FleetPlan, schedule: Schedule, duration_s: float) -> list[tuple[AlertState, float]]:
    """The alert's changes, by the product's own state machine, with their seconds."""
    ends, standing = ends_of(plan, schedule, duration_s), Standing(since_ns=0)
    line = Line(LineKind.FIXED, schedule.line, schedule.recovery)
    found, now_s = [], plan.seed % ROUND_S
    while now_s < duration_s:
        end_s = now_s - ON_ITS_WAY_S
        value = sum(end_s - schedule.over_s <= at < end_s for at in ends) / schedule.over_s / plan.models[0].replicas
        standing, change = step(standing, line, schedule.for_s * SECOND_NS, value, int(now_s * SECOND_NS))
        if change is not None:
            found.append((change.to_state, now_s))
        now_s += ROUND_S
    return found


@pytest.mark.parametrize("per_day", [4_000, 10_000, 21_430, 60_000])
@pytest.mark.parametrize("duration_s", [45, 60, 120, 300])
def test_the_alert_is_pending_then_firing_within_the_run_and_never_toggles(per_day: float, duration_s: float) -> None:
    for seed in range(4):
        plan = fleet_plan(seed, per_day)
        schedule = demo_schedule(plan, duration_s)
        states = changes(plan, schedule, duration_s)
        assert [state for state, _ in states] == [AlertState.PENDING, AlertState.FIRING], (seed, states)
        assert states[-1][1] < 0.95 * duration_s


@pytest.mark.parametrize("duration_s", [45, 60, 120, 300])
def test_the_time_that_is_promised_is_about_the_time(duration_s: float) -> None:
    plan = fleet_plan()
    schedule = demo_schedule(plan, duration_s)
    fired_s = changes(plan, schedule, duration_s)[-1][1]
    assert fired_s == pytest.approx(schedule.alert_s, abs=5 + 0.15 * duration_s)
    assert schedule.fault_s < schedule.alert_s < duration_s


def test_without_an_end_or_with_a_late_one_the_pace_is_relaxed() -> None:
    plan = fleet_plan()
    assert demo_schedule(plan) == demo_schedule(plan, 300) == demo_schedule(plan, 4000)
    assert demo_schedule(plan).over_s == 60


def test_a_shorter_run_than_the_shortest_story_sees_its_beginning() -> None:
    assert demo_schedule(fleet_plan(), 10) == demo_schedule(fleet_plan(), 45)


def test_the_line_stands_well_above_a_weekdays_peak_and_well_below_the_risen_load() -> None:
    plan = fleet_plan()
    for duration_s in (45, 60, 120, 300):
        schedule = demo_schedule(plan, duration_s)
        peak = float(Traffic(plan).weekday_peak().sum()) * plan.models[0].share / plan.models[0].replicas
        assert 2 * peak < schedule.line < 0.6 * peak * schedule.rise.to_factor
        assert schedule.recovery < 0.6 * schedule.line


def test_the_story_is_the_rise_and_the_fault_and_leaves_the_history_alone() -> None:
    schedule = demo_schedule(fleet_plan())
    story = schedule.story()
    assert story.timeline == ()
    assert story.live == (schedule.fault(),)
    assert story.rise == schedule.rise


def test_a_scenario_has_a_line_above_its_usual_peak_and_below_its_rise() -> None:
    scenario = load("peak")
    plan = plan_of(scenario, 1, MONDAY_NS)
    schedule = scenario_schedule(scenario, plan)
    peak = float(Traffic(plan).weekday_peak().sum()) * plan.models[0].share / plan.models[0].replicas
    assert scenario.rise is not None
    assert peak < schedule.recovery * 2
    assert peak * 1.5 < schedule.line < peak * scenario.rise.to_factor
