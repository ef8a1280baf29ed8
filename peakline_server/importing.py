"""One file on its way to the server: what is stored already, progress, interruption, and the summary."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from urllib.parse import quote

import click
import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from collector.imports.rows import BadLine, ImportBody, ImportFileError
from peakline_server.client_token import NO_CREDENTIALS, Credentials, warn_in_the_clear
from peakline_server.delivery import Delivery, DeliveryError
from peakline_server.look import Look, whole_minutes
from vocabulary.errors import PeaklineError

FINDING, UNUSABLE = 1, 2
_BAD_LINES_SHOWN = 20
_LOOKS_SHOWN = 10
_ASK_TIMEOUT_S = 10.0

Bodies = Callable[[int, Callable[[BadLine], None]], Iterator[ImportBody]]
"""(rows stored already, what to call for a line that cannot be used) -> bodies in the order of the file."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where an import goes and how it is told.

    endpoint     OTLP/HTTP receiver
    server       API, asked for what is stored already
    credentials  for both
    """

    endpoint: str
    server: str
    is_json: bool
    credentials: Credentials = NO_CREDENTIALS


@dataclass(slots=True)
class Summary:
    """What became of one file.

    service, model  the pool, model '' where nothing tells it
    load_tests      names of the load tests that the rows belong to
    rows            usable rows
    already_stored  rows that an earlier import of the same file had brought
    sent            rows that this run sent and the server took
    rejected        rows that this run sent and the server refused
    input_tokens    prompt tokens of all usable rows
    stored          rows of this file that the server holds now, None when it cannot be asked
    first_ns        earliest arrival of a usable row, epoch nanoseconds, None without rows
    """

    file: str
    import_id: str
    service: str = ""
    model: str = ""
    load_tests: list[str] = field(default_factory=list)
    rows: int = 0
    already_stored: int = 0
    sent: int = 0
    rejected: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    stored: int | None = None
    first_ns: int | None = None
    last_ns: int | None = None
    bad_lines: list[BadLine] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every row of the file was usable and taken."""
        return not self.bad_lines and not self.rejected

    def count(self, body: ImportBody, rejected: int) -> None:
        """Add a delivered body."""
        self.rows += body.rows
        self.already_stored += body.rows - body.spans
        self.sent += body.spans - rejected
        self.rejected += rejected
        self.input_tokens += body.input_tokens
        self.output_tokens += body.output_tokens
        self.first_ns = body.first_ns if self.first_ns is None else min(self.first_ns, body.first_ns)
        self.last_ns = body.last_ns if self.last_ns is None else max(self.last_ns, body.last_ns)

    def looks(self, server: str) -> Iterator[Look]:
        """Where the rows can be seen: their load tests, or the pool in the minutes that hold them."""
        for name in self.load_tests:
            yield Look(server, self.service, self.model, load_test=name)
        if not self.load_tests and self.first_ns is not None and self.last_ns is not None:
            yield Look(server, self.service, self.model, whole_minutes(self.first_ns, self.last_ns))


def stored_rows(server: str, import_id: str, credentials: Credentials = NO_CREDENTIALS) -> int | None:
    """Rows of an import that the server holds, None when it cannot be asked."""
    try:
        answer = httpx.get(
            f"{server.rstrip('/')}/api/v1/imports/{quote(import_id)}",
            headers=credentials.headers(),
            timeout=_ASK_TIMEOUT_S,
            trust_env=False,
            verify=credentials.verify(),
        )
        return int(answer.json()["rows"]) if answer.is_success else None
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return None


def deliver_files(files: list[tuple[Summary, int, Bodies]], target: Target) -> None:
    """Send files one after another, print what became of them, and end the process with its exit code.

    files  (summary to fill, rows expected, bodies); bodies go one at a time, so that what is stored is always
           the beginning of a file and a later run can go on from there
    """
    summaries = [summary for summary, _, _ in files]
    warn_in_the_clear(target.credentials, target.endpoint, target.server)
    try:
        with _progress(target) as progress:
            for summary, rows, bodies in files:
                _deliver(summary, rows, bodies, target, progress)
    except PeaklineError as fault:
        _tell(summaries, target, error=f"peakline: {fault}")
        sys.exit(UNUSABLE)
    except KeyboardInterrupt:
        done = sum(summary.already_stored + summary.sent for summary in summaries)
        _tell(summaries, target, error=f"peakline: stopped after {done:,} rows; the same command goes on from there")
        sys.exit(FINDING)
    _tell(summaries, target)
    sys.exit(0 if all(summary.is_whole for summary in summaries) else FINDING)


def _progress(target: Target) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=target.is_json,
    )


def _deliver(summary: Summary, rows: int, bodies: Bodies, target: Target, progress: Progress) -> None:
    already = stored_rows(target.server, summary.import_id, target.credentials) or 0
    task = progress.add_task(summary.file, total=rows)
    delivery = Delivery(target.endpoint, credentials=target.credentials)
    try:
        for body in bodies(already, summary.bad_lines.append):
            rejected = delivery.post(body.payload) if body.spans else 0
            summary.count(body, rejected)
            progress.update(task, advance=body.rows)
    except ImportFileError as fault:
        message = f"{summary.file}: {fault}"
        raise ImportFileError(message) from fault
    except DeliveryError as fault:
        if not summary.sent:
            raise
        message = (
            f"{fault}; {summary.sent + summary.already_stored:,} rows are stored, the same command goes on from there"
        )
        raise DeliveryError(message) from fault
    finally:
        delivery.close()
    progress.update(task, completed=rows)
    summary.stored = stored_rows(target.server, summary.import_id, target.credentials)


def _tell(summaries: list[Summary], target: Target, error: str = "") -> None:
    if target.is_json:
        document: dict[str, object] = {"files": [asdict(summary) for summary in summaries]}
        click.echo(json.dumps(document | ({"error": error} if error else {})))
        return
    for summary in summaries:
        if summary.rows or summary.bad_lines:
            click.echo("\n".join([*_lines(summary), *_look_lines(summary, target.server)]))
        elif not error:
            click.echo(f"{summary.file}: no rows below the header; nothing to import")
    if error:
        click.echo(error, err=True)


def _lines(summary: Summary) -> Iterator[str]:
    stored = "unknown to this command (the API did not answer)" if summary.stored is None else f"{summary.stored:,}"
    yield f"{summary.file}  (import {summary.import_id})"
    yield f"  rows      {summary.rows:,} usable, {len(summary.bad_lines):,} not usable"
    yield (
        f"  sent      {summary.sent:,} now, {summary.already_stored:,} were stored before, "
        f"{summary.rejected:,} rejected"
    )
    yield f"  stored    {stored}"
    if summary.input_tokens or summary.output_tokens:
        yield f"  tokens    {summary.input_tokens:,} prompt, {summary.output_tokens:,} generated"
    for bad in summary.bad_lines[:_BAD_LINES_SHOWN]:
        yield f"  line {bad.line}: {bad.reason}"
    if len(summary.bad_lines) > _BAD_LINES_SHOWN:
        yield f"  and {len(summary.bad_lines) - _BAD_LINES_SHOWN:,} lines more"


def _look_lines(summary: Summary, server: str) -> Iterator[str]:
    if not summary.rows:
        return
    looks = list(summary.looks(server))
    for look in looks[:_LOOKS_SHOWN]:
        yield f"  look at   {look.link()}"
        yield f"  report    {look.command()}"
    if len(looks) > _LOOKS_SHOWN:
        yield f"  and {len(looks) - _LOOKS_SHOWN:,} load tests more; the pages above list them under Source"
