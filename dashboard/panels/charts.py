"""A chart in its frame: its height is kept free before it is drawn, and its label says what it shows."""

from typing import Any

from dash import dcc, html

from dashboard.figures.style import CONFIG
from dashboard.panels.parts import aria


def chart(label: str, figure: dict[str, Any], time_axis: str = "") -> html.Div:
    """A figure of `dashboard.figures`; one with a name for its time axis sets the page's window when it is dragged."""
    height = f"{figure['layout']['height']}px"
    more: dict[str, Any] = {"id": {"type": "time-chart", "name": time_axis}} if time_axis else {}
    graph = dcc.Graph(figure=figure, config=CONFIG, style={"height": height}, **more)
    return html.Div(graph, role="img", className="chart", style={"minHeight": height}, **aria(label))
