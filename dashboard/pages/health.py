"""Health of this server: is everything that came in stored, rolled up and readable?"""

import asyncio
import time
from collections.abc import Sequence

from dash import html

from analyzer.questions.answers import RequestRecord
from analyzer.questions.ledgers import ledger
from analyzer.questions.pools import load_tests, pools
from analyzer.questions.requests import request_page
from dashboard.controls import pool_name, time_control
from dashboard.numbers_text import ago, count, seconds
from dashboard.panels.fleet_wide import fleet_panel
from dashboard.panels.ledgers import record_ledger, request_ledger
from dashboard.panels.misread import misread, range_complaints
from dashboard.panels.parts import Node, figure, panel
from dashboard.view import View
from dashboard.widgets import Table, Widget
from store.contract import LoadTest, PoolActivity, RequestFilter
from vocabulary.pools import MINUTE_NS, SECOND_NS, Pool


def refresh_s(view: View) -> int:
    """Not for a fixed window."""
    return 10 if view.timeframe.relative else 0


async def bar(view: View) -> Node:
    """Time only."""
    return html.Div([time_control(view)], className="bar")


async def body(view: View) -> Node:
    """Ledgers, rollup, store, and who has sent."""
    reader, window = view.house.reader, view.timeframe.window
    began = time.perf_counter()
    books, known, tests, newest = await asyncio.gather(
        asyncio.to_thread(ledger, reader, window),
        asyncio.to_thread(pools, reader, window),
        asyncio.to_thread(load_tests, reader),
        asyncio.to_thread(request_page, reader, window, RequestFilter(load_test=""), 1, None),
    )
    took_s = time.perf_counter() - began
    say = view.say
    return html.Div(
        [
            misread(view, range_complaints(view)),
            _figures(view, sum(sum(book.rejected.values()) for book in books.ingest.values()), newest.items, took_s),
            html.Div(
                [
                    fleet_panel(
                        view,
                        say("ledger.records"),
                        record_ledger(books.ingest, say),
                        note=say("ledger.all_senders"),
                    ),
                    panel(say("ledger.requests"), request_ledger(books.requests, say), note=say("ledger.all_pools")),
                ],
                className="columns is-1-1",
            ),
            panel(say("health.pools"), _pools(view, known)),
            panel(say("health.load_tests"), _tests(view, tests)) if tests else None,
        ]
    )


def _figures(view: View, rejected: int, newest: Sequence[RequestRecord], took_s: float) -> html.Div:
    say = view.say
    pending, failing = view.house.pending_minutes(), view.house.failing()
    return html.Div(
        [
            figure(say("health.pending"), count(pending), say("health.pending_below")),
            figure(
                say("health.work"),
                ", ".join(say.known("work", name) for name in failing) or say("health.work_runs"),
                say("health.work_fails" if failing else "health.work_below"),
                tone="is-text is-bad" if failing else "is-text is-good",
            ),
            _newest(view, newest),
            figure(say("health.read"), seconds(took_s), say("health.read_below")),
            _rejected(view, rejected),
            figure(say("health.principal"), view.principal.name, say("health.principal_below"), tone="is-text"),
        ],
        className="figures",
    )


def _rejected(view: View, rejected: int) -> html.Div:
    """Records belong to no tenant: how many were rejected is told to those who see the whole fleet."""
    say = view.say
    if view.principal.is_limited:
        return figure(say("health.rejected"), say("limited.untold"), say("limited.figure"), tone="is-text")
    tone = "is-bad" if rejected else "is-good"
    return figure(say("health.rejected"), count(rejected), say("health.rejected_below"), tone=tone)


def _newest(view: View, newest: Sequence[RequestRecord]) -> html.Div:
    """How long ago the newest production request of the window started, and when that was."""
    say = view.say
    if not newest:
        return figure(say("health.last"), say("health.never"), say("health.never_below"))
    start_ns = newest[0].start_ns
    lag = ago(max(0, view.now_ns - start_ns) / SECOND_NS, say("unit.clock"))
    return figure(say("health.last"), lag, say("health.last_below", at=view.clock.second(start_ns)))


def _pools(view: View, known: Sequence[PoolActivity]) -> Widget:
    say = view.say
    columns = [
        {"text": say("column.pool")},
        {"text": say("figure.requests"), "align": "right"},
        {"text": say("column.first")},
        {"text": say("column.last")},
    ]
    rows = [
        {
            "cells": [
                _pool(view, found.pool),
                count(found.requests),
                view.clock.minute(found.first_ns),
                view.clock.minute(found.last_ns - MINUTE_NS),
            ]
        }
        for found in known
    ]
    return Table(caption=say("health.pools"), columns=columns, rows=rows, empty=say("health.no_pools"))


def _tests(view: View, tests: Sequence[LoadTest]) -> Widget:
    say = view.say
    columns = [
        {"text": say("load_test.name")},
        {"text": say("column.pool")},
        {"text": say("figure.requests"), "align": "right"},
        {"text": say("column.first")},
        {"text": say("column.last")},
    ]
    rows = [
        {
            "cells": [
                {"text": test.load_test, "href": view.address.to("/", {"load_test": test.load_test})},
                pool_name(test.pool),
                count(test.requests),
                view.clock.minute(test.first_ns),
                view.clock.minute(test.last_ns - MINUTE_NS),
            ]
        }
        for test in tests
    ]
    return Table(caption=say("health.load_tests"), columns=columns, rows=rows)


def _pool(view: View, pool: Pool) -> dict[str, str]:
    return {"text": pool_name(pool), "href": view.address.to("/", {"service": pool.service, "model": pool.model})}
