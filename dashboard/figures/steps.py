"""Defect rate by step of a load test, with intervals, over the offered rate."""

import math
from collections.abc import Sequence
from typing import Any

from analyzer.questions.answers import TierRow
from dashboard.figures.style import layout, rate_axis
from dashboard.figures.tiers import error_bars, evidence, hover
from dashboard.numbers_text import short_count
from dashboard.palette import DEFECT, tint
from dashboard.wording import Wording

HEIGHT = 430
_WIDE = 20.0
_LABEL_SHARE = 0.09
"""How much of the axis one label takes."""


def step_chart(rows: Sequence[TierRow], say: Wording) -> dict[str, Any]:
    """Rate with interval, n below each step; the axis is logarithmic when steps span more than twenty-fold."""
    loads = [row.load_to_rps if row.load_to_rps is not None else row.mean_load_rps for row in rows]
    known = [load for load in loads if load]
    is_wide = bool(known) and max(known) / min(known) > _WIDE
    rates: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": loads,
        "y": [row.rate.rate for row in rows],
        "error_y": {**error_bars(rows), "color": tint(DEFECT, 0.8)},
        "line": {"color": tint(DEFECT, 0.55), "width": 1.4, "dash": "dot"},
        "marker": {"color": DEFECT, "size": 8, "symbol": "square"},
        "customdata": evidence(rows),
        "hovertemplate": "%{x:.4g} " + say("unit.rps") + "<br>" + hover(say) + "<extra></extra>",
    }
    ticks = [(load, row) for load, row in zip(loads, rows, strict=True) if load]
    return {"data": [rates], "layout": _layout(ticks, say, is_wide=is_wide)}


def _apart(ticks: Sequence[tuple[float, TierRow]], *, is_wide: bool) -> list[tuple[float, TierRow]]:
    """The ticks whose labels do not run into one another; hovering tells n of every step."""
    places = [math.log(load) if is_wide else load for load, _ in ticks]
    least = (max(places) - min(places if is_wide else [0.0])) * _LABEL_SHARE if places else 0.0
    kept: list[tuple[float, TierRow]] = []
    reached = -math.inf
    for place, tick in sorted(zip(places, ticks, strict=True), key=lambda found: found[0]):
        if place - reached >= least:
            kept.append(tick)
            reached = place
    return kept


def _layout(ticks: Sequence[tuple[float, TierRow]], say: Wording, *, is_wide: bool) -> dict[str, Any]:
    shown = _apart(ticks, is_wide=is_wide)
    return layout(
        HEIGHT,
        dragmode=False,
        margin={"l": 56, "r": 24, "t": 12, "b": 62},
        xaxis={
            "title": {"text": say("axis.offered"), "standoff": 8, "font": {"size": 11}},
            "type": "log" if is_wide else "linear",
            "rangemode": "normal" if is_wide else "tozero",
            "fixedrange": True,
            "tickvals": [load for load, _ in shown],
            "ticktext": [f"{load:.4g}<br>n={short_count(row.rate.requests)}" for load, row in shown],
            "tickangle": 0,
        },
        yaxis=rate_axis(say("axis.defects"), [row.rate for _, row in ticks]),
    )
