"""`peakline rules`: check rule files and try them out before they watch a fleet."""

import json
import sys
from pathlib import Path
from typing import NoReturn

import click

from alerts.document import RuleFileError
from alerts.rules import Rule, load_rules
from alerts.scenario import failures, read_scenario

FINDING = 1
UNUSABLE = 2

as_json = click.option("--json", "is_json", is_flag=True, help="Print JSON instead of text.")
rules_file = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def rules() -> None:
    """Check alert rules and try them out."""


@rules.command()
@rules_file
@as_json
def check(file: Path, *, is_json: bool) -> None:
    """Check the rules in FILE (YAML): keys, lines, durations.

    Exit code 0: usable. 2: not usable, with file, line and reason.
    """
    found = usable(file, is_json=is_json)
    if is_json:
        click.echo(json.dumps({"file": str(file), "rules": [told(rule) for rule in found]}))
        return
    for rule in found:
        click.echo(f"{rule.id}: {sentence(rule)}")
    click.echo(f"{file}: {len(found)} {'rule' if len(found) == 1 else 'rules'}, usable")


@rules.command()
@rules_file
@click.argument("scenarios", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@as_json
def test(file: Path, scenarios: tuple[Path, ...], *, is_json: bool) -> None:
    """Play SCENARIOS (plain text) against the rules in FILE.

    A scenario says what the load does and where the alert must stand: `load 10s 3 5x4 3`, `eval at 40s: firing`.
    Exit code 0: all as expected. 1: not. 2: a file is not usable.
    """
    found = usable(file, is_json=is_json)
    try:
        wrong = [line for path in scenarios for line in failures(read_scenario(path), found)]
    except RuleFileError as fault:
        refuse(fault, is_json=is_json)
    if is_json:
        click.echo(json.dumps({"scenarios": len(scenarios), "failures": wrong}))
    else:
        click.echo("\n".join([*wrong, f"{len(scenarios)} scenarios, {len(wrong)} expectations not met"]))
    sys.exit(FINDING if wrong else 0)


def usable(file: Path, *, is_json: bool) -> tuple[Rule, ...]:
    """The rules of a file; ends the process with code 2 and one sentence when there are none to be had."""
    try:
        return load_rules(file)
    except RuleFileError as fault:
        refuse(fault, is_json=is_json)


def refuse(fault: RuleFileError, *, is_json: bool) -> NoReturn:
    """Say what is wrong, and exit with code 2."""
    if is_json:
        click.echo(json.dumps({"error": str(fault)}))
    else:
        click.echo(str(fault), err=True)
    sys.exit(UNUSABLE)


def told(rule: Rule) -> dict[str, object]:
    """A rule as JSON."""
    return {
        "id": rule.id,
        "summary": rule.summary,
        "metric": rule.metric,
        "pool": None if rule.pool is None else {"service": rule.pool.service, "model": rule.pool.model},
        "over_s": rule.over_s,
        "line": {"kind": rule.line.kind, "at": rule.line.at, "recovery": rule.line.recovery},
        "for_s": rule.for_ns / 1e9,
        "severity": rule.severity,
        "digest": rule.digest,
    }


def sentence(rule: Rule) -> str:
    """A rule in words."""
    pool = "every pool" if rule.pool is None else f"{rule.pool.service} / {rule.pool.model}"
    return (
        f"{rule.metric} of {pool} over {rule.over_s} s at or above {rule.line.at:g} ({rule.line.kind} line) "
        f"for {rule.for_ns / 1e9:g} s, until at or below {rule.line.recovery:g}; {rule.severity}"
    )
