"""Requests per defect kind over all tiers of a report, as bars with counts."""

from dash import html

from analyzer.questions.answers import TierReport
from dashboard.numbers_text import count
from dashboard.timeframe import as_parameters
from dashboard.view import View
from vocabulary.outcomes import DEFECT_NAMES


def kinds(view: View, report: TierReport) -> html.Div:
    """Kinds by count, each a link to its requests; counts alone, so no rate stands without its interval.

    Where no outcome is known nothing is said not to have occurred.
    """
    known = sum(row.rate.requests for row in report.rows)
    unknown = sum(row.unknown for row in report.rows)
    untold = html.P(view.say("kinds.unknown", unknown=count(unknown)), className="fine") if unknown else None
    if unknown and not known:
        return html.Div([untold], className="bars")
    totals = {kind: sum(row.defects.get(kind, 0) for row in report.rows) for kind in DEFECT_NAMES}
    seen = sorted((kind for kind in totals if totals[kind]), key=lambda kind: -totals[kind])
    most = max(totals.values(), default=0) or 1
    never = [view.say.known("defect", kind) for kind in DEFECT_NAMES if not totals[kind]]
    rows = [_bar(view, report, kind, totals[kind] / most, totals[kind]) for kind in seen]
    note = view.say("kinds.never", kinds=", ".join(never)) if never else ""
    return html.Div([*rows, html.P(note, className="fine"), untold], className="bars")


def _bar(view: View, report: TierReport, kind: str, share: float, found: int) -> html.Div:
    pool = report.pool
    named = {"service": pool.service, "model": pool.model, "load_test": report.load_test or None, "defect": kind}
    if report.load_test:
        named |= as_parameters(report.basis.window)
    return html.Div(
        [
            html.A(
                view.say.known("defect", kind),
                href=view.address.to("/requests", named),
                title=view.say.known("defect_help", kind),
            ),
            html.Div(
                html.Div(className=f"bar-fill kind-{kind}", style={"width": f"{share * 100:.1f}%"}),
                className="bar-track",
            ),
            html.Span(count(found), className="bar-value"),
        ],
        className="bar-row",
    )
