"""What all charts share: transparent ground, one font, fixed heights. Colours of text and grid come from `ui.css`."""

from collections.abc import Iterable
from typing import Any

from analyzer.questions.answers import Rate

FONT = {"family": "Inter, system-ui, -apple-system, 'Segoe UI', 'Noto Sans CJK SC', sans-serif", "size": 11}
CONFIG: Any = {
    "displayModeBar": False,
    "displaylogo": False,
    "responsive": True,
    "doubleClick": "autosize",
    "showTips": False,
}


def layout(height: int, **more: Any) -> dict[str, Any]:
    """A layout of this height in pixels with the house's margins."""
    return {
        "height": height,
        "margin": {"l": 52, "r": 14, "t": 10, "b": 26},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": FONT,
        "showlegend": False,
        "hoverlabel": {"font": FONT, "align": "left"},
        **more,
    }


def value_axis(title: str, **more: Any) -> dict[str, Any]:
    """A vertical axis from zero that a drag does not zoom."""
    return {
        "title": {"text": title, "standoff": 6, "font": {"size": 11}},
        "rangemode": "tozero",
        "fixedrange": True,
        "zeroline": False,
        "automargin": False,
        **more,
    }


def rate_axis(title: str, rates: Iterable[Rate], **more: Any) -> dict[str, Any]:
    """An axis of rates; where none is known it shows 0 to 100 %, not whatever a chart makes of nothing."""
    is_known = any(rate.rate is not None for rate in rates)
    return value_axis(title, tickformat=".2~p", **({} if is_known else {"range": [0, 1]}), **more)
