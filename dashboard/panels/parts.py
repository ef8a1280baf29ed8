"""Building blocks of panels: frames, chips, key figures, facts."""

from collections.abc import Sequence
from typing import Any

from dash import html

from dashboard.widgets import Icon
from dashboard.wording import Wording
from vocabulary.outcomes import Outcome

Node = Any
"""A Dash component, a text, or None."""

OUTCOME_ICONS: dict[str, str] = {
    Outcome.COMPLETED: "ok",
    Outcome.FAILED: "fail",
    Outcome.TIMED_OUT: "clock",
    Outcome.ABORTED: "stop",
    Outcome.REJECTED: "block",
    Outcome.UNKNOWN: "unknown",
}
STATE_ICONS: dict[str, str] = {"firing": "warn", "pending": "clock", "resolved": "ok", "inactive": "dot"}


def aria(label: str) -> dict[str, Any]:
    """The accessible name of an element, to be unpacked into its properties."""
    return {"aria-label": label}


def panel(title: str, *children: Node, note: Node = None, aside: Node = None) -> html.Section:
    """A framed part of a page; `note` stands beside the title, `aside` at the far end."""
    head = html.Header([html.H2(title), html.Span(note, className="note"), html.Span(aside, className="aside")])
    return html.Section([head, *children], className="panel")


def figure(label: Node, value: Node, below: Node = "", *, tone: str = "", href: str = "", title: str = "") -> html.Div:
    """A key figure with the evidence that must stand under it."""
    shown = html.A(value, href=href) if href else value
    return html.Div(
        [
            html.Div(label, className="figure-label"),
            html.Div(shown, className="figure-value"),
            html.Div(below, className="figure-below"),
        ],
        className=f"figure {tone}".strip(),
        title=title or None,
    )


def chip(text: str, tone: str, icon: str = "", *, title: str = "") -> html.Span:
    """A small label: icon and text say what the colour says."""
    return html.Span([Icon(name=icon) if icon else None, text], className=f"chip chip-{tone}", title=title or None)


def outcome_chip(outcome: str, say: Wording) -> html.Span:
    """How a request ended."""
    return chip(say.known("outcome", outcome), f"outcome-{outcome}", OUTCOME_ICONS.get(outcome, "unknown"))


def synthetic_chip(say: Wording) -> html.Span:
    """Traffic that was made from counts, and says so."""
    return chip(say("mark.synthetic"), "amber", "unknown", title=say("mark.synthetic_help"))


def state_chip(state: str, say: Wording) -> html.Span:
    """Where an alert stands."""
    return chip(say.known("state", state), f"state-{state}", STATE_ICONS.get(state, "dot"))


def facts(rows: Sequence[tuple[str, Node]]) -> html.Dl:
    """Names and values, one pair a line."""
    return html.Dl([html.Div([html.Dt(name), html.Dd(value)]) for name, value in rows], className="facts")


def message(title: str, text: Node, tone: str = "note") -> html.Div:
    """Something a reader must know before the rest makes sense."""
    icon = "warn" if tone == "bad" else "unknown"
    return html.Div(
        [Icon(name=icon), html.Div([html.Strong(title), html.Div(text)])],
        className=f"message message-{tone}",
        role="alert" if tone == "bad" else "note",
    )
