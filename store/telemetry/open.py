"""Opening the telemetry store: lock, connect, migrate."""

from collections.abc import Callable
from pathlib import Path
from time import time_ns

# Registers the ClickHouse implementation of Alembic, which keeps its version table without transactions.
from clickhouse_connect.cc_sqlalchemy import alembic as clickhouse_alembic
from sqlalchemy.engine import make_url

from store.control.open import Control
from store.errors import MissingStoreError, NewerSchemaError, StoreLockedError
from store.schema import migrate
from store.telemetry.database import READ_LIMITS, WRITE_LIMITS, Database
from store.telemetry.failures import translated
from store.telemetry.incoming import Incoming
from store.telemetry.lock import FolderLock
from store.telemetry.reader import Reader
from store.telemetry.rollup import Rebuilder
from store.telemetry.writer import Writer
from vocabulary.errors import StoreUnavailableError

__all__ = ["MissingStoreError", "NewerSchemaError", "StoreLockedError", "Telemetry", "open_telemetry"]

assert clickhouse_alembic.ClickHouseImpl.__dialect__ == "clickhousedb"
MIGRATIONS = Path(__file__).parent / "migrations"
READERS = 4
WRITERS = 2


class Telemetry:
    """An open telemetry store. `writer` and the rollup are for one thread each, `reader` for any number."""

    def __init__(self, url: str, lock: FolderLock | None) -> None:
        incoming = Incoming(lock.folder) if lock else None
        self.url = url
        self._lock = lock
        self.writes = Database(url, WRITE_LIMITS, WRITERS)
        self.reads = Database(url, READ_LIMITS, READERS)
        self.writer = Writer(self.writes, incoming)
        self.reader = Reader(self.reads)

    def migrate(self) -> None:
        """Bring the schema up to this version."""
        with translated(), self.writes.engine.connect() as connection:
            migrate(connection, MIGRATIONS, "telemetry store")

    def rollup(self, control: Control, clock_ns: Callable[[], int] = time_ns) -> Rebuilder:
        """The rollup of this store; from now on the reader shows the builds that the control store commits."""
        return Rebuilder(self.writes, control.builds, self.reader.current_build, clock_ns)

    def close(self) -> None:
        """Close all connections and let the next process have the folder."""
        self.reads.close()
        self.writes.close()
        if self._lock is not None:
            self._lock.release()


def open_telemetry(url: str) -> Telemetry:
    """Open the store at a SQLAlchemy URL and migrate it.

    url     `clickhousedb://?interface=chdb&path=DIR` for the embedded engine,
            `clickhousedb://user:pw@host:8123/db` for a server
    raises  StoreLockedError, NewerSchemaError, MissingStoreError, StoreUnavailableError; each is one human sentence
    """
    folder = make_url(url).query.get("path")
    lock = FolderLock(Path(str(folder))) if folder else None
    telemetry = Telemetry(url, lock)
    try:
        telemetry.migrate()
    except StoreUnavailableError as error:
        telemetry.close()
        message = f"The telemetry store cannot be opened: {error}"
        raise MissingStoreError(message) from error
    except BaseException:
        telemetry.close()
        raise
    return telemetry
