"""The overview: is output quality falling with traffic, and how far is the line?"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from dash import dcc, html

from analyzer.questions.answers import Ledger, Overview, TierReport
from analyzer.questions.ledgers import ledger
from analyzer.questions.overview import overview
from analyzer.questions.pools import load_tests, pools
from analyzer.questions.tiers import tier_report
from dashboard.controls import pool_control, pool_name, source_control, time_control
from dashboard.figures.tiers import tier_bars
from dashboard.figures.timeline import Reading, WarningLine, complete_until, settled, timeline
from dashboard.house import AlertView, LineView
from dashboard.latest import newest_activity
from dashboard.numbers_text import count
from dashboard.pages.load_test import load_test_body
from dashboard.panels.alert_tables import brief_table
from dashboard.panels.charts import chart
from dashboard.panels.fleet_wide import fleet_panel, without_fleet_wide
from dashboard.panels.key_figures import LoadNow, key_figures
from dashboard.panels.kinds import kinds
from dashboard.panels.ledgers import record_ledger, request_ledger
from dashboard.panels.misread import load_test_complaints, misread, pool_complaints, range_complaints
from dashboard.panels.parts import Node, panel
from dashboard.panels.set_up import empty_state
from dashboard.panels.tier_table import flag_words, tier_table
from dashboard.view import View
from store.contract import LoadTest, PoolActivity
from vocabulary.errors import PeaklineError
from vocabulary.pools import Pool


@dataclass(frozen=True, slots=True)
class Found:
    """What the overview of a pool rests on; `lines` are those on load, lowest first."""

    answer: Overview
    report: TierReport
    books: Ledger
    alerts: Sequence[AlertView]
    lines: Sequence[WarningLine]


def refresh_s(view: View) -> int:
    """As often as the range moves; a load test is over."""
    return 0 if view.address.get("load_test") else view.timeframe.refresh_s


async def bar(view: View) -> Node:
    """Time, pool and source."""
    try:
        known, tests = await _choices(view)
    except PeaklineError:
        return html.Div([time_control(view)], className="bar")  # the body says what is wrong; another window may do
    test = chosen_test(view, tests)
    source = source_control(view, tests, test) if tests else None
    if test is not None:
        return html.Div([source], className="bar")
    return html.Div(
        [time_control(view), pool_control(view, known, chosen_pool(view, known), any_pool=False), source],
        className="bar",
    )


async def body(view: View) -> Node:
    """Key figures, load and defects over time, tiers, alerts, ledgers; or a load test; or how to begin."""
    known, tests = await _choices(view)
    test = chosen_test(view, tests)
    if test is not None:
        return await load_test_body(view, test)
    pool = chosen_pool(view, known)
    if pool is None:
        is_limited = view.principal.is_limited
        newest = await asyncio.to_thread(newest_activity, view.house.reader, view.now_ns, is_limited=is_limited)
        empty = empty_state(view, view.say("overview.empty"), newest)
        return html.Div([_misread(view, known, tests), _tests_hint(view, tests), empty])
    return html.Div([_misread(view, known, tests), _page(view, pool, await _ask(view, pool))])


async def _choices(view: View) -> tuple[Sequence[PoolActivity], Sequence[LoadTest]]:
    reader, window = view.house.reader, view.timeframe.window
    return await asyncio.gather(
        view.once("pools", lambda: pools(reader, window)), view.once("load_tests", lambda: load_tests(reader))
    )


def chosen_pool(view: View, known: Sequence[PoolActivity]) -> Pool | None:
    """The pool of the address, else the busiest one; None when there is no traffic at all."""
    asked = view.asked_pool
    if asked is not None:
        fitting = [
            found.pool
            for found in known
            if asked.service in {"", found.pool.service} and asked.model in {"", found.pool.model}
        ]
        return fitting[0] if fitting else asked if known else None
    return known[0].pool if known else None


def chosen_test(view: View, tests: Sequence[LoadTest]) -> LoadTest | None:
    """The load test of the address, on its pool where several pools took part."""
    named = [test for test in tests if test.load_test == view.address.get("load_test")]
    return next((test for test in named if test.pool == view.asked_pool), named[0] if named else None)


async def _ask(view: View, pool: Pool) -> Found:
    reader, window, pending = view.house.reader, view.timeframe.window, view.house.pending_minutes()
    answer, report, books, alerts, lines = await asyncio.gather(
        asyncio.to_thread(overview, reader, pool, window, pending_minutes=pending, now_ns=view.now_ns),
        asyncio.to_thread(tier_report, reader, pool, window, pending_minutes=pending, services=view.house.services()),
        asyncio.to_thread(ledger, reader, window),
        asyncio.to_thread(alert_states, view),
        asyncio.to_thread(rule_lines, view, pool),
    )
    drawn = [WarningLine(line.at, line.line_kind, line.rule_id) for line in lines if line.metric == "load"]
    return Found(answer, report, books, alerts, drawn)


def alert_states(view: View) -> Sequence[AlertView]:
    """Where the rules stand; nothing for somebody limited to tenants, since a rule watches everybody's traffic."""
    return () if view.principal.is_limited else view.house.alerts.states()


def rule_lines(view: View, pool: Pool) -> Sequence[LineView]:
    """The lines of the rules; none for somebody limited to tenants, whose own load says nothing about them."""
    return () if view.principal.is_limited else view.house.alerts.rule_lines(pool)


