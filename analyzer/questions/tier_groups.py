"""The rows of a tier report as groups of cells, and how they compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analyzer.methods.dispersion import overdispersion
from analyzer.methods.multiplier import BlockCounts, Multiplier, multiplier
from analyzer.questions.answers import Rate
from analyzer.questions.bands import Band, Banding
from analyzer.questions.cells import Cells
from analyzer.questions.rates import MIN_REQUESTS, rate

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Group:
    """The cells (a mask) of one service tier and load band, and their rate."""

    service_tier: str
    band: Band
    cells: Mask
    rate: Rate
    phi: float


def groups_of(cells: Cells, banding: Banding, *, by_day: bool) -> list[Group]:
    """Non-empty rows by service tier, then load. Steps of a load test are no days: nothing scatters between them."""
    groups = []
    for service_tier in np.unique(cells.service_tier).tolist():
        here = cells.service_tier == service_tier
        phi = overdispersion(cells.day[here], cells.load_rps[here], *_known(cells, here)) if by_day else 1.0
        for position, band in enumerate(banding.bands):
            mask = here & (banding.of_cell == position)
            if cells.requests[mask].sum() > 0:
                found = rate(int(cells.known[mask].sum()), int(cells.defective[mask].sum()), phi)
                groups.append(Group(service_tier, band, mask, found, phi))
    return groups


def _known(cells: Cells, mask: Mask) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Requests with a known outcome and their defects, cell by cell."""
    return cells.known[mask].astype(np.float64), cells.defective[mask].astype(np.float64)


def baselines_of(groups: Sequence[Group]) -> Mapping[str, Group]:
    """By service tier, the lowest band with at least MIN_REQUESTS known outcomes: what multipliers are against."""
    lowest: dict[str, Group] = {}
    for group in groups:
        if group.rate.requests >= MIN_REQUESTS:
            lowest.setdefault(group.service_tier, group)
    return lowest


def multipliers_of(cells: Cells, groups: Sequence[Group], *, by_day: bool) -> list[Multiplier | None]:
    """Each group's rate over that of its baseline, None for the baseline itself.

    None too where either has fewer than MIN_REQUESTS known outcomes, and where the baseline has no defect:
    nothing is a multiple of a rate of 0.

    by_day  whether days are replications; the steps of a load test are not repeated day by day
    """
    days, day = np.unique(cells.day if by_day else np.zeros_like(cells.day), return_inverse=True)
    baselines = baselines_of(groups)
    found: list[Multiplier | None] = []
    for group in groups:
        base = baselines.get(group.service_tier)
        if base is None or base is group or group.rate.requests < MIN_REQUESTS or not base.rate.defective:
            found.append(None)
            continue
        blocks = [_by_day(cells, part.cells, day, days.size) for part in (base, group)]
        found.append(multiplier(blocks[0], blocks[1], phi=group.phi))
    return found


def point_of(found: Multiplier | None, group: Group, base: Group | None) -> float | None:
    """The multiplier's estimate, None where the half defect added to each count turns round what the rates say."""
    if found is None or base is None or group.rate.rate is None or base.rate.rate is None:
        return None
    is_turned = (found.estimate - 1) * (group.rate.rate - base.rate.rate) < 0
    return None if is_turned else found.estimate


def _by_day(cells: Cells, mask: Mask, day: npt.NDArray[np.int64], days: int) -> BlockCounts:
    requests, defects = _known(cells, mask)
    return BlockCounts(
        defects=np.bincount(day[mask], weights=defects, minlength=days).astype(np.float64),
        requests=np.bincount(day[mask], weights=requests, minlength=days).astype(np.float64),
    )
