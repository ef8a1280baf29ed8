"""A load test instead of production: what each step of offered rate did."""

import asyncio
from collections.abc import Sequence

from dash import html

from analyzer.questions.answers import TierReport
from analyzer.questions.pools import window_of
from analyzer.questions.synthetic import is_synthetic
from analyzer.questions.tiers import tier_report
from dashboard.controls import pool_name
from dashboard.figures.steps import step_chart
from dashboard.numbers_text import UNKNOWN, count
from dashboard.panels.charts import chart
from dashboard.panels.kinds import kinds
from dashboard.panels.parts import Node, figure, panel, synthetic_chip
from dashboard.panels.tier_table import flag_words, tier_table
from dashboard.view import View
from store.contract import LoadTest


async def load_test_body(view: View, test: LoadTest) -> Node:
    """Figures, the per-step chart, and the same ruler as for production."""
    window = window_of(test)
    pending = view.house.pending_minutes()
    reader, services = view.house.reader, view.house.services()
    report, is_marked = await asyncio.gather(
        asyncio.to_thread(
            tier_report,
            reader,
            test.pool,
            window,
            load_test=test.load_test,
            pending_minutes=pending,
            services=services,
        ),
        asyncio.to_thread(is_synthetic, reader, test),
    )
    say = view.say
    drawn = chart(say("load_test.chart"), step_chart(report.rows, say))
    span = f"{view.clock.minute(window.start_ns)} – {view.clock.minute(window.end_ns)}"
    return html.Div(
        [
            _figures(view, test, report, [synthetic_chip(say)] if is_marked else []),
            html.Div(
                [
                    panel(say("load_test.chart"), drawn, note=pool_name(test.pool), aside=span),
                    panel(say("overview.kinds"), kinds(view, report), note=say("overview.kinds_note")),
                ],
                className="columns is-2-1",
            ),
            panel(
                say("load_test.ruler"),
                tier_table(report, say),
                flag_words(report, say),
                note=say("load_test.ruler_note"),
            ),
        ]
    )


def _figures(view: View, test: LoadTest, report: TierReport, marks: Sequence[Node]) -> html.Div:
    say = view.say
    defective = sum(row.rate.defective for row in report.rows)
    known = sum(row.rate.requests for row in report.rows)
    unknown = sum(row.unknown for row in report.rows)
    return html.Div(
        [
            figure([say("load_test.name"), *marks], test.load_test, say("load_test.outside")),
            figure(say("load_test.steps"), str(len(report.rows)), say("load_test.steps_below")),
            figure(
                say("figure.requests"), count(report.basis.requests), say("load_test.unknown", unknown=count(unknown))
            ),
            figure(
                say("load_test.defective"),
                count(defective) if known or not unknown else UNKNOWN,
                f"n = {count(known)}"
                if known or not unknown
                else say("figure.outcomes_unknown", unknown=count(unknown)),
            ),
        ],
        className="figures",
    )
