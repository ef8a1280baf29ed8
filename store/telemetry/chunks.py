"""Cutting dirty cells into chunks that one statement rebuilds: contiguous minutes, bounded rows."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from store.telemetry.database import Database
from store.telemetry.rollup_sql import READY_BEFORE_MINUTES, Chunk, last_ends, sizes
from vocabulary.pools import MINUTE_NS, Pool

Cell = tuple[str, str, int]
GAP_MINUTES = 30
"""Clean minutes between dirty ones that are cheaper to rebuild than to leave out."""

MANY_RANGES, WIDE_GAP_MINUTES = 32, 360
"""Beyond so many ranges the gap grows: a statement costs more than some hours of clean minutes."""

CHUNK_VERSIONS = 1_000_000
"""Stored request versions that one statement reads at most, unless a single minute holds more."""


def spread(cells: Iterable[Cell], database: Database) -> set[Cell]:
    """Cells whose rows change with these cells: a request makes its replica ready until two minutes after its end."""
    spread_cells = set(cells)
    for start_ns, end_ns in ranges(minute for _, _, minute in cells):
        for row in database.rows(last_ends(start_ns, end_ns)):
            cell = (row["service"], row["model"], row["minute_ns"])
            if cell in spread_cells:
                last = row["last_ns"] + READY_BEFORE_MINUTES * MINUTE_NS
                spread_cells.update((*cell[:2], minute) for minute in range(cell[2], last + 1, MINUTE_NS))
    return spread_cells


def chunked(cells: set[Cell], database: Database) -> Iterator[Chunk]:
    """Chunks that together cover the cells; whole minutes of every pool that is dirty in the range."""
    for start_ns, end_ns in ranges(minute for _, _, minute in cells):
        pools = sorted({Pool(service, model) for service, model, minute in cells if start_ns <= minute < end_ns})
        for first_ns, last_ns in pairwise(cuts(start_ns, end_ns, database)):
            yield Chunk(first_ns, last_ns, pools)


def ranges(minutes: Iterable[int]) -> list[tuple[int, int]]:
    """Half-open ranges of minutes with no long gap inside."""
    ordered = sorted(set(minutes))
    found = list(_ranges(ordered, GAP_MINUTES))
    return found if len(found) <= MANY_RANGES else list(_ranges(ordered, WIDE_GAP_MINUTES))


def _ranges(ordered: list[int], gap_minutes: int) -> Iterator[tuple[int, int]]:
    if not ordered:
        return
    start = ordered[0]
    for before, after in pairwise([*ordered, ordered[-1] + (gap_minutes + 2) * MINUTE_NS]):
        if after - before > (gap_minutes + 1) * MINUTE_NS:
            yield start, before + MINUTE_NS
            start = after


def cuts(start_ns: int, end_ns: int, database: Database) -> list[int]:
    """Where to cut a range so that each part holds a bounded number of stored versions."""
    found, held = [start_ns], 0
    for row in database.rows(sizes(start_ns, end_ns)):
        if held and held + row["versions"] > CHUNK_VERSIONS:
            found.append(row["minute_ns"])
            held = 0
        held += row["versions"]
    return [*found, end_ns]
