"""Hops of recently touched traces, so that a late hop need not be joined through the store."""

from collections import deque
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from collector.arrays import Indices, Mask, Words


@dataclass(frozen=True, slots=True)
class _Segment:
    traces: Words  # sorted fingerprints, one per row
    places: Indices  # row of each fingerprint
    rows: pa.Table


class RecentHops:
    """The last commits' hops, whole traces each.

    Every commit that touches a trace adds all hops of that trace again, so the newest segment that
    holds a trace holds it whole. Not thread-safe: the committer owns it.

    rows_max  hops kept; the oldest commits leave first
    """

    def __init__(self, rows_max: int = 200_000) -> None:
        self._rows_max = rows_max
        self._segments: deque[_Segment] = deque()
        self._count = 0

    def add(self, traces: Words, hops: pa.Table) -> None:
        """Keep the hops of one commit; `traces` (n,) are the fingerprints of their trace ids."""
        if hops.num_rows == 0:
            return
        order = np.argsort(traces, kind="stable")
        self._segments.append(_Segment(traces[order], order, hops))
        self._count += hops.num_rows
        while self._count > self._rows_max and len(self._segments) > 1:
            self._count -= self._segments.popleft().rows.num_rows

    def take(self, traces: Words) -> tuple[list[pa.Table], Mask]:
        """Hops of the given distinct traces, and (n,) which traces were found."""
        found = np.zeros(len(traces), dtype=np.bool_)
        tables: list[pa.Table] = []
        for segment in reversed(self._segments):
            if found.all():
                break
            open_places = np.flatnonzero(~found)
            low = np.searchsorted(segment.traces, traces[open_places], side="left")
            high = np.searchsorted(segment.traces, traces[open_places], side="right")
            hit = high > low
            if hit.any():
                tables.append(segment.rows.take(segment.places[_ranges(low[hit], high[hit])]))
                found[open_places[hit]] = True
        return tables, found


def _ranges(low: Indices, high: Indices) -> Indices:
    """All integers of the ranges [low, high), one range after the other."""
    counts = high - low
    before = np.cumsum(counts) - counts
    places: Indices = np.arange(counts.sum()) - np.repeat(before, counts) + np.repeat(low, counts)
    return places
