"""`peakline config`: check a configuration, show what holds, and what can be configured."""

import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from peakline_server.configuration.loading import Loaded
    from peakline_server.configuration.mistakes import Mistake
    from peakline_server.configuration.rows import SettingRow

UNUSABLE = 2
_PLAIN_WIDTH = 200

as_json = click.option("--json", "is_json", is_flag=True, help="Print JSON instead of text.")
config_file = click.option(
    "--config",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Configuration. Default: the file that PEAKLINE_CONFIG names, else ./peakline.yaml where it exists.",
)


@click.group()
def config() -> None:
    """Check and show the configuration: a file, environment variables, options of `serve`, defaults."""


@config.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@as_json
def check(file: Path | None, *, is_json: bool) -> None:
    """Check FILE and the environment variables: keys, types, bounds, what contradicts, the files that are named.

    FILE defaults to what `serve` would read. Exit code 0: usable. 2: not, with a sentence for every mistake.
    """
    from peakline_server.configuration.named_files import mistakes_in_files

    loaded = usable(file, is_json=is_json)
    found = tuple(mistakes_in_files(loaded, datetime.now(UTC)))
    if found:
        refuse(found, is_json=is_json)
    told = sum(row.is_told for row in loaded.rows())
    if is_json:
        click.echo(json.dumps({"file": _text(loaded.file), "settings": told, "mistakes": []}))
        return
    name = loaded.file or "no file, environment variables"
    click.echo(f"{name}: {told} {'setting' if told == 1 else 'settings'}, usable")


@config.command()
@config_file
@click.option("--changed", is_flag=True, help="Only settings that somebody told.")
@as_json
def show(file: Path | None, *, changed: bool, is_json: bool) -> None:
    """Print every setting as it holds, and where it comes from. Of secrets only whether they are set.

    Exit code 0: usable. 2: not, with a sentence for every mistake.
    """
    loaded = usable(file, is_json=is_json)
    rows = [row for row in loaded.rows() if row.is_told or not changed]
    if is_json:
        click.echo(
            json.dumps({"file": _text(loaded.file), "settings": [told(row) for row in rows]}, ensure_ascii=False)
        )
    else:
        print_rows(rows)


@config.command()
def docs() -> None:
    """Print all settings as a Markdown table."""
    from peakline_server.configuration.documents import table

    click.echo(table(), nl=False)


@config.command()
def example() -> None:
    """Print a complete configuration file with a sentence on every setting."""
    from peakline_server.configuration.documents import example as written

    click.echo(written(), nl=False)


@config.command()
def schema() -> None:
    """Print the JSON Schema of the file, for editors."""
    from peakline_server.configuration.documents import json_schema

    click.echo(json.dumps(json_schema(), indent=1))


def usable(file: Path | None, *, is_json: bool) -> "Loaded":
    """The configuration; ends the process with code 2 and all sentences when it cannot be used."""
    from peakline_server.configuration.loading import load
    from peakline_server.configuration.mistakes import ConfigurationError

    try:
        return load(file, os.environ)
    except ConfigurationError as fault:
        refuse(fault.mistakes, is_json=is_json)


def refuse(mistakes: "Sequence[Mistake]", *, is_json: bool) -> NoReturn:
    """Say what is wrong, and exit with code 2."""
    if is_json:
        found = [
            {"where": one.where, "line": one.line or None, "setting": one.path, "reason": one.reason, "text": str(one)}
            for one in mistakes
        ]
        click.echo(json.dumps({"mistakes": found}, ensure_ascii=False))
    else:
        for one in mistakes:
            click.echo(str(one), err=True)
    sys.exit(UNUSABLE)


def told(row: "SettingRow") -> dict[str, object]:
    """A setting as JSON."""
    return {
        "name": row.name,
        "value": row.value,
        "origin": row.origin,
        "source": row.source,
        "default": row.default,
        "unit": row.unit,
        "sentence": row.sentence,
        "is_secret": row.is_secret,
        "restart_needed": row.restart_needed,
    }


def print_rows(rows: "Sequence[SettingRow]") -> None:
    """Print settings as a table, never cut where no terminal tells its width."""
    from rich.console import Console
    from rich.table import Table

    table = Table("setting", "value", "from", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row.name, row.value, row.origin)
    width = None if sys.stdout.isatty() else _PLAIN_WIDTH
    Console(highlight=False, markup=False, emoji=False, width=width).print(table)


def _text(file: Path | None) -> str | None:
    return None if file is None else str(file)
