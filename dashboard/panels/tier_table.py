"""The ruler: per traffic tier or step, n, rate with interval, multiplier, kinds, latency."""

from collections.abc import Sequence
from typing import Any

from dash import html

from analyzer.questions.answers import RiskStanding, Status, TierReport, TierRow
from dashboard.figures.tiers import by_importance
from dashboard.numbers_text import UNKNOWN, count, interval, interval_of_times, load, percent, seconds, times
from dashboard.widgets import Table, Widget
from dashboard.wording import Wording
from vocabulary.outcomes import DEFECT_NAMES

Cell = dict[str, Any] | str


def tier_table(report: TierReport, say: Wording) -> Widget:
    """One row per tier or step; kinds that never occurred have no column, a note names them."""
    seen = [kind for kind in DEFECT_NAMES if any(row.defects.get(kind) for row in report.rows)]
    scale = max((row.rate.interval.high or 0 for row in report.rows if row.rate.rate is not None), default=1) or 1
    is_test = bool(report.load_test)
    rows = [
        _row(row, seen, scale, say, is_test=is_test)
        for row in _grouped(report.rows if is_test else by_importance(report.rows))
    ]
    return Table(
        caption=say("tiers.caption"), columns=_columns(seen, say, is_test=is_test), rows=rows, empty=say("tiers.none")
    )


def flag_words(report: TierReport, say: Wording) -> html.P | None:
    """What a reader must know beside the numbers, None where there is nothing."""
    words = " · ".join(say.known("flag", flag) for flag in report.flags)
    return html.P(words, className="fine") if words else None


def _grouped(rows: Sequence[TierRow]) -> list[tuple[TierRow, bool]]:
    """Each row with whether it begins a new service tier."""
    before = ""
    marked = []
    for row in rows:
        marked.append((row, row.service_tier != before))
        before = row.service_tier
    return marked


def _columns(seen: Sequence[str], say: Wording, *, is_test: bool) -> list[dict[str, str]]:
    first = (
        [_left(say("column.step"))] if is_test else [_left(say("column.service_tier")), _left(say("column.load_tier"))]
    )
    shared = [
        _right(say("column.load"), say("column.load_help")),
        _right("n", say("column.n_help")),
        _right(say("column.defective")),
        _left(say("column.rate"), say("column.rate_help")),
        _right(say("column.risk"), say("column.risk_help")),
        _right(say("column.multiplier"), say("column.multiplier_help")),
    ]
    kinds = [_right(say.known("defect", kind), say.known("defect_help", kind)) for kind in seen]
    latency = [_right("E2E P50"), _right("P95"), _right("P99"), _right("TTFT P95")]
    return [*first, *shared, *kinds, *latency, _right(say("column.unknown"), say("column.unknown_help"))]


def _row(
    marked: tuple[TierRow, bool], seen: Sequence[str], scale: float, say: Wording, *, is_test: bool
) -> dict[str, Any]:
    row, is_first = marked
    first: list[Cell] = (
        [_step(row)]
        if is_test
        else [
            {"text": say.known("service_tier", row.service_tier), "tone": "" if is_first else "faint"},
            say.known("load_tier", row.load_tier),
        ]
    )
    cells = [
        *first,
        _band(row),
        _known(row, say),
        count(row.rate.defective),
        _rate(row, scale),
        _risk(row, say),
        _multiplier(row),
        *(_kind(row.defects.get(kind, 0)) for kind in seen),
        *(seconds(value) for value in (row.e2e.p50, row.e2e.p95, row.e2e.p99, row.ttft.p95)),
        _kind(row.unknown),
    ]
    return {"cells": cells, "tone": "is-first" if is_first else None}


def _step(row: TierRow) -> str:
    return UNKNOWN if row.step is None else str(row.step)


def _band(row: TierRow) -> str:
    if row.load_from_rps is not None and row.load_from_rps == row.load_to_rps:
        return load(row.load_from_rps)
    if row.load_from_rps is None:
        return f"≤ {load(row.load_to_rps)}"
    if row.load_to_rps is None:
        return f"> {load(row.load_from_rps)}"
    return f"{load(row.load_from_rps)} – {load(row.load_to_rps)}"


def _known(row: TierRow, say: Wording) -> Cell:
    """n, and what its size does not allow."""
    number = count(row.rate.requests)
    return number if row.status is Status.OK else {"text": number, "sub": say.known("status", row.status)}


def _rate(row: TierRow, scale: float) -> Cell:
    found = row.rate.interval
    if row.rate.rate is None or found.low is None or found.high is None:
        return {"text": UNKNOWN, "tone": "faint"}
    forest = [found.low, row.rate.rate, found.high, scale]
    return {"text": percent(row.rate.rate), "sub": interval(found), "forest": forest, "tone": "strong rate"}


def _risk(row: TierRow, say: Wording) -> Cell:
    """The threshold, and where the interval lies beside it; marked where all of it lies above."""
    told: dict[str, Any] = {"text": percent(row.risk_threshold), "sub": say(f"risk.{row.risk_standing}")}
    return {**told, "icon": "warn", "tone": "strong"} if row.risk_standing is RiskStanding.ABOVE else told


def _multiplier(row: TierRow) -> Cell:
    """A multiplier whose interval holds 1 is told from one that does not."""
    if row.multiplier is None:
        known = interval_of_times(row.multiplier_interval)
        return {"text": "×1" if row.is_baseline and row.rate.defective else UNKNOWN, "sub": known, "tone": "faint"}
    low = row.multiplier_interval.low
    text, _, found = times(row.multiplier, row.multiplier_interval).partition(" ")
    return {"text": text, "sub": found, "tone": "strong" if low is not None and low > 1 else ""}


def _kind(value: int) -> Cell:
    return count(value) if value else {"text": "0", "tone": "faint"}


def _left(text: str, title: str = "") -> dict[str, str]:
    return {"text": text, "align": "left", "title": title}


def _right(text: str, title: str = "") -> dict[str, str]:
    return {"text": text, "align": "right", "title": title}
