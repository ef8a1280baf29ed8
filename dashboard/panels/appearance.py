"""Language and colours: the reader's own, kept by the browser."""

from dash import dcc, html

from dashboard.panels.parts import Node, aria
from dashboard.view import View
from dashboard.widgets import ThemeChoice
from dashboard.wording import LANGUAGES

THEMES = ("light", "dark", "auto")
"""As Mantine names them; `auto` follows the system."""


def appearance(view: View) -> Node:
    """Two choices, each with what holds now."""
    say = view.say
    languages = html.Div(
        [_language(view, code, name) for code, name in LANGUAGES.items()],
        className="segments",
        role="group",
        **aria(say("appearance.language")),
    )
    options = [{"value": theme, "text": say(f"theme.{theme}")} for theme in THEMES]
    return html.Div(
        [
            html.Div([html.Span(say("appearance.language"), className="legend-text"), languages]),
            ThemeChoice(id="theme", label=say("appearance.theme"), options=options),
        ],
        className="appearance",
    )


def _language(view: View, code: str, name: str) -> dcc.Link:
    is_chosen = code == view.say.language
    return dcc.Link(
        name,
        href=view.address.href({"lang": code}),
        className="segment is-chosen" if is_chosen else "segment",
    )
