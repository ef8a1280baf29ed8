"""Set-up: the exact lines to paste, and whether anything has come."""

import asyncio

from dash import html

from analyzer.questions.ledgers import ledger
from analyzer.questions.pools import load_tests
from dashboard.latest import newest_activity
from dashboard.panels.fleet_wide import fleet_panel
from dashboard.panels.ledgers import record_ledger
from dashboard.panels.parts import Node, panel
from dashboard.panels.set_up import paste_blocks, waiting_light
from dashboard.timeframe import RANGES
from dashboard.view import View
from vocabulary.pools import SECOND_NS, Window


def refresh_s(view: View) -> int:
    """Somebody waits for the light to turn; counts for some tenants cost more, so they are asked for less often."""
    return 15 if view.principal.is_limited else 3


async def body(view: View) -> Node:
    """The light, the lines, and what was received in the last day."""
    reader, is_limited = view.house.reader, view.principal.is_limited
    day = Window(view.now_ns - RANGES["24h"] * SECOND_NS, view.now_ns + SECOND_NS)
    newest, tests, books = await asyncio.gather(
        asyncio.to_thread(newest_activity, reader, view.now_ns + SECOND_NS, is_limited=is_limited),
        asyncio.to_thread(load_tests, reader),
        asyncio.to_thread(ledger, reader, day),
    )
    seen = [found.last_ns for found in (newest, *tests) if found is not None]
    last_ns = max(seen, default=None)
    say = view.say
    return html.Div(
        [
            waiting_light(view, last_ns),
            panel(say("setup.title"), paste_blocks(view.house.endpoints(), say), note=say("setup.note")),
            fleet_panel(view, say("ledger.records"), record_ledger(books.ingest, say), note=say("setup.last_day")),
        ]
    )
