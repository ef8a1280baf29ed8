"""Opening the telemetry store: lock, connect, migrate."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from time import time_ns

# Registers the ClickHouse implementation of Alembic, which keeps its version table without transactions.
from clickhouse_connect.cc_sqlalchemy import alembic as clickhouse_alembic
from clickhouse_connect.driver.exceptions import ClickHouseError
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from store.addresses import parsed, shown
from store.control.open import Control
from store.control.rollup_settings import RollupSettings
from store.errors import MissingStoreError, NewerSchemaError, StoreLockedError
from store.schema import migrate
from store.telemetry.database import INGEST_LIMITS, READ_LIMITS, WRITE_LIMITS, Database
from store.telemetry.failures import NOT_AVAILABLE, Use, translated
from store.telemetry.incoming import Incoming
from store.telemetry.lock import FolderLock
from store.telemetry.reader import Reader
from store.telemetry.recount import Recount
from store.telemetry.rollup import Rebuilder
from store.telemetry.writer import Writer
from vocabulary.errors import StoreUnavailableError
from vocabulary.services import ServiceBook

__all__ = ["MissingStoreError", "NewerSchemaError", "StoreLockedError", "Telemetry", "open_telemetry"]

assert clickhouse_alembic.ClickHouseImpl.__dialect__ == "clickhousedb"
_LOG = logging.getLogger(__name__)
MIGRATIONS = Path(__file__).parent / "migrations"
READERS = 4
INGEST_READERS = 2
WRITERS = 2
KINDS = dict.fromkeys(("clickhousedb", "clickhousedb+connect"), "clickhousedb")
EXAMPLE = "clickhousedb://USER@HOST:8123/DATABASE"
REASONS: Mapping[object, str] = {
    81: "the server has no such database",
    192: "the server refuses the user or the password",
    193: "the server refuses the user or the password",
    497: "the user may not do there what Peakline must",
    516: "the server refuses the user or the password",
}
"""ClickHouse error codes of a store that cannot be opened."""
EVERY_KIND_COUNTS = ServiceBook()


class Telemetry:
    """An open telemetry store. `writer` and the rollup are for one thread each, `reader` for any number."""

    def __init__(self, url: str, lock: FolderLock | None) -> None:
        incoming = Incoming(lock.folder) if lock else None
        self.url = url
        self._lock = lock
        self.writes = Database(url, WRITE_LIMITS, WRITERS, Use.INGEST)
        self.reads = Database(url, READ_LIMITS, READERS, Use.SCREEN)
        self.ingest_reads = Database(url, INGEST_LIMITS, INGEST_READERS, Use.INGEST)
        self.writer = Writer(self.writes, incoming)
        self.reader = Reader(self.reads, self.ingest_reads)

    def migrate(self) -> None:
        """Bring the schema up to this version."""
        with translated(Use.INGEST), self.writes.engine.connect() as connection:
            migrate(connection, MIGRATIONS, "telemetry store")

    def rollup(
        self, control: Control, clock_ns: Callable[[], int] = time_ns, services: ServiceBook = EVERY_KIND_COUNTS
    ) -> Rebuilder:
        """The rollup of this store; from now on the reader shows the builds that the control store commits.

        services  which kinds of defect count where; `Rebuilder.adopt` puts others in their place
        """
        recount = Recount(self.writes, RollupSettings(control.engine))
        rollup = Rebuilder(self.writes, control.builds, recount, self.reader.current_build, clock_ns)
        rollup.adopt(services)
        return rollup

    def close(self) -> None:
        """Close all connections and let the next process have the folder."""
        self.reads.close()
        self.ingest_reads.close()
        self.writes.close()
        if self._lock is not None:
            self._lock.release()


def open_telemetry(url: str) -> Telemetry:
    """Open the store at a SQLAlchemy URL and migrate it.

    url     `clickhousedb://?interface=chdb&path=DIR` for the embedded engine,
            `clickhousedb://user:pw@host:8123/db` for a server
    raises  StoreLockedError, NewerSchemaError, MissingStoreError, StoreUnavailableError; each is one human sentence
    """
    address = parsed(url, "telemetry store", KINDS, EXAMPLE)
    lock = FolderLock(embedded_folder(address)) if address.query.get("interface") == "chdb" else None
    if lock is not None:
        drop_torn_mutations(lock.folder)
    telemetry = Telemetry(url, lock)
    try:
        telemetry.migrate()
    except (StoreUnavailableError, ClickHouseError, DBAPIError) as error:
        telemetry.close()
        where = f"in {lock.folder}" if lock else f"at {shown(address)}"
        message = f"The telemetry store {where} cannot be opened: {reason(error)}."
        raise MissingStoreError(message) from error
    except BaseException:
        telemetry.close()
        raise
    return telemetry


def drop_torn_mutations(folder: Path) -> int:
    """Remove mutation entries that a full disk or a crash left without content. Returns how many.

    The engine refuses to load a table with such an entry, and none of them was ever carried out: an entry is whole
    before its mutation starts. The rollup, which alone deletes rows, asks again for what it still wants gone.
    """
    torn = [path for path in folder.glob("store/*/*/mutation_*.txt") if not path.read_bytes().endswith(b"\n")]
    for path in torn:
        _LOG.warning("removing the torn entry %s", path.name)
        path.unlink()
    return len(torn)


def embedded_folder(address: URL) -> Path:
    """The folder of the embedded engine, which would keep everything in memory without one."""
    folder = address.query.get("path")
    if not folder:
        message = "The telemetry store cannot be opened: its URL names no folder; write clickhousedb://?interface=chdb&path=FOLDER."
        raise MissingStoreError(message)
    return Path(str(folder))


def reason(error: Exception) -> str:
    """Why a store cannot be opened, in words for a person."""
    cause = error.__cause__ if isinstance(error, StoreUnavailableError) else error
    code = getattr(getattr(cause, "orig", cause), "code", None)
    first = str(error).splitlines()[0].removeprefix(NOT_AVAILABLE).rstrip(".")
    return REASONS.get(code, first)
