"""The scenarios as a table, as JSON, and their JSON Schema."""

import json
import sys

import click
import msgspec
from rich.console import Console
from rich.table import Table

from loadtest.scenarios.catalogue import load, names
from loadtest.scenarios.schema import Scenario, json_schema


def print_scenarios(*, is_json: bool) -> None:
    """All shipped scenarios."""
    scenarios = [load(name) for name in names()]
    if is_json:
        click.echo(json.dumps([_told(scenario) for scenario in scenarios], ensure_ascii=False))
        return
    table = Table("scenario", "what it shows", "days", "fleet", "replicas", "requests a day", box=None, pad_edge=False)
    for scenario in scenarios:
        plan = scenario.template
        table.add_row(
            scenario.name,
            scenario.title,
            f"{scenario.days:g}",
            scenario.fleet,
            str(sum(model.replicas for model in plan.models)),
            f"{plan.traffic.requests_per_day:,.0f}",
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else 120).print(table)


def print_schema() -> None:
    """The JSON Schema of scenario files."""
    click.echo(json.dumps(json_schema(), indent=1))


def _told(scenario: Scenario) -> dict[str, object]:
    plan = scenario.template
    return {
        "name": scenario.name,
        "title": scenario.title,
        "title_zh": scenario.title_zh,
        "summary": scenario.summary,
        "days": scenario.days,
        "fleet": scenario.fleet,
        "replicas": sum(model.replicas for model in plan.models),
        "requests_per_day": plan.traffic.requests_per_day,
        "happenings": len(scenario.timeline),
        "expect": msgspec.to_builtins(scenario.expect),
    }
