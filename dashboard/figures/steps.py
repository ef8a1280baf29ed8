"""Defect rate by step of a load test, with intervals, over the offered rate."""

from collections.abc import Sequence
from typing import Any

from analyzer.questions.answers import TierRow
from dashboard.figures.style import layout, value_axis
from dashboard.figures.tiers import error_bars, evidence, hover
from dashboard.numbers_text import short_count
from dashboard.palette import DEFECT, tint
from dashboard.wording import Wording

HEIGHT = 430
_WIDE = 20.0


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


def _layout(ticks: Sequence[tuple[float, TierRow]], say: Wording, *, is_wide: bool) -> dict[str, Any]:
    return layout(
        HEIGHT,
        dragmode=False,
        margin={"l": 56, "r": 24, "t": 12, "b": 62},
        xaxis={
            "title": {"text": say("axis.offered"), "standoff": 8, "font": {"size": 11}},
            "type": "log" if is_wide else "linear",
            "rangemode": "normal" if is_wide else "tozero",
            "fixedrange": True,
            "tickvals": [load for load, _ in ticks],
            "ticktext": [f"{load:.4g}<br>n={short_count(row.rate.requests)}" for load, row in ticks],
            "tickangle": 0,
        },
        yaxis=value_axis(say("axis.defects"), tickformat=".2~p"),
    )
