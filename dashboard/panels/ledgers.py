"""Both ledgers: what became of every request and of every record; losses stand first and loud."""

from collections.abc import Mapping

from dash import html

from analyzer.questions.answers import RequestLedger, SignalLedger
from dashboard.numbers_text import count
from dashboard.palette import OUTCOME_COLOURS
from dashboard.panels.parts import aria, chip
from dashboard.wording import Wording

_INDEPENDENT = {"in_flight", "lost"}
_OUTCOMES = ("completed", "failed", "timed_out", "aborted", "in_flight", "lost", "unknown")


def request_ledger(book: RequestLedger, say: Wording) -> html.Div:
    """Offered = admitted + rejected, and what became of the admitted."""
    parts = {name: int(getattr(book, name)) for name in _OUTCOMES}
    verified = chip(
        say.known("verified", book.verified), "amber" if book.verified == "unverified" else "good", "unknown"
    )
    head = html.P(
        [
            html.B(count(book.offered)), f" {say('ledger.offered')} = ",
            html.B(count(book.admitted)), f" {say('ledger.admitted')} + ",
            html.B(count(book.rejected)), f" {say('ledger.rejected')} ", verified,
        ],
        className="equation",
    )  # fmt: skip
    rows = [_line(say.known("outcome", name), told(book, name), name, say) for name in parts]
    return html.Div([head, _stack(parts, book.admitted, say), html.Table(html.Tbody(rows), className="ledger")])


def record_ledger(signals: Mapping[str, SignalLedger], say: Wording) -> html.Div | html.P:
    """Per signal: received = stored + duplicate + rejected by reason."""
    if not signals:
        return html.P(say("ledger.nothing_received"), className="fine")
    return html.Div([_signal(name, book, say) for name, book in signals.items()])


def _signal(name: str, book: SignalLedger, say: Wording) -> html.Div:
    rejected = sum(book.rejected.values())
    head = html.P(
        [
            html.B(say.known("signal", name)), " ", html.B(count(book.received)), f" {say('ledger.received')} = ",
            html.B(count(book.stored)), f" {say('ledger.stored')} + ", html.B(count(book.duplicate)),
            f" {say('ledger.duplicate')} + ",
            html.B(count(rejected), className="loss" if rejected else None), f" {say('ledger.rejected')}",
        ],
        className="equation",
    )  # fmt: skip
    reasons = [_line(say.known("reason", reason), value, "loss", say) for reason, value in book.rejected.items()]
    return html.Div([head, html.Table(html.Tbody(reasons), className="ledger") if reasons else None])


def told(book: RequestLedger, name: str) -> int | None:
    """A part of the ledger; None where rows cannot tell it and nothing independent of them does."""
    value = int(getattr(book, name))
    is_untold = name in _INDEPENDENT and book.verified == "unverified" and not value
    return None if is_untold else value


def _line(name: str, value: int | None, tone: str, say: Wording) -> html.Tr:
    shown = say("field.unknown") if value is None else count(value)
    is_loss = tone in {"lost", "loss"} and bool(value)
    return html.Tr(
        [html.Th([html.I(className=f"swatch swatch-{tone}"), name], scope="row"), html.Td(shown)],
        className="is-loss" if is_loss else "faint" if not value else None,
    )


def _stack(parts: Mapping[str, int], whole: int, say: Wording) -> html.Div:
    pieces = [
        html.Div(
            className=f"stack-piece stack-{name}",
            style={"width": f"{value / whole * 100:.3f}%", "background": OUTCOME_COLOURS.get(name, "#8A929B")},
            title=f"{say.known('outcome', name)}: {count(value)}",
        )
        for name, value in parts.items()
        if value and whole
    ]
    return html.Div(pieces, className="stack", role="img", **aria(say("ledger.stack")))
