"""Opening the control store: connect, migrate."""

from pathlib import Path
from sqlite3 import Connection as SqliteConnection

from sqlalchemy import create_engine, event
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import OperationalError

from store.control.builds import Builds
from store.errors import MissingStoreError, NewerSchemaError
from store.schema import migrate

__all__ = ["Control", "MissingStoreError", "NewerSchemaError", "open_control"]

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
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
    try:
        with engine.begin() as connection:
            migrate(connection, MIGRATIONS, "control store")
    except OperationalError as error:
        engine.dispose()
        message = f"The control store {make_url(url).render_as_string()} cannot be opened: {error.orig}."
        raise MissingStoreError(message) from error
    except NewerSchemaError:
        engine.dispose()
        raise
    return Control(engine)


def _set_pragmas(connection: SqliteConnection, _record: object) -> None:
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").close()
