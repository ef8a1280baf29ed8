"""Keeping request_minutes equal to a count over raw requests: dirty minutes, builds, pointers."""

from collections.abc import Callable, Iterable
from threading import Lock

from store.control.builds import Build, Builds
from store.telemetry import rollup_sql as sql
from store.telemetry.chunks import Cell, chunked, spread
from store.telemetry.current import CurrentBuild
from store.telemetry.database import Database

GARBAGE_CHECK_RUNS = 200
GARBAGE_CHECK_CELLS = 50_000
"""Runs or rebuilt cells after which a run looks for garbage; a backfill makes much in a few runs."""

GARBAGE_ROWS_MIN = 20_000


class Rebuilder:
    """The Rollup of `store.contract`: `mark` from any thread, the rest from one."""

    def __init__(self, database: Database, builds: Builds, current: CurrentBuild, clock_ns: Callable[[], int]) -> None:
        self._database = database
        self._builds = builds
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

    def pending(self) -> int:
        """Dirty cells not rebuilt yet, those of a rebuild under way included."""
        with self._lock:
            return len(self._dirty) + self._rebuilding

    def run(self) -> int:
        """Rebuild all dirty cells as one build and commit its pointer."""
        cells, version = self._take()
        if not cells:
            return 0
        try:
            self._rebuild(cells, version)
        except BaseException:
            self._has_orphans = True
            self.mark(cells, version)
            raise
        finally:
            self._rebuilding = 0
        self._collect_sometimes(len(cells))
        return len(cells)

    def recover(self) -> int:
        """Drop uncommitted builds; mark what the last pointer does not cover."""
        last = self._builds.last()
        self._current.number = last.build
        self._database.execute(sql.uncommitted(last.build))
        self._has_orphans = False
        found = self._database.rows(sql.cells_after(last.version))
        cells = {(row["service"], row["model"], row["minute_ns"]) for row in found}
        self.mark(cells, self._database.scalar(sql.newest_version()))
        return len(cells)

    def follow(self) -> None:
        """Read what another process has committed."""
        self._current.number = self._builds.last().build

    def collect_garbage(self) -> bool:
        """Drop superseded rows when they are more than half of the table. Returns whether it did.

        Called between builds: by then no reader still asks for the build before the current one.
        """
        (row,) = self._database.rows(sql.rows_and_current_rows(self._current.number))
        if row["all"] < GARBAGE_ROWS_MIN or row["all"] < 2 * row["current"]:
            return False
        self._database.execute(sql.superseded(self._current.number))
        return True

    def _take(self) -> tuple[set[Cell], int]:
        with self._lock:
            cells, self._dirty = self._dirty, set()
            self._rebuilding = len(cells)
            return cells, self._version

    def _rebuild(self, cells: set[Cell], version: int) -> None:
        committed = self._current.number
        if self._has_orphans:
            self._database.execute(sql.uncommitted(committed))
            self._has_orphans = False
        build = committed + 1
        for chunk in chunked(spread(cells, self._database), self._database):
            self._database.execute(sql.rebuild(chunk, build))
            self._database.execute(sql.emptied(chunk, build, committed))
        self._builds.commit(Build(build, version, len(cells), self._clock_ns()))
        self._current.number = build

    def _collect_sometimes(self, rebuilt: int) -> None:
        self._runs_since += 1
        self._cells_since += rebuilt
        if self._runs_since >= GARBAGE_CHECK_RUNS or self._cells_since >= GARBAGE_CHECK_CELLS:
            self._runs_since = self._cells_since = 0
            self.collect_garbage()
