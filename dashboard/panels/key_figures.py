"""The row of key figures on top of the overview."""

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html

from analyzer.questions.answers import Ledger, Overview
from dashboard.figures.timeline import AMBER_SHARE, WarningLine
from dashboard.house import AlertView
from dashboard.numbers_text import count, evidence, load, percent, short_count
from dashboard.panels.ledgers import told
from dashboard.panels.parts import Node, aria, chip, figure
from dashboard.view import View


@dataclass(frozen=True, slots=True)
class LoadNow:
    """Load per ready replica and where it was read.

    rps    requests per second per ready replica, None when nothing is known
    at_ns  start of the bucket, None for the alert evaluator's latest reading
    is_per_pool  it is that of the whole pool, because no request names its replica
    is_own       it is what some tenants add to it, for somebody limited to these: no line is about that
    """

    rps: float | None
    at_ns: int | None = None
    is_per_pool: bool = False
    is_own: bool = False

    def label(self, view: View) -> str:
        """What the figure is called: now only where it is of now."""
        shared = "figure.load_pool" if self.is_per_pool else "figure.load"
        what = view.say("figure.load_own" if self.is_own else shared)
        if self.at_ns is None:
            return view.say("figure.load_now", what=what)
        return view.say("figure.load_last", what=what, at=view.clock.minute_of_day(self.at_ns))


def key_figures(
    view: View,
    answer: Overview,
    books: Ledger,
    alerts: Sequence[AlertView],
    now: LoadNow,
    line: WarningLine | None,
) -> html.Div:
    """Requests, defect rate, load against the line, alerts firing, records lost or rejected."""
    return html.Div(
        [
            _requests(view, answer),
            _defects(view, answer),
            _load(view, now, line),
            _alerts(view, alerts),
            _losses(view, books),
        ],
        className="figures",
    )


def _requests(view: View, answer: Overview) -> html.Div:
    per_second = answer.basis.requests / view.timeframe.window.seconds
    below = view.say("figure.requests_below", rps=load(per_second))
    return figure(
        view.say("figure.requests"), short_count(answer.basis.requests), below, title=count(answer.basis.requests)
    )


def _defects(view: View, answer: Overview) -> html.Div:
    is_untold = answer.total.rate is None and answer.basis.requests > 0
    below = (
        view.say("figure.outcomes_unknown", unknown=count(answer.basis.requests))
        if is_untold
        else evidence(answer.total, view.say("unit.level95"))
    )
    pool = answer.pool
    named = {} if pool is None else {"service": pool.service, "model": pool.model}
    href = view.address.to("/requests", {**named, "defect": "any"})
    is_bad = bool(answer.total.defective)
    return figure(
        view.say("figure.defect_rate"), percent(answer.total.rate), below, tone="is-defect" if is_bad else "", href=href
    )


def _load(view: View, now: LoadNow, line: WarningLine | None) -> html.Div:
    say = view.say
    value: list[Node] = [load(now.rps), html.Small(f" {say('unit.rps')}")]
    if now.is_own:
        return figure(now.label(view), value, say("figure.line_untold"))
    if line is None or now.rps is None:
        where = say("figure.no_line") if line is None else say("figure.no_load")
        return figure(now.label(view), value, where)
    share = now.rps / line.rps
    tone = "is-bad" if share >= 1 else "is-amber" if share >= AMBER_SHARE else ""
    word = say("figure.over_line") if share >= 1 else say("figure.amber_zone") if tone else ""
    kind = say.known("line_kind", line.kind)
    text = say("figure.load_below", share=f"{share * 100:.0f}", kind=kind, line=load(line.rps))
    text += f" · {say('figure.by_end' if now.at_ns is None else 'figure.by_start')}"
    label = [now.label(view), chip(word, "bad" if share >= 1 else "amber", "warn") if word else None]
    return figure(label, value, [_gauge(share, text), text], tone=tone)


def _gauge(share: float, text: str) -> html.Div:
    """How much of the way to the line is used: full width is 125 % of it."""
    full = 1.25
    return html.Div(
        [
            html.Div(className="gauge-fill", style={"width": f"{min(1, share / full) * 100:.1f}%"}),
            html.Div(className="gauge-mark is-amber", style={"left": f"{AMBER_SHARE / full * 100:.1f}%"}),
            html.Div(className="gauge-mark is-line", style={"left": f"{1 / full * 100:.1f}%"}),
        ],
        className="gauge",
        role="img",
        **aria(text),
    )


def _alerts(view: View, alerts: Sequence[AlertView]) -> html.Div:
    firing = sum(alert.state == "firing" for alert in alerts)
    pending = sum(alert.state == "pending" for alert in alerts)
    below = view.say("figure.alerts_below", pending=pending, rules=len({alert.rule_id for alert in alerts}))
    tone = "is-bad" if firing else "is-amber" if pending else ""
    return figure(view.say("figure.alerts"), str(firing), below, tone=tone, href=view.address.to("/alerts"))


def _losses(view: View, books: Ledger) -> html.Div:
    rejected = sum(sum(signal.rejected.values()) for signal in books.ingest.values())
    received = sum(signal.received for signal in books.ingest.values())
    gone = rejected + books.requests.lost
    lost = told(books.requests, "lost")
    lost_text = view.say("field.unknown") if lost is None else count(lost)
    below: Node = view.say("figure.losses_below", received=short_count(received), lost=lost_text)
    return figure(
        view.say("figure.losses"),
        count(gone),
        below,
        tone="is-bad" if gone else "is-good",
        href=view.address.to("/health"),
    )
