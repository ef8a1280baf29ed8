"""Load bands: the load tiers of production, or the steps of a load test."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.methods.load_tiers import tier_edges, tier_of
from analyzer.questions.cells import NO_STEP, Cells, Integers
from vocabulary.tiers import LoadTier

EDGE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Band:
    """One band of load: a load tier, or a step (then load_tier is '').

    number  how the store's sketches call it: position of the tier, or the step
    """

    number: int
    load_tier: str
    step: int | None
    from_rps: float | None
    to_rps: float | None


@dataclass(frozen=True, slots=True)
class Banding:
    """Bands by ascending load, and the position in `bands` of every cell."""

    bands: Sequence[Band]
    of_cell: Integers
    edges_rps: Sequence[float]

    @property
    def store_edges_rps(self) -> list[float]:
        """Edges for `TelemetryReader.sketches`, a hair higher: an edge is some minute's load, and the store may
        round that minute's load the other way.
        """
        return [edge * (1 + EDGE_TOLERANCE) for edge in self.edges_rps]


def load_tier_bands(cells: Cells) -> Banding:
    """Bands of production: request-weighted quantiles of load over the cells' own period."""
    if cells.minute_ns.size == 0:
        return Banding((), np.empty(0, dtype=np.int64), ())
    edges = tier_edges(cells.load_rps, cells.requests.astype(np.float64))
    bounds = [None, *(float(edge) for edge in edges), None]
    bands = [
        Band(position, str(tier), None, bounds[position], bounds[position + 1])
        for position, tier in enumerate(LoadTier)
    ]
    return Banding(bands, tier_of(cells.load_rps, edges), [float(edge) for edge in edges])


def step_bands(cells: Cells) -> Banding:
    """Bands of a load test: one per step, by offered rate; steps without one come last, in their own order."""
    steps, first = np.unique(cells.step, return_index=True)
    offered = cells.offered_rps[first]
    order = np.lexsort((steps, np.where(np.isnan(offered), np.inf, offered)))
    bands = [_step_band(int(steps[at]), float(offered[at])) for at in order]
    position = np.empty(steps.size, dtype=np.int64)
    position[order] = np.arange(steps.size)
    return Banding(bands, position[np.searchsorted(steps, cells.step)], ())


def _step_band(step: int, offered_rps: float) -> Band:
    rate = None if np.isnan(offered_rps) else offered_rps
    return Band(step, "", None if step == NO_STEP else step, rate, rate)
