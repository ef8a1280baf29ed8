"""An address that is no page."""

from dash import dcc, html

from dashboard.panels.parts import Node
from dashboard.view import View


async def body(view: View) -> Node:
    """What was asked for, and where to go."""
    say = view.say
    return html.Div(
        [
            html.H2(say("missing.title")),
            html.P([say("missing.text"), " ", html.Code(view.address.path)]),
            dcc.Link(say("missing.home"), href=view.address.to("/"), className="button"),
        ],
        className="panel missing",
    )