def _page(view: View, pool: Pool, found: Found) -> Node:
    say = view.say
    points = settled(found.answer.points, found.answer.bucket_s, view.now_ns)
    reading = Reading(
        found.answer.bucket_s,
        complete_until(view.now_ns),
        found.answer.is_per_pool,
        is_own=view.principal.is_limited,
    )
    drawn = timeline(points, view.timeframe.window, found.lines, view.clock, say, reading)
    is_fresh = not all(reading.is_complete(point) for point in points)
    lowest = found.lines[0] if found.lines else None
    note = say("overview.buckets", seconds=found.answer.bucket_s, pending=found.answer.basis.pending_minutes)
    return html.Div(
        [
            without_fleet_wide(
                view, key_figures(view, found.answer, found.books, found.alerts, load_now(view, pool, found), lowest)
            ),
            panel(
                say("overview.chart"),
                chart(say("overview.chart"), drawn, "overview"),
                _chart_words(view, found),
                html.P(say("chart.incomplete_words"), className="fine") if is_fresh else None,
                note=note,
                aside=say("overview.drag"),
            ),
            html.Div([_tiers(view, found.report), _kinds(view, found.report)], className="columns is-2-1"),
            _ruler(view, found.report),
            html.Div([_alerts(view, found.alerts), *_ledgers(view, found.books)], className="columns is-3-2-2"),
        ]
    )


def _ruler(view: View, report: TierReport) -> html.Section:
    words = flag_words(report, view.say)
    whole = html.P(view.say("limited.tiers"), className="fine") if view.principal.is_limited else None
    note = view.say("overview.ruler_note")
    return panel(view.say("overview.ruler"), tier_table(report, view.say), whole, words, note=note)


def _alerts(view: View, alerts: Sequence[AlertView]) -> html.Section:
    more = dcc.Link(view.say("overview.all_alerts"), href=view.address.to("/alerts"))
    return fleet_panel(view, view.say("overview.alerts"), brief_table(view, alerts), aside=more)


def _ledgers(view: View, books: Ledger) -> list[html.Section]:
    say = view.say
    return [
        panel(say("ledger.requests"), request_ledger(books.requests, say), note=say("ledger.all_pools")),
        fleet_panel(view, say("ledger.records"), record_ledger(books.ingest, say), note=say("ledger.all_senders")),
    ]


def load_now(view: View, pool: Pool, found: Found) -> LoadNow:
    """The evaluator's latest reading of this pool while the window ends now, else the window's last settled bucket."""
    if view.timeframe.relative:
        for alert in found.alerts:
            if (
                (alert.service, alert.model) == (pool.service, pool.model)
                and alert.metric == "load"
                and alert.value is not None
            ):
                return LoadNow(alert.value, is_per_pool=found.answer.is_per_pool)
    answer = found.answer
    points = settled(answer.points, answer.bucket_s, view.now_ns)
    reading = Reading(answer.bucket_s, complete_until(view.now_ns))
    last = next((point for point in reversed(points) if reading.is_complete(point)), points[-1] if points else None)
    is_own = view.principal.is_limited
    if last is None:
        return LoadNow(None, is_own=is_own)
    return LoadNow(last.load_rps, last.at_ns, answer.is_per_pool, is_own=is_own)


def _chart_words(view: View, found: Found) -> html.P:
    """The chart in a sentence, for those who do not see it."""
    say, total = view.say, found.answer.total
    highest = max((point.load_rps for point in found.answer.points), default=0.0)
    key = "overview.sentence_line" if found.lines else "overview.sentence"
    lines = ", ".join(line.words(say) for line in found.lines)
    asked = found.answer.basis.requests
    defects = (
        say("overview.outcomes_unknown", unknown=count(asked))
        if asked and total.rate is None
        else say("overview.defective", defective=count(total.defective), requests=count(total.requests))
    )
    unit = say("unit.per_pool" if found.answer.is_per_pool else "unit.per_replica")
    told = say(key, lines=lines, highest=f"{highest:.3g}", unit=unit, defects=defects)
    own = f"{say('limited.load')} " if view.principal.is_limited else ""
    return html.P(f"{own}{told}", className="fine")


def _tiers(view: View, report: TierReport) -> html.Section:
    drawn = chart(view.say("overview.tiers"), tier_bars(report.rows, view.say))
    return panel(view.say("overview.tiers"), drawn, note=view.say("overview.tiers_note", pool=pool_name(report.pool)))


def _kinds(view: View, report: TierReport) -> html.Section:
    return panel(view.say("overview.kinds"), kinds(view, report), note=view.say("overview.kinds_note"))


def _misread(view: View, known: Sequence[PoolActivity], tests: Sequence[LoadTest]) -> Node:
    """What of the address is not followed."""
    found = [*range_complaints(view), *pool_complaints(view, known), *load_test_complaints(view, tests)]
    return misread(view, found)


def _tests_hint(view: View, tests: Sequence[LoadTest]) -> Node:
    if not tests:
        return None
    links = [
        html.Li(html.A(test.load_test, href=view.address.href({"load_test": test.load_test}))) for test in tests[:10]
    ]
    return panel(view.say("overview.only_tests"), html.Ul(links))
