"""What a demo plays: its own story, or a scenario."""

import time
from dataclasses import dataclass

from loadtest.fleet.plan import FleetPlan
from loadtest.scenarios.catalogue import Overrides, fleet_plan, load
from loadtest.scenarios.demo_plan import demo_plan
from loadtest.scenarios.demo_schedule import Schedule, demo_schedule, scenario_schedule
from loadtest.scenarios.schema import ScenarioFile
from peakline_server.demo_folder import Note
from vocabulary.pools import SECOND_NS

_HOUR_NS = 3600 * SECOND_NS
_DAY_NS = 24 * _HOUR_NS
_DAYS, _REQUESTS = 14.0, 300_000


@dataclass(frozen=True, slots=True)
class Story:
    """A fleet, what happens to it, and the alert rule beside it."""

    plan: FleetPlan
    scenario: ScenarioFile
    schedule: Schedule


def fresh_note(scenario: str, seed: int, days: float | None, requests: int | None) -> Note:
    """The note of a demo that begins now.

    scenario        its name, '' for the demo's own story
    days, requests  of history; None: as the story has them
    raises          ScenarioError when there is no such scenario
    """
    if not scenario:
        days = days or _DAYS
        start_ns = time.time_ns() - int(days * _DAY_NS)
        note = Note(seed, start_ns - start_ns % _HOUR_NS, (requests or _REQUESTS) / days)
        note.sent_until_s = (start_ns - note.origin_ns) / SECOND_NS
        return note
    chosen = load(scenario)
    days = days or chosen.days
    start_ns = time.time_ns() - int(days * _DAY_NS)
    per_day = chosen.template.traffic.requests_per_day if requests is None else requests / days
    return Note(seed, start_ns - start_ns % _DAY_NS, per_day, scenario=scenario)


def story_of(note: Note, duration_s: float | None) -> Story:
    """The story of a note, told within `duration_s` of live traffic."""
    if not note.scenario:
        plan = demo_plan(note.seed, note.origin_ns, note.requests_per_day)
        schedule = demo_schedule(plan, duration_s)
        return Story(plan, schedule.story(), schedule)
    chosen = load(note.scenario)
    plan = fleet_plan(chosen, note.seed, note.origin_ns, Overrides(requests_per_day=note.requests_per_day))
    return Story(plan, chosen, scenario_schedule(chosen, plan))
