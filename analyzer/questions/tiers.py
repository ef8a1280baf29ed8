"""The tier report: at which traffic do how many requests go wrong?"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from analyzer.methods import sketch
from analyzer.methods.multiplier import IntervalMethod, Multiplier
from analyzer.questions.answers import Interval, Quantiles, Status, TierReport, TierRow
from analyzer.questions.bands import Banding, load_tier_bands, step_bands
from analyzer.questions.bases import basis_of
from analyzer.questions.cells import Cells, cells_of, tier_name
from analyzer.questions.flags import Flag
from analyzer.questions.rates import best_of, status_of
from analyzer.questions.replicas import replicas_are_unknown
from analyzer.questions.risk import standing
from analyzer.questions.tier_groups import Group, baselines_of, groups_of, multipliers_of, point_of
from store.contract import TelemetryReader
from vocabulary.outcomes import DEFECT_NAMES, Outcome, defect_names
from vocabulary.pools import Pool, Window
from vocabulary.services import ALL_KINDS, ServiceBook

METHOD = "tier_report"
VERSION = 2
MIN_DAYS = 7
"""Fewest days whose differences carry an interval without the flag `fewer_than_7_days`."""
NOTABLE_PHI = 1.2
"""Over-dispersion below this is what chance alone gives; it widens intervals without a flag."""

NO_DEFINITIONS = ServiceBook()

Sketches = Mapping[tuple[str, int], tuple[sketch.Sketch, sketch.Sketch]]


def tier_report(
    reader: TelemetryReader,
    pool: Pool,
    window: Window,
    *,
    load_test: str = "",
    pending_minutes: int = 0,
    services: ServiceBook = NO_DEFINITIONS,
) -> TierReport:
    """Defects per traffic tier of a pool, or per step of a load test.

    Load is the arrival rate of the whole pool per ready replica and minute; the edges of the load tiers are
    request-weighted quantiles over the window. Rates leave requests without a known outcome out.

    pending_minutes  minutes the rollup has not caught up with, for the basis of the answer
    services         risk thresholds, and which kinds of defect the rollup counts
    raises           what `reader` raises
    """
    reader = reader.snapshot()  # counts and sketches of one build
    minutes = reader.minutes(pool, window, load_test)
    cells = cells_of(minutes)
    banding = step_bands(cells) if load_test else load_tier_bands(cells)
    sketches = _sketches(reader, pool, window, banding, load_test)
    groups = groups_of(cells, banding, by_day=not load_test)
    multipliers = multipliers_of(cells, groups, by_day=not load_test)
    rows = _rows(cells, groups, multipliers, sketches, lambda tier: services.threshold(pool, tier))
    is_told = bool(load_test) or not replicas_are_unknown(reader, pool, window, minutes["replicas_ready"].to_numpy())
    days = int(np.unique(cells.day).size)
    flags = _flags(
        rows,
        multipliers,
        pending_minutes,
        days=None if load_test else days,
        leaves_kinds_out=services.counted(pool) != ALL_KINDS,
        is_per_pool=not is_told,
    )
    basis = basis_of(METHOD, VERSION, window, cells.minute_ns, int(cells.requests.sum()), pending_minutes)
    status, counted = best_of([row.status for row in rows]), defect_names(services.counted(pool))
    return TierReport(pool, load_test, rows, basis, status, flags, days, counted)


def _rows(
    cells: Cells,
    groups: Sequence[Group],
    multipliers: Sequence[Multiplier | None],
    sketches: Sketches,
    threshold: Callable[[str], float],
) -> list[TierRow]:
    bases = baselines_of(groups)
    return [
        _row(cells, group, found, bases.get(group.service_tier), sketches, threshold(group.service_tier))
        for group, found in zip(groups, multipliers, strict=True)
    ]


def _row(
    cells: Cells,
    group: Group,
    found: Multiplier | None,
    base: Group | None,
    sketches: Sketches,
    risk_threshold: float,
) -> TierRow:
    mask, band = group.cells, group.band
    requests_all = int(cells.requests[mask].sum())
    e2e, ttft = sketches.get((group.service_tier, band.number), ({}, {}))
    return TierRow(
        service_tier=group.service_tier,
        load_tier=band.load_tier,
        step=band.step,
        load_from_rps=band.from_rps,
        load_to_rps=band.to_rps,
        mean_load_rps=_mean_load(cells, group),
        requests_all=requests_all,
        rate=group.rate,
        defects={name: int(cells.counts[f"defect_{name}"][mask].sum()) for name in DEFECT_NAMES},
        unknown=int(cells.counts[f"outcome_{Outcome.UNKNOWN}"][mask].sum()),
        multiplier=point_of(found, group, base),
        multiplier_interval=Interval(None, None) if found is None else Interval(found.low, found.high),
        e2e=_latency(e2e),
        ttft=_latency(ttft),
        minutes=int(np.unique(cells.minute_ns[mask]).size),
        status=status_of(requests_all, group.rate.requests),
        risk_threshold=risk_threshold,
        risk_standing=standing(group.rate.interval, risk_threshold),
        phi=group.phi,
        is_baseline=group is base,
    )


def _mean_load(cells: Cells, group: Group) -> float | None:
    """Offered rate of a step where it is known, request-weighted mean load otherwise."""
    if group.band.step is not None and group.band.to_rps is not None:
        return group.band.to_rps
    return float(np.average(cells.load_rps[group.cells], weights=cells.requests[group.cells]))


def _sketches(reader: TelemetryReader, pool: Pool, window: Window, banding: Banding, load_test: str) -> Sketches:
    if not banding.bands:
        return {}
    found: dict[tuple[str, int], tuple[sketch.Sketch, sketch.Sketch]] = {}
    for row in reader.sketches(pool, window, banding.store_edges_rps, load_test).to_pylist():
        key = (tier_name(row["service_tier"]), int(row["band"]))
        e2e, ttft = found.get(key, ({}, {}))
        found[key] = sketch.merged([e2e, dict(row["e2e_sketch"])]), sketch.merged([ttft, dict(row["ttft_sketch"])])
    return found


def _latency(found: sketch.Sketch) -> Quantiles:
    p50, p95, p99 = sketch.quantiles(found, (0.5, 0.95, 0.99))
    return Quantiles(sum(found.values()), p50, p95, p99)


def _lacks_a_measure(rows: Sequence[TierRow]) -> bool:
    """Whether some row could be compared but for a baseline without defects."""
    without = {row.service_tier for row in rows if row.is_baseline and not row.rate.defective}
    return any(row.service_tier in without and not row.is_baseline and row.status is Status.OK for row in rows)


def _flags(
    rows: Sequence[TierRow],
    multipliers: Sequence[Multiplier | None],
    pending_minutes: int,
    *,
    days: int | None,
    leaves_kinds_out: bool,
    is_per_pool: bool,
) -> list[str]:
    """What a reader must know beside the numbers, in a fixed order; `days` is None for a load test."""
    told = {
        Flag.FEWER_THAN_7_DAYS: days is not None and 0 < days < MIN_DAYS,
        Flag.BINOMIAL_INTERVAL: any(
            found is not None and found.method is IntervalMethod.BINOMIAL for found in multipliers
        ),
        Flag.BASELINE_WITHOUT_DEFECTS: _lacks_a_measure(rows),
        Flag.INSUFFICIENT_DATA: any(row.status is Status.INSUFFICIENT_DATA for row in rows),
        Flag.OVER_DISPERSED: any(row.phi >= NOTABLE_PHI for row in rows),
        Flag.UNKNOWN_OUTCOMES: any(row.unknown for row in rows),
        Flag.REPLICAS_UNKNOWN: is_per_pool,
        Flag.KINDS_LEFT_OUT: leaves_kinds_out,
        Flag.PENDING_MINUTES: pending_minutes > 0,
    }
    return [flag for flag, holds in told.items() if holds]
