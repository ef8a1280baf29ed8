"""The truth of a run, told to a person."""

import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from loadtest.scenarios.truth import TruthError, read_truth

_FILE = "truth.json"
_SUBJECTS = ("pods", "gateways", "racks", "dependencies")
_PODS_SHOWN = 4


def print_truth(folder: Path, *, is_json: bool) -> bool:
    """Print truth.json; returns whether every request is accounted for.

    raises  TruthError when there is none, or a damaged one
    """
    if folder.is_dir() and not (folder / _FILE).exists():
        raise TruthError(f"{folder} holds no {_FILE}; it is written when the run ends")
    document = read_truth(folder)
    try:
        holds = bool(document["conservation"]["holds"])
        told = (_heading(document), _timeline(document["timeline"]), "\n".join(_totals(document)))
    except (LookupError, TypeError, ValueError, AttributeError) as fault:
        raise TruthError(f"{folder}/{_FILE} is damaged; play the scenario again to have its truth") from fault
    if is_json:
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
        for part in told:
            console.print(part)
    return holds


def _heading(document: dict[str, Any]) -> str:
    scenario = document["scenario"] or "unnamed"
    return f"{scenario}, seed {document['seed']}, {document['origin']} to {document['until']}"


def _timeline(entries: list[dict[str, Any]]) -> Table:
    table = Table("bit", "from", "until", "what", "touched", "requests", "defects", box=None, pad_edge=False)
    for entry in entries:
        table.add_row(
            str(entry["bit"]),
            entry["from"][:16],
            entry["until"][:16] if entry["until"] else "the end",
            entry["kind"].replace("_", " "),
            _touched(entry),
            f"{entry['requests']:,}",
            f"{entry['defects']:,}",
        )
    return table


def _touched(entry: dict[str, Any]) -> str:
    named = [name for subject in _SUBJECTS for name in entry[subject]]
    more = f" and {len(named) - _PODS_SHOWN} more" if len(named) > _PODS_SHOWN else ""
    return ", ".join(named[:_PODS_SHOWN]) + more


def _totals(document: dict[str, Any]) -> list[str]:
    totals, book = document["totals"], document["conservation"]
    ends = ", ".join(f"{count:,} {end.replace('_', ' ')}" for end, count in totals["ends"].items())
    balance = "balances" if book["holds"] else "DOES NOT BALANCE"
    return [
        f"ends      {ends}",
        f"defects   {totals['defects']:,}, of them {totals['base_defects']:,} of the base",
        f"emitted   {', '.join(f'{count:,} {what}' for what, count in totals['emitted'].items())}",
        f"requests  {book['arrived']:,} arrived = {book['ended']:,} ended + {book['in_flight']:,} in flight: {balance}",
    ]
