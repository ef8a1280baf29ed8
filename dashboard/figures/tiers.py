"""Defect rate by traffic tier as bars with their intervals: colour and hatch both tell the service tier."""

from collections.abc import Sequence
from typing import Any

from analyzer.questions.answers import TierRow
from dashboard.figures.style import layout, rate_axis
from dashboard.numbers_text import short_count
from dashboard.palette import GREY, PATTERNS, SERIES
from dashboard.wording import Wording
from vocabulary.tiers import LoadTier, ServiceTier

HEIGHT = 300


def tier_bars(rows: Sequence[TierRow], say: Wording) -> dict[str, Any]:
    """One group per load tier, one bar per service tier; n of each stands below the axis."""
    service_tiers = list(dict.fromkeys(row.service_tier for row in by_importance(rows)))
    traces = [
        _bars([row for row in rows if row.service_tier == tier], tier, place, say)
        for place, tier in enumerate(service_tiers)
    ]
    more: dict[str, Any] = {
        "barmode": "group",
        "bargap": 0.28,
        "bargroupgap": 0.06,
        "showlegend": len(traces) > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.12, "font": {"size": 11}},
        "margin": {"l": 56, "r": 10, "t": 26 if len(traces) > 1 else 12, "b": 30 + 13 * max(1, len(traces))},
        "xaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [say(f"load_tier.{tier}") for tier in LoadTier],
            "fixedrange": True,
            "tickmode": "array",
            "tickvals": [say(f"load_tier.{tier}") for tier in LoadTier],
            "ticktext": [_tick(rows, service_tiers, tier, say) for tier in LoadTier],
            "tickangle": 0,
        },
        "yaxis": rate_axis(say("axis.defects"), [row.rate for row in rows]),
        "dragmode": False,
    }
    return {"data": traces, "layout": layout(HEIGHT, **more)}


def _tick(rows: Sequence[TierRow], service_tiers: Sequence[str], load_tier: str, say: Wording) -> str:
    """The load tier, and below it n of every service tier in the order of the bars."""
    here = {row.service_tier: row for row in rows if row.load_tier == load_tier}
    lines = [say(f"load_tier.{load_tier}")]
    for tier in service_tiers:
        name = f"{say.known('service_tier', tier)} " if len(service_tiers) > 1 else ""
        lines.append(f"{name}n={short_count(here[tier].rate.requests)}" if tier in here else "")
    return "<br>".join(lines)


def by_importance(rows: Sequence[TierRow]) -> list[TierRow]:
    """Core first, then general, then batch, then any other service tier by name; the order within one is kept."""
    known = [str(tier) for tier in ServiceTier]
    return sorted(
        rows, key=lambda row: (known.index(row.service_tier) if row.service_tier in known else 99, row.service_tier)
    )


def _bars(rows: Sequence[TierRow], tier: str, place: int, say: Wording) -> dict[str, Any]:
    colour, pattern = SERIES[place % len(SERIES)], PATTERNS[place % len(PATTERNS)]
    return {
        "type": "bar",
        "name": say.known("service_tier", tier),
        "x": [say.known("load_tier", row.load_tier) for row in rows],
        "y": [row.rate.rate for row in rows],
        "error_y": error_bars(rows),
        "marker": {
            "color": colour,
            "pattern": {
                "shape": pattern,
                "bgcolor": colour,
                "fgcolor": "#ffffff",
                "fgopacity": 0.6,
                "size": 7,
                "solidity": 0.18,
            },
        },
        "customdata": evidence(rows),
        "hovertemplate": hover(say) + f"<extra>{say.known('service_tier', tier)}</extra>",
    }


def error_bars(rows: Sequence[TierRow]) -> dict[str, Any]:
    """Distances from each rate to its interval's ends; nothing where no rate is known."""
    above, below = [], []
    for row in rows:
        rate, found = row.rate.rate, row.rate.interval
        known = rate is not None and found.low is not None and found.high is not None
        above.append(found.high - rate if known else None)  # type: ignore[operator]  # known rules None out
        below.append(rate - found.low if known else None)  # type: ignore[operator]
    return {
        "type": "data",
        "symmetric": False,
        "array": above,
        "arrayminus": below,
        "thickness": 1.4,
        "width": 5,
        "color": GREY,
    }


def evidence(rows: Sequence[TierRow]) -> list[list[float | int | None]]:
    """Per row: low, high, defective, n."""
    return [[row.rate.interval.low, row.rate.interval.high, row.rate.defective, row.rate.requests] for row in rows]


def hover(say: Wording) -> str:
    """Template for `evidence`: never a rate without its interval and n."""
    return (
        "<b>%{y:.3p}</b> [%{customdata[0]:.3p}, %{customdata[1]:.3p}] "
        + say("unit.level95")
        + "<br>%{customdata[2]:,} / n = %{customdata[3]:,}"
    )
