"""Keeping request_minutes equal to a count over raw requests: dirty minutes, builds, pointers."""

from collections.abc import Callable, Iterable
from threading import Lock

from store.control.builds import Build, Builds
from store.telemetry import rollup_sql as sql
from store.telemetry.chunks import Cell, chunked, spread
from store.telemetry.current import CurrentBuild
from store.telemetry.database import Database
from store.telemetry.ingest_reads import last_commit
from store.telemetry.recount import Recount
from vocabulary.pools import SECOND_NS
from vocabulary.services import ServiceBook

GARBAGE_CHECK_RUNS = 200
GARBAGE_CHECK_CELLS = 50_000
"""Runs or rebuilt cells after which a run looks for garbage; a backfill makes much in a few runs."""

GARBAGE_ROWS_MIN = 20_000
READERS_GONE_NS = 120 * SECOND_NS
"""A build stays whole for so long after the next one: whoever took its number before has read by then."""


class Rebuilder:
    """The Rollup of `store.contract`: `mark`, `adopt` and `pending` from any thread, the rest from one.

    recount  minutes that other kinds of defect count for since they were counted
    """

    def __init__(
        self,
        database: Database,
        builds: Builds,
        recount: Recount,
        current: CurrentBuild,
        clock_ns: Callable[[], int],
    ) -> None:
        self._database = database
        self._builds = builds
        self._recount = recount
        self._current = current
        self._clock_ns = clock_ns
        self._lock = Lock()
        self._dirty: set[Cell] = set()
        last = builds.last()
        self._version = last.version
        self._rebuilding = 0
        self._runs_since = 0
        self._cells_since = 0
        self._has_orphans = False
        current.number = last.build

    def mark(self, pool_minutes: Iterable[Cell], version: int) -> None:
        """Remember cells as dirty because of requests up to `version`."""
        with self._lock:
            self._dirty.update(pool_minutes)
            self._version = max(self._version, version)

    def adopt(self, services: ServiceBook) -> None:
        """Count by the kinds of these definitions from now on; what was counted by others is counted again."""
        self._current.services = services

    def pending(self) -> int:
        """Dirty cells not rebuilt yet, those of a rebuild under way and those to be counted again included."""
        with self._lock:
            return len(self._dirty) + self._rebuilding + self._recount.pending()

    def run(self) -> int:
        """Rebuild all dirty cells, and some of those to be counted again, as one build and commit its pointer."""
        services = self._current.services
        self._recount.aim(services)
        cells, version = self._take()
        if cells:
            self._rebuild_or_keep(cells, version, services)
            self._collect_sometimes(len(cells))
        self._recount.finish()
        return len(cells)

    def _rebuild_or_keep(self, cells: set[Cell], version: int, services: ServiceBook) -> None:
        try:
            self._rebuild(cells, version, services)
        except BaseException:
            self._has_orphans = True
            self.mark(cells, version)
            raise
        finally:
            self._rebuilding = 0

    def recover(self) -> int:
        """Drop uncommitted builds; mark what the last pointer does not cover, commits that were cut short included."""
        self._database.execute(sql.uncommitted(self._builds.last().build))
        self._has_orphans = False
        return self._mark_after_pointer(whole_commits_only=False)

    def catch_up(self) -> int:
        """Mark what whole commits have touched since the last pointer."""
        return self._mark_after_pointer(whole_commits_only=True)

    def _mark_after_pointer(self, *, whole_commits_only: bool) -> int:
        last = self._builds.last()
        self._current.number = last.build
        # The bound is read before the cells: what another process commits in between is above it, so found next time.
        upto = last_commit(self._database)
        found = self._database.rows(sql.cells_after(last.version, upto if whole_commits_only else None))
        cells = {(row["service"], row["model"], row["minute_ns"]) for row in found}
        self.mark(cells, upto)
        return len(cells)

    def follow(self) -> None:
        """Read what another process has committed."""
        self._current.number = self._builds.last().build

    def collect_garbage(self) -> bool:
        """Drop rows that no reader asks for when they are more than half of the table. Returns whether it did."""
        kept = self._builds.last_before(self._clock_ns() - READERS_GONE_NS).build
        (row,) = self._database.rows(sql.rows_and_current_rows(kept))
        if row["all"] < GARBAGE_ROWS_MIN or row["all"] < 2 * row["current"]:
            return False
        self._database.execute(sql.superseded(kept))
        return True

    def _take(self) -> tuple[set[Cell], int]:
        with self._lock:
            cells, self._dirty = self._dirty | self._recount.take(), set()
            self._rebuilding = len(cells)
            return cells, self._version

    def _rebuild(self, cells: set[Cell], version: int, services: ServiceBook) -> None:
        committed = self._current.number
        if self._has_orphans:
            self._database.execute(sql.uncommitted(committed))
            self._has_orphans = False
        build = committed + 1
        for chunk in chunked(spread(cells, self._database), self._database):
            self._database.execute(sql.rebuild(chunk, build, services))
            self._database.execute(sql.emptied(chunk, build, committed))
        self._builds.commit(Build(build, version, len(cells), self._clock_ns()))
        self._current.number = build

    def _collect_sometimes(self, rebuilt: int) -> None:
        self._runs_since += 1
        self._cells_since += rebuilt
        if self._runs_since >= GARBAGE_CHECK_RUNS or self._cells_since >= GARBAGE_CHECK_CELLS:
            self._runs_since = self._cells_since = 0
            self.collect_garbage()
