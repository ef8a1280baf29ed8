"""`peakline import`: foreign files become spans and go to the server the way that every span goes."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import reduce
from pathlib import Path
from typing import Any

import click

from peakline_server.client_token import client_options
from peakline_server.web_address import web_address
from vocabulary.errors import PeaklineError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--endpoint",
        default="http://127.0.0.1:4318",
        show_default=True,
        metavar="URL",
        callback=web_address,
        help="OTLP/HTTP receiver.",
    ),
    click.option(
        "--server",
        default="http://127.0.0.1:8600",
        show_default=True,
        metavar="URL",
        callback=web_address,
        help="API, asked for what is stored already.",
    ),
    click.option("--service", default="", metavar="NAME", help="Service that the requests belong to."),
    click.option("--model", default="", metavar="NAME", help="Model that the requests asked for."),
    click.option(
        "--batch", default=2000, show_default=True, type=click.IntRange(1, 20_000), help="Rows per OTLP body."
    ),
    client_options,
    click.option("--json", "is_json", is_flag=True, help="Print JSON instead of text."),
)
_READABLE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    return reduce(lambda wrapped, option: option(wrapped), reversed(_OPTIONS), command)


@click.group("import")
def import_group() -> None:
    """Import files of requests; the same file counts once, however often it is imported."""


@import_group.command("azure-llm")
@click.argument("files", nargs=-1, required=True, type=_READABLE, metavar="FILE...")
@_shared_options
def azure_command(files: tuple[Path, ...], *, service: str, model: str, batch: int, **where: Any) -> None:
    """Import Azure LLM inference traces (TIMESTAMP, ContextTokens, GeneratedTokens).

    They tell no end and no status: the requests count with outcome `unknown`. The pool is the service
    `azure-llm` and the model that the file name tells, for example `conv`.

    Exit code 0: every line is stored. 1: some lines could not be used. 2: nothing could be sent.
    """
    from collector.imports import azure_llm
    from peakline_server.importing import Bodies, Summary, Target, deliver_files

    def job(path: Path) -> tuple[Summary, int, Bodies]:
        trace = azure_llm.Azure(path.read_bytes(), service or azure_llm.SERVICE, model or azure_llm.model_in(path.name))
        return (
            Summary(path.name, trace.identity.import_id, trace.service, trace.model),
            trace.rows,
            lambda skip, bad: trace.bodies(batch, skip, bad),
        )

    deliver_files([job(path) for path in files], Target(**where))


@import_group.command("sweep")
@click.argument("file", type=_READABLE, metavar="FILE")
@click.option(
    "--date",
    "day",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Day of sweeps whose name tells none; by default the day of another sweep of the file, else the file's own.",
)
@_shared_options
def sweep_command(file: Path, day: datetime | None, *, service: str, model: str, batch: int, **where: Any) -> None:
    """Import a sweep: offered rate and outcome counts per step, one load test per sweep name.

    Columns: sweep, measured_rate_rps, requests, ok_200, code_0 (client timeout), code_500, client_timeout_s,
    duration_s, p50_s. Latencies are not made up. The requests stand outside production tiers.

    Exit code 0: every line is stored. 1: some lines could not be used. 2: nothing could be sent.
    """
    from collector.imports import sweep
    from peakline_server.importing import Summary, Target, deliver_files

    content = file.read_bytes()
    summary = Summary(file.name, sweep.import_identity(content).import_id, service or sweep.SERVICE, model)
    try:
        steps = sweep.steps_in(content, summary.bad_lines.append)
    except PeaklineError as fault:
        click.echo(f"peakline: {file.name}: {fault}", err=True)
        raise SystemExit(2) from None
    chosen = day.date() if day else sweep.latest_day(steps) or _day_of(file)
    sweeps = sweep.Sweeps(content, summary.service, model, chosen)
    summary.load_tests = list(dict.fromkeys(step.sweep for step in steps))
    rows = sum(step.requests for step in steps)
    deliver_files([(summary, rows, lambda skip, _: sweeps.bodies(steps, batch, skip))], Target(**where))


def _day_of(file: Path) -> date:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).date()
