"""What the commands `tokens` and `users` share: which database, how faults are told, tables."""

import functools
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from access.contract import AccessError
from peakline_server.data_folder import CONTROL_FILE, stranger
from peakline_server.program import program
from peakline_server.settings import sqlite_url
from vocabulary.access import Role
from vocabulary.errors import PeaklineError

if TYPE_CHECKING:
    from access.administration import AccessAdministration

UNUSABLE = 2
BY = "command line"
DATA_VARIABLE = "PEAKLINE_SERVER_DATA"
_PLAIN_WIDTH = 200

role_option = click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    required=True,
    help="ingest sends telemetry and reads nothing; viewer reads; operator also changes silences and incidents; "
    "auditor reads everything, settings included, and appends evidence; admin may do everything.",
)
tenant_option = click.option(
    "--tenant",
    "tenants",
    multiple=True,
    metavar="TENANT",
    help="Limit to requests of this tenant; may be given several times. Default: all tenants.",
)


def on_book(*, may_create: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command on the control database: adds --data, --control and --json, and tells every fault in one sentence.

    may_create  make the database in an existing data folder, so that access can be set up before the first start

    The command is given the administration and `is_json` beside its own options.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(*, config: Path | None, data: Path | None, control: str, is_json: bool, **options: object) -> None:
            with _told(is_json=is_json):
                url = control_url(data, control, config)
                with _opened(url, may_create=may_create) as administration:
                    command(administration, is_json=is_json, **options)

        return _config(_data(_control(_json(run))))

    return decorate


_config = click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Configuration of the server. Default: PEAKLINE_CONFIG, else ./peakline.yaml where it exists.",
)
_data = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Data folder of the server; it may be running. Default: as the configuration says.",
)
_control = click.option(
    "--control",
    default="",
    metavar="URL",
    help="PostgreSQL instead of SQLite in --data. Default: as the configuration says.",
)
_json = click.option("--json", "is_json", is_flag=True, help="Print JSON instead of text.")


def control_url(data: Path | None, control: str, config: Path | None = None) -> str:
    """URL of the control database: what is given, else what the configuration says; a URL goes before a folder.

    raises  AccessError when nothing says anything, ConfigurationError
    """
    if not (data or control):
        data, control = _configured(config)
    if control:
        return control
    if data is None:
        message = (
            f"Name the server's data folder with --data DIR, {DATA_VARIABLE} or --config FILE, "
            "or its PostgreSQL with --control."
        )
        raise AccessError(message)
    return sqlite_url(data / CONTROL_FILE)


def _configured(config: Path | None) -> tuple[Path | None, str]:
    from peakline_server.configuration.loading import load

    told = load(config).configuration
    url = told.store.control_url
    return told.server.data, "" if url is None else url.get_secret_value()


@contextmanager
def _opened(url: str, *, may_create: bool) -> Iterator["AccessAdministration"]:
    # SQLAlchemy and Alembic take a second to import: not for `--help`.
    from access.room import administration_of
    from access.settings import AccessSettings
    from store.control.access_book import SqlAccessBook
    from store.control.access_file import control_file, keep_private
    from store.control.open import open_control

    file = control_file(url)
    if file is not None and not file.exists():
        _check_folder(file, may_create=may_create)
        click.echo(f"There is no control database yet; making {file}.", err=True)
    keep_private(url)
    control = open_control(url)
    try:
        yield administration_of(SqlAccessBook(control.engine), time.time_ns, AccessSettings())
    finally:
        control.close()


def _check_folder(file: Path, *, may_create: bool) -> None:
    """Whether a database may be made here: a mistyped folder must not get one."""
    folder = file.parent
    if not folder.is_dir():
        raise AccessError(f"The data folder {folder} does not exist; make it with `mkdir -m 700 {folder}`.")
    if not may_create:
        message = (
            f"There is no control database {file}; `{program()} users create NAME --role admin --data {folder}` "
            f"or `{program()} serve --data {folder}` makes one."
        )
        raise AccessError(message)
    if name := stranger(folder):
        message = f"The data folder {folder} holds other files ({name}, ...); choose an empty one."
        raise AccessError(message)


@contextmanager
def _told(*, is_json: bool) -> Iterator[None]:
    try:
        yield
    except PeaklineError as fault:
        refuse(_sentence(fault), is_json=is_json)
    except click.Abort:
        refuse("Nothing was changed: no answer was given.", is_json=is_json)


def _sentence(fault: PeaklineError) -> str:
    """The message, with the driver's words where a driver failed: who runs commands may know them."""
    words = str(getattr(fault.__cause__, "orig", "")).strip().splitlines()
    return f"{fault} ({words[0]})" if words and words[0].rstrip(".") not in str(fault) else str(fault)


def refuse(sentence: str, *, is_json: bool) -> NoReturn:
    """Say what is wrong, and exit with code 2."""
    if is_json:
        click.echo(json.dumps({"error": sentence}, ensure_ascii=False))
    else:
        click.echo(f"peakline: {sentence}", err=True)
    sys.exit(UNUSABLE)


def print_json(found: Any) -> None:
    """Print as JSON, other letters as they are."""
    click.echo(json.dumps(found, ensure_ascii=False))


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows below their heads, never cut where no terminal tells its width."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() else _PLAIN_WIDTH
    Console(highlight=False, markup=False, emoji=False, width=width).print(table)


def tenants_of(given: Sequence[str]) -> frozenset[str] | None:
    """Tenants from repeated options: None for all when there is no option."""
    return frozenset(given) or None


def told_tenants(tenants: frozenset[str] | None) -> str:
    """Tenants for a table."""
    return "all" if tenants is None else ", ".join(sorted(tenants)) or "none"
