"""The scenarios that are shipped, and those that somebody wrote."""

from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import yaml

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.rack import build_racks
from loadtest.fleet.timeline import Scale, Timeline
from loadtest.fleet.timeline_check import PlanError, check_timeline
from loadtest.scenarios.document import converted, laid_over, without
from loadtest.scenarios.schema import Scenario, ScenarioFile
from loadtest.scenarios.sizes import HAPPENINGS_MAX, unplayable
from loadtest.scenarios.yaml_file import Place, ScenarioError, place_of, read

_HERE = Path(str(resources.files("loadtest.scenarios")))
PLAYS, FLEETS = _HERE / "plays", _HERE / "fleets"
_ORDER = (
    "quiet",
    "peak",
    "bad-replica",
    "canary-bug",
    "drift",
    "kv-exhaustion",
    "rack",
    "retry-storm",
    "gateway",
    "training",
    "dependency",
    "stalled",
    "growth",
    "everything",
)
_TOLERANCE = 1e-6


class Overrides(msgspec.Struct, frozen=True, kw_only=True):
    """What a run changes in a scenario's traffic; None leaves it.

    requests_per_day  mean of the typical week
    arrivals_file     see TrafficPlan
    rates_file        see TrafficPlan
    """

    requests_per_day: float | None = None
    arrivals_file: str | None = None
    rates_file: str | None = None


def names() -> tuple[str, ...]:
    """The scenarios that are shipped, in the order in which they are told."""
    return _ORDER


def fleet_names() -> tuple[str, ...]:
    """The fleets that are shipped."""
    return tuple(sorted(path.stem for path in FLEETS.glob("*.yaml")))


def load(name_or_path: str | Path) -> Scenario:
    """A shipped scenario by its name, or a file that ends in .yaml.

    raises  ScenarioError with file, line, path and reason
    """
    name = str(name_or_path)
    return _shipped(name) if name in _ORDER else _load(_file(name))


@lru_cache(maxsize=len(_ORDER))
def _shipped(name: str) -> Scenario:
    return _load(PLAYS / f"{name}.yaml")


def _load(file: Path) -> Scenario:
    node = read(file)
    written = converted(node, ScenarioFile)
    base = read(_fleet_file(written.fleet, file))
    _, change = without(node, "change")
    template = _template(base if change is None else laid_over(base, change), file)
    if reason := unplayable(template, (*written.timeline, *written.live)):
        raise Place(str(file), 1).error("", reason)
    _check_happenings(template, written, node)
    return Scenario(**{key: getattr(written, key) for key in written.__struct_fields__}, template=template)


def fleet(name_or_path: str, seed: int, origin_ns: int) -> FleetPlan:
    """A shipped fleet by its name, or a file that ends in .yaml, without any scenario.

    raises  ScenarioError with file, line, path and reason
    """
    file = Path(name_or_path)
    if file.suffix not in {".yaml", ".yml"}:
        if name_or_path not in fleet_names():
            known = ", ".join(fleet_names())
            raise ScenarioError(f"there is no fleet {name_or_path!r}; there are {known}, or a file ending in .yaml")
        file = FLEETS / f"{name_or_path}.yaml"
    plan = _template(read(file), file)
    if reason := unplayable(plan):
        raise Place(str(file), 1).error("", reason)
    return msgspec.structs.replace(plan, seed=seed, origin_ns=origin_ns)


def fleet_plan(scenario: Scenario, seed: int, origin_ns: int, overrides: Overrides | None = None) -> FleetPlan:
    """The fleet of one run.

    origin_ns  epoch nanoseconds of its first second, a full hour
    raises     ScenarioError when so many requests a day cannot be played
    """
    changed = overrides or Overrides()
    traffic = {key: value for key in changed.__struct_fields__ if (value := getattr(changed, key)) is not None}
    plan = msgspec.structs.replace(
        scenario.template,
        seed=seed,
        origin_ns=origin_ns,
        traffic=msgspec.structs.replace(scenario.template.traffic, **traffic),
    )
    if reason := unplayable(plan, (*scenario.timeline, *scenario.live)):
        raise ScenarioError(f"{scenario.name}: {reason}")
    return plan


def _template(whole: yaml.Node, file: Path) -> FleetPlan:
    _refuse_run_keys(whole)
    template = converted(whole, FleetPlan, _complete)
    _check_shares(template, file)
    return template


def _file(name: str) -> Path:
    if not name.endswith((".yaml", ".yml")):
        raise ScenarioError(f"there is no scenario {name!r}; there are {', '.join(_ORDER)}, or a file ending in .yaml")
    return Path(name)


def _fleet_file(name: str, scenario: Path) -> Path:
    if name.endswith((".yaml", ".yml")):
        return scenario.parent / name
    if name not in fleet_names():
        raise Place(str(scenario), 1).error(
            "fleet", f"there is no fleet {name!r}; there are {', '.join(fleet_names())}"
        )
    return FLEETS / f"{name}.yaml"


def _complete(value: dict[str, Any]) -> dict[str, Any]:
    """With seed and origin, which belong to a run and not to a file."""
    return value | {"seed": 0, "origin_ns": 0}


def _refuse_run_keys(node: yaml.Node) -> None:
    for key, _ in node.value:
        if key.value in {"seed", "origin_ns"}:
            place = Place(str(key.start_mark.name), key.start_mark.line + 1)
            raise place.error(key.value, "belongs to a run; it is an option of the command")


def _check_shares(plan: FleetPlan, file: Path) -> None:
    for kind, parts in (("models", plan.models), ("tenants", plan.tenants)):
        total = sum(part.share for part in parts)
        if abs(total - 1.0) > _TOLERANCE:
            raise Place(str(file), 1).error(kind, f"their shares add up to {total:g}, not to 1")


def _check_happenings(plan: FleetPlan, written: ScenarioFile, node: yaml.MappingNode) -> None:
    """Both parts before anything runs: a mistake in the live part must not wait for the history."""
    count = len(written.timeline) + len(written.live)
    if count > HAPPENINGS_MAX:
        reason = f"timeline and live have {count} entries together; {HAPPENINGS_MAX} are the most"
        raise place_of(node).error("", reason)
    racks = len(build_racks(plan))
    scales = [one for one in (*written.timeline, *written.live) if isinstance(one, Scale)]
    for part in ("timeline", "live"):
        happenings: Timeline = getattr(written, part)
        for index, happening in enumerate(happenings):
            try:
                check_timeline((happening, *scales), plan, racks)
            except PlanError as fault:
                _, entries = without(node, part)
                assert entries is not None
                reason = str(fault).partition(": ")[2]
                raise place_of(entries.value[index]).error(f"{part}[{index}]", reason) from None
