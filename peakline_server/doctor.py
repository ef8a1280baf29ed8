"""`peakline doctor`: looks for what keeps a server from working, and says how to mend it."""

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

import click

from peakline_server.client_token import Credentials, client_options
from peakline_server.doctor_finding import Finding, State
from peakline_server.web_address import web_address

FINDING = 1
_MARKS = {State.OK: "ok", State.WARNING: " !", State.PROBLEM: " x", State.SKIPPED: " -"}
Found = Sequence[tuple[str, Finding]]
"""(group, finding)"""


def _address(context: click.Context, option: click.Parameter, text: str) -> str:
    return web_address(context, option, text) if text else ""


@click.command()
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file, as for `serve`.")
@click.option("--data", type=click.Path(path_type=Path), help="Data folder, if not the configured one.")
@click.option(
    "--server",
    default="",
    metavar="URL",
    callback=_address,
    help="Running server, if not where the configuration says that it listens.",
)
@client_options
@click.option("--json", "is_json", is_flag=True, help="Print JSON instead of text.")
def doctor(*, config: Path | None, data: Path | None, server: str, credentials: Credentials, is_json: bool) -> None:
    """Look for what is wrong: configuration, ports, folder, disk, clocks, store, access, certificate, emitters.

    Changes nothing. A running server is asked over its API; with access on that wants a token of the role auditor
    or admin. Exit code 0: nothing is broken, warnings included. 1: at least one problem. 2: wrong usage.
    """
    from peakline_server.doctor_checks import CONFIGURATION, examined
    from peakline_server.doctor_configuration import Told, place_of

    place, first = place_of(Told(config, data, server, credentials), os.environ, time.time_ns)
    found = [(CONFIGURATION.group, finding) for finding in first]
    found += examined(place)
    click.echo(as_json(found) if is_json else as_text(found))
    sys.exit(FINDING if any(finding.state is State.PROBLEM for _, finding in found) else 0)


def as_json(found: Found) -> str:
    """Findings and how many of each kind."""
    return json.dumps(
        {"findings": [{"group": group, **asdict(finding)} for group, finding in found], **counts(found)},
        ensure_ascii=False,
    )


def as_text(found: Found) -> str:
    """Groups with a mark for each finding, and the fix below it; what is the same for several is said once."""
    lines: list[str] = []
    for group, of_group in groupby(found, key=lambda one: one[0]):
        lines += ["", group] if lines else [group]
        for (state, sentence, fix), same in groupby((one for _, one in of_group), key=_told):
            names = ", ".join(dict.fromkeys(finding.name for finding in same))
            lines.append(f"  {_MARKS[state]} {names}: {sentence}")
            lines += [f"       {fix}"] if fix else []
    told = counts(found)
    sums = [_many(told["problems"], "problem"), _many(told["warnings"], "warning"), f"{told['skipped']} not looked at"]
    return "\n".join([*lines, "", ", ".join(sums)])


def _told(finding: Finding) -> tuple[State, str, str]:
    return finding.state, finding.sentence, finding.fix


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def counts(found: Found) -> dict[str, int]:
    """How many are broken, doubtful, and not looked at."""
    states = [finding.state for _, finding in found]
    return {
        "problems": states.count(State.PROBLEM),
        "warnings": states.count(State.WARNING),
        "skipped": states.count(State.SKIPPED),
    }
