"""`peakline fleet`: scenarios of the simulated fleet, played for a server or into files, and their truth."""

from datetime import UTC, datetime
from pathlib import Path

import click

from peakline_server.client_token import client_options
from peakline_server.web_address import web_address

as_json = click.option("--json", "is_json", is_flag=True, help="Print JSON instead of text.")


@click.group()
def fleet() -> None:
    """Play scenarios of a simulated inference cluster whose truth is known."""


@fleet.command("list")
@click.option("--schema", "is_schema", is_flag=True, help="Print the JSON Schema of scenario files instead.")
@as_json
def list_command(*, is_schema: bool, is_json: bool) -> None:
    """List the scenarios: name, what it shows, days, fleet, requests a day.

    Exit code 0.
    """
    from peakline_server.fleet_list import print_scenarios, print_schema

    if is_schema:
        print_schema()
    else:
        print_scenarios(is_json=is_json)


@fleet.command("run")
@click.argument("scenario")
@click.option(
    "--to",
    default="http://127.0.0.1:4318",
    show_default=True,
    metavar="URL",
    callback=web_address,
    help="OTLP/HTTP receiver.",
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Write OTLP bodies to this folder instead."
)
@click.option(
    "--days",
    type=click.FloatRange(0.01, 400),
    help="Days of history; by default the scenario's. With --live and without --origin the history goes on from its "
    "first midnight to now, so it is up to a day longer.",
)
@click.option(
    "--requests",
    type=click.IntRange(1, 50_000_000),
    help="Requests in these days, about; by default the scenario's. A longer history has as many a day.",
)
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Seed of all that is drawn.")
@click.option(
    "--origin",
    type=click.DateTime(["%Y-%m-%d"]),
    help="First day, from midnight UTC. By default so that whole days end at the last midnight (with a part of a day "
    "the history begins at a midnight, too, and ends earlier), or with --live now.",
)
@click.option(
    "--traffic-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV of arrivals (TIMESTAMP,ContextTokens,GeneratedTokens) or of rates (t_s,req_per_s) to play instead.",
)
@click.option("--metrics/--no-metrics", "has_metrics", default=True, show_default=True, help="Send metrics, too.")
@click.option("--live", type=click.FloatRange(min=1), metavar="SECONDS", help="Live traffic after the history.")
@click.option(
    "--truth", type=click.Path(file_okay=False, path_type=Path), help="Write what really happened to this folder."
)
@client_options
@as_json
def run_command(**options: object) -> None:
    """Play SCENARIO, a name or a YAML file: its history as fast as it goes, then live traffic if asked for.

    The same scenario, seed and origin give the same bytes. Live traffic goes through the OpenTelemetry SDK, a
    provider for each simulated process.

    Exit code 0: all was taken. 1: the receiver refused a part. 2: wrong usage, or nothing could be sent.
    """
    from peakline_server.fleet_run import RunOptions, run_fleet
    from vocabulary.errors import PeaklineError

    origin = options.pop("origin")
    first_day = origin.replace(tzinfo=UTC) if isinstance(origin, datetime) else None
    try:
        is_whole = run_fleet(RunOptions(origin=first_day, **options))  # type: ignore[arg-type]  # click has checked the types
    except PeaklineError as problem:
        click.echo(f"peakline: {problem}", err=True)
        raise SystemExit(2) from None
    raise SystemExit(0 if is_whole else 1)


@fleet.command("truth")
@click.argument("folder", type=click.Path(path_type=Path))
@as_json
def truth_command(folder: Path, *, is_json: bool) -> None:
    """Tell what really happened in a run: its timeline, what each happening touched, and the totals.

    FOLDER is what `peakline fleet run --truth` wrote, or the folder `truth` of a demo, once the run has ended.

    Exit code 0: every request is accounted for. 1: not. 2: there is no truth to read.
    """
    from peakline_server.fleet_truth import print_truth
    from vocabulary.errors import PeaklineError

    try:
        holds = print_truth(folder, is_json=is_json)
    except PeaklineError as problem:
        click.echo(f"peakline: {problem}", err=True)
        raise SystemExit(2) from None
    raise SystemExit(0 if holds else 1)
