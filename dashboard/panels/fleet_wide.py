"""What is about the whole fleet, for somebody who is limited to tenants: a sentence, never an empty table or a zero."""

from typing import Any

from dash import html

from dashboard.access_text import tenants_text
from dashboard.panels.parts import Node, figure, message, panel
from dashboard.view import View

FLEET_WIDE = ("/alerts", "/health")
"""Where key figures lead that count what belongs to no tenant: alerts, and records lost or rejected."""


def not_for_limited(view: View) -> html.Div:
    """In the place of a whole page."""
    say = view.say
    text = say("limited.page", tenants=tenants_text(view.principal.tenants, say))
    return html.Div([html.H2(say("limited.title"), className="unseen"), message(say("limited.title"), text)])


def limited_panel(view: View, title: str) -> html.Section:
    """In the place of a panel."""
    return panel(title, html.P(view.say("limited.panel"), className="fine"))


def fleet_panel(view: View, title: str, content: Node, *, note: Node = None, aside: Node = None) -> html.Section:
    """A panel about the whole fleet, for who may see all of it."""
    if view.principal.is_limited:
        return limited_panel(view, title)
    return panel(title, content, note=note, aside=aside)


def without_fleet_wide(view: View, row: html.Div) -> html.Div:
    """A row of key figures in which those about the whole fleet tell no number to somebody limited to tenants."""
    if not view.principal.is_limited:
        return row
    figures: list[Any] = row.children or []
    told = [_untold(view, one) if _leads_to(one).partition("?")[0] in FLEET_WIDE else one for one in figures]
    return html.Div(told, className="figures")


def _leads_to(one: Any) -> str:
    """Where the value of a figure leads, '' for nowhere."""
    href: str = getattr(one.children[1].children, "href", "")
    return href


def _untold(view: View, one: Any) -> html.Div:
    return figure(one.children[0].children, view.say("limited.untold"), view.say("limited.figure"), tone="is-text")
