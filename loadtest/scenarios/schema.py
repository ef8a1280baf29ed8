"""What a scenario file says: a fleet, what happens to it and when, and what a good observer should find."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, field

from loadtest.fleet.plan import FleetPlan, Name, Plan, Positive, RisePlan
from loadtest.fleet.timeline import Timeline

DURATION = r"(?:\d+(?:\.\d+)?[dhms](?:\s+|$))+"
"""Seconds as text: `2d 14h 30m`."""


class Expectation(Plan, frozen=True, kw_only=True):
    """What a good observer should find: the finding, the signal that shows it, and the time."""

    what: str
    where: str
    when: str


class ScenarioFile(Plan, frozen=True, kw_only=True):
    """One scenario as it is written; times of keys in `_s` are seconds or text such as `2d 14h 30m`.

    title_zh   the title in Chinese
    days       of history, 400 at most
    fleet      name of a shipped fleet, or a file ending in .yaml, beside the scenario
    change     laid over the fleet: keys replace keys, entries of lists of named things change those
    timeline   what happens in the history; `at_s` counts from the origin, a midnight UTC
    live       what happens in live traffic; `at_s` counts from its beginning
    live_s     seconds of live traffic in which all that is seen
    rise       the course of live arrivals; none: the typical week goes on
    expect     what a good observer should find
    """

    name: Name
    title: str
    title_zh: str
    summary: str
    days: Annotated[float, Meta(gt=0.0, le=400.0)]
    fleet: str = "standard"
    change: dict[str, Any] = field(default_factory=dict)
    timeline: Timeline = ()
    live: Timeline = ()
    live_s: Positive = 120.0
    rise: RisePlan | None = None
    expect: tuple[Expectation, ...] = ()


class Scenario(ScenarioFile, frozen=True, kw_only=True):
    """A scenario with its fleet read and changed.

    template  the fleet with seed 0 and origin 0; `catalogue.fleet_plan` makes it a run's
    """

    template: FleetPlan


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scenario files, in which times may be text."""
    document = msgspec.json.schema(ScenarioFile)
    for kind in document["$defs"].values():
        for key, value in kind.get("properties", {}).items():
            if key.endswith("_s"):
                kind["properties"][key] = {"anyOf": [value, {"type": "string", "pattern": f"^{DURATION}$"}]}
    return document
