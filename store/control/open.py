"""Opening the control store: connect, migrate."""

from pathlib import Path
from sqlite3 import Connection as SqliteConnection

from sqlalchemy import create_engine, event
from sqlalchemy.engine import URL, Engine
from sqlalchemy.exc import DBAPIError

from store.addresses import parsed, shown
from store.control.builds import Builds
from store.errors import MissingStoreError, NewerSchemaError
from store.schema import migrate

__all__ = ["Control", "MissingStoreError", "NewerSchemaError", "open_control"]

KINDS = {
    **dict.fromkeys(("sqlite", "sqlite+pysqlite"), "sqlite"),
    **dict.fromkeys(("postgresql+psycopg", "postgresql", "postgres"), "postgresql+psycopg"),
}
EXAMPLE = "sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"
REASONS = (
    ("connection refused", "no server answers there"),
    ("failed to resolve host", "there is no host of that name"),
    ("timeout", "the server does not answer"),
    ("password", "the server refuses the user or the password"),
    ("authentication", "the server refuses the user or the password"),
)
"""What the driver's words hold -> what is said; other words are shown as they are."""

MIGRATIONS = Path(__file__).parent / "migrations"
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000", "foreign_keys=ON")


class Control:
    """An open control store.

    engine  for the books of other parts (`store.control.alert_states`)
    builds  pointers to committed rollup builds
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.builds = Builds(engine)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_control(url: str) -> Control:
    """Open the control store at a SQLAlchemy URL and migrate it.

    url     `sqlite:///FILE`, or `postgresql+psycopg://user:pw@host/db` when several processes share it
    raises  MissingStoreError, NewerSchemaError; each is one human sentence
    """
    address = parsed(url, "control store", KINDS, EXAMPLE)
    if address.drivername == "sqlite" and address.database in {None, "", ":memory:"}:
        message = f"The control store cannot be opened: its URL names no file; write {EXAMPLE}."
        raise MissingStoreError(message)
    engine = create_engine(address)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
    try:
        with engine.begin() as connection:
            migrate(connection, MIGRATIONS, "control store")
    except DBAPIError as error:
        engine.dispose()
        message = f"The control store {shown(address)} cannot be opened: {reason(error, address)}."
        raise MissingStoreError(message) from error
    except NewerSchemaError:
        engine.dispose()
        raise
    return Control(engine)


def reason(error: DBAPIError, address: URL) -> str:
    """Why a database cannot be opened, in words for a person."""
    told = str(error.orig).strip() or "the server does not answer"
    known = (said for words, said in REASONS if words in told.lower())
    first = told.splitlines()[0].rsplit("FATAL:", maxsplit=1)[-1].strip().rstrip(".")
    return next(known, first if address.password is None else first.replace(str(address.password), "***"))


def _set_pragmas(connection: SqliteConnection, _record: object) -> None:
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").close()
