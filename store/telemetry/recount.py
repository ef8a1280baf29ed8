"""Counting minutes again after other kinds of defect count than before, a part at a time and the newest first."""

from collections.abc import Sequence

from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect
from sqlalchemy import tuple_

from store.control.rollup_settings import RollupSettings
from store.telemetry.chunks import Cell
from store.telemetry.database import Database
from store.telemetry.rollup_sql import minute_of
from store.telemetry.tables import request_minutes, requests
from vocabulary.pools import Pool
from vocabulary.services import ServiceBook, counted_book

CELLS_AT_ONCE = 10_000
"""Minutes of pools that one run counts again beside what is dirty, so that new data never waits for all of them."""


class Recount:
    """What is left to be counted again; one thread calls it, `pending` may be asked by any.

    The control store remembers every way of counting that current rows may come from. It forgets the old ones only
    when nothing is left, so a change that was cut short by a crash, or taken back half-way, is finished all the same.
    Minutes whose requests are not stored any more stay as they were counted.
    """

    def __init__(self, database: Database, settings: RollupSettings) -> None:
        self._database = database
        self._settings = settings
        self._aim: str | None = None
        self._is_mixed = False
        self._left: list[Cell] = []

    def aim(self, services: ServiceBook) -> None:
        """Find what other kinds count for now than some rows were counted by; nothing to do while the aim stays."""
        aim = services.counted_text
        if aim == self._aim:
            return
        texts = self._settings.counted_kinds() or (ServiceBook().counted_text,)
        found = self._found([counted_book(text) for text in texts], services)
        if texts != (aim,):
            self._settings.remember_counted_kinds([*(text for text in texts if text != aim), aim] if found else [aim])
        self._left, self._is_mixed, self._aim = found, bool(found), aim

    def pending(self) -> int:
        """Cells left."""
        return len(self._left)

    def take(self) -> set[Cell]:
        """The newest cells that are left; the caller rebuilds them or keeps them dirty."""
        taken = self._left[-CELLS_AT_ONCE:]
        self._left = self._left[:-CELLS_AT_ONCE]
        return set(taken)

    def finish(self) -> None:
        """To be called when all that was taken is rebuilt: forgets older ways of counting when nothing is left."""
        if self._is_mixed and not self._left and self._aim is not None:
            self._settings.remember_counted_kinds([self._aim])
            self._is_mixed = False

    def _found(self, before: Sequence[ServiceBook], services: ServiceBook) -> list[Cell]:
        """Cells of the pools for which some way of counting differs, oldest first."""
        if all(book == counted_book(services.counted_text) for book in before):
            return []
        pools = [Pool(row["service"], row["model"]) for row in self._database.rows(rolled_up_pools())]
        changed = [pool for pool in pools if any(book.counted(pool) != services.counted(pool) for book in before)]
        if not changed:
            return []
        return [(row["service"], row["model"], row["minute_ns"]) for row in self._database.rows(stored_cells(changed))]


def rolled_up_pools() -> ClickHouseSelect:
    """Pools that have rows in request_minutes."""
    return select(request_minutes.c.service, request_minutes.c.model).distinct()


def stored_cells(pools: Sequence[Pool]) -> ClickHouseSelect:
    """Cells in which requests of some pools are stored, oldest first."""
    minute = minute_of(requests.c.anchor_ns).label("minute_ns")
    among = tuple_(requests.c.service, requests.c.model).in_([(pool.service, pool.model) for pool in pools])
    return select(requests.c.service, requests.c.model, minute).distinct().where(among).order_by(minute)
