"""A scenario as Markdown tables: what happens when, on what, and what a good observer should find."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

import msgspec

from loadtest.fleet.plan import Behaviour, FleetPlan
from loadtest.fleet.timeline import Happening, OnReplicas, Timeline
from loadtest.scenarios.catalogue import load, names
from loadtest.scenarios.schema import Scenario

_DAY_S, _HOUR_S, _MINUTE_S = 86_400, 3_600, 60
_SUBJECTS = ("model", "replicas", "rack", "gateway", "dependency", "service_tier")
_TIMES = ("kind", "at_s", "for_s")
_ALWAYS = ("mode", "every_s")
_USUAL = msgspec.to_builtins(Behaviour())


def scenario_tables(name: str) -> str:
    """The facts of a shipped scenario, for its page."""
    scenario = load(name)
    parts = [
        f"**{scenario.title}** · {scenario.title_zh}\n",
        f"{scenario.summary}\n",
        _fleet(scenario),
        "### In the history\n",
        table(history_rows(scenario.timeline), _COLUMNS),
    ]
    if scenario.live or scenario.rise:
        parts += ["### In live traffic\n", _rise(scenario), table(live_rows(scenario.live), _COLUMNS)]
    finds = [(one.what, one.where, one.when) for one in scenario.expect]
    return "\n".join([*parts, "### What a good observer finds\n", table(finds, ("finding", "where", "when"))])


_COLUMNS = ("from", "until", "what", "on", "how")


def catalogue_table() -> str:
    """All shipped scenarios, one row each."""
    scenarios = [load(name) for name in names()]
    rows = [
        (f"[{one.name}](scenarios/{one.name}.md)", one.title, f"{one.days:g}", one.fleet, _per_day(one.template))
        for one in scenarios
    ]
    return table(rows, ("scenario", "what it shows", "days", "fleet", "requests a day"))


def happenings_table() -> str:
    """Every kind of happening: its keys and what it does."""
    rows = []
    for kind in sorted(get_args(get_args(Timeline)[0]), key=lambda one: str(one.__struct_config__.tag)):
        keys = [one.encode_name for one in msgspec.structs.fields(kind) if one.encode_name not in _TIMES]
        sentence = " ".join((kind.__doc__ or "").partition("\n\n")[0].split())
        rows.append((f"`{kind.__struct_config__.tag}`", ", ".join(f"`{key}`" for key in keys), sentence))
    return table(rows, ("kind", "keys", "what it does"))


def table(rows: Iterable[tuple[str, ...]], head: tuple[str, ...]) -> str:
    """A Markdown table; a sentence instead of an empty one."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if not lines:
        return "Nothing happens.\n"
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *lines]) + "\n"


def history_rows(timeline: Timeline) -> Iterator[tuple[str, ...]]:
    """(from, until, what, on, how) with days and hours since the origin."""
    for one in timeline:
        until = "the end" if one.for_s is None else day_and_hour(one.until_s)
        yield day_and_hour(one.at_s), until, *described(one)


def live_rows(timeline: Timeline) -> Iterator[tuple[str, ...]]:
    """(from, until, what, on, how) with seconds since live traffic began."""
    for one in timeline:
        until = "the end" if one.for_s is None else f"{one.until_s:g} s"
        yield f"{one.at_s:g} s", until, *described(one)


def described(happening: Happening) -> tuple[str, str, str]:
    """A happening in words: what, on what, how."""
    defaults = {one.encode_name: one.default for one in msgspec.structs.fields(happening)}
    told = {key: value for key, value in msgspec.to_builtins(happening).items() if value not in (None, [], ())}
    fields = {key: value for key, value in told.items() if key in _ALWAYS or value != defaults.get(key)}
    kind = str(happening.__struct_config__.tag)
    subjects = [_subject(key, fields[key]) for key in _SUBJECTS if key in fields]
    if isinstance(happening, OnReplicas) and not happening.replicas:
        subjects.append("all replicas")
    rest = {key: value for key, value in fields.items() if key not in (*_SUBJECTS, *_TIMES)}
    return kind.replace("_", " "), ", ".join(subjects) or "everything", ", ".join(_details(rest))


def _subject(key: str, value: Any) -> str:
    if key == "replicas":
        return f"replica{'s' if len(value) > 1 else ''} {', '.join(map(str, value))}"
    return f"`{value}`" if key in {"model", "dependency"} else f"{key.replace('_', ' ')} {value}"


def _details(fields: Mapping[str, Any]) -> Iterator[str]:
    for key, value in fields.items():
        if key == "version":
            yield f"revision {value['revision']}, {value['quantization']}"
            yield from _details({name: part for name, part in value["behaviour"].items() if part != _USUAL[name]})
        elif isinstance(value, dict):
            yield from _details(value)
        else:
            yield f"{key} {value:g}" if isinstance(value, float) else f"{key} {str(value).lower()}"


def day_and_hour(at_s: float) -> str:
    """`day 2, 14:30`, counted from the origin."""
    day, rest = divmod(round(at_s), _DAY_S)
    return f"day {day}, {rest // _HOUR_S:02d}:{rest % _HOUR_S // _MINUTE_S:02d}"


def _fleet(scenario: Scenario) -> str:
    plan = scenario.template
    models = ", ".join(f"{one.replicas} × `{one.name}`" for one in plan.models)
    return (
        f"{scenario.days:g} days of the {scenario.fleet} fleet: {models}; {plan.gateway.count} "
        f"gateway{'s' if plan.gateway.count > 1 else ''}, about {_per_day(plan)} requests a day.\n"
    )


def _per_day(plan: FleetPlan) -> str:
    return f"{plan.traffic.requests_per_day:,.0f}"


def _rise(scenario: Scenario) -> str:
    rise = scenario.rise
    if rise is None:
        return "Arrivals go on as in the typical week.\n"
    return (
        f"Within {rise.rise_s:g} s arrivals go from {rise.from_factor:g} to {rise.to_factor:g} times the typical "
        f"weekday's peak. {scenario.live_s:g} s show it all.\n"
    )
