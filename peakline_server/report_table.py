"""A tier report as a table for the terminal."""

import sys
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from analyzer.questions.flags import SENTENCES

PLAIN_WIDTH = 200
"""Columns where no terminal tells its width: a file or a pipe takes long lines."""
COLUMNS = ("n", "defects", "rate", "95 % interval", "vs lowest", "95 % interval", "p50 / p95 / p99, s", "status")


def print_report(report: Mapping[str, Any]) -> None:
    """Print a tier report as the API answers it."""
    console = Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    pool, basis = report["pool"], report["basis"]
    what = f"load test {report['load_test']}" if report["load_test"] else "traffic tiers"
    name = " / ".join(half for half in (pool["service"], pool["model"]) if half)
    console.print(f"[bold]{_escaped(name)}[/]: {_escaped(what)}")
    console.print(
        f"{shown_time(basis['window']['start'])} to {shown_time(basis['window']['end'])}, "
        f"{basis['requests']:,} requests",
        style="dim",
    )
    console.print(table_of(report))
    for flag in report["flags"]:
        console.print(SENTENCES.get(flag, flag), style="yellow")


def table_of(report: Mapping[str, Any]) -> Table:
    """One row per traffic tier or step."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("step" if report["load_test"] else "tier", no_wrap=True)
    table.add_column("load, req/s" + ("" if report["load_test"] else " per replica"), justify="right")
    for name in COLUMNS:
        table.add_column(name, justify="left" if name == "status" else "right")
    table.add_column("kinds of defect")
    for row in report["rows"]:
        table.add_row(*(_escaped(cell) for cell in cells_of(row)))
    return table


def cells_of(row: Mapping[str, Any]) -> list[str]:
    """The texts of one row; unknown is a dash, never 0."""
    rate = row["rate"]
    return [
        f"{row['service_tier']} {row['load_tier'] if row['step'] is None else row['step']}",
        _load(row),
        f"{rate['requests']:,}" + (f" (+{row['unknown']:,} unknown)" if row["unknown"] else ""),
        f"{rate['defective']:,}",
        _percent(rate["rate"]),
        _interval(rate["interval"], 100, " %"),
        _times(row["multiplier"]),
        _interval(row["multiplier_interval"], 1, "×"),
        " / ".join(_seconds(row["e2e"][name]) for name in ("p50_s", "p95_s", "p99_s")),
        str(row["status"]).replace("_", " "),
        ", ".join(f"{name} {count:,}" for name, count in row["defects"].items() if count),
    ]


def shown_time(text: str) -> str:
    """A time of the API in whole seconds, `2026-11-30T08:00:00Z`."""
    return f"{text.partition('.')[0].removesuffix('Z')}Z"


def _load(row: Mapping[str, Any]) -> str:
    low, high = row["load_from_rps"], row["load_to_rps"]
    if row["step"] is not None:
        return "–" if high is None else f"{high:g}"
    if low is None:
        return "all" if high is None else f"up to {high:.3g}"
    return f"over {low:.3g}" if high is None else f"{low:.3g} to {high:.3g}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.3g} %"


def _times(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}×"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _interval(found: Mapping[str, Any], scale: float, unit: str) -> str:
    if found["low"] is None:
        return "–"
    return f"{scale * found['low']:.3g}–{scale * found['high']:.3g}{unit}"


def _escaped(text: str) -> str:
    """Names come from senders: square brackets in them are no markup."""
    return text.replace("[", "\\[")
