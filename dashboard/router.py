"""From an address to a page: one callback draws, one refreshes, one shows a picked span."""

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, ctx, html, no_update
from dash.dependencies import ALL
from dash.exceptions import PreventUpdate

from dashboard.address import Address
from dashboard.house import DashboardHouse
from dashboard.pages.request import selected_span
from dashboard.pages.table import Page, find
from dashboard.panels.parts import Node, message
from dashboard.principal import seen_by_caller
from dashboard.shell import choices, menu, meta
from dashboard.view import View, look
from dashboard.widgets import Ticker
from vocabulary.errors import PeaklineError

_LOG = logging.getLogger(__name__)
_TICKER_TEXTS = ("live", "late", "paused", "pause", "resume")


def page_view(
    house: DashboardHouse, path: str | None, search: str | None, cookies: Mapping[str, str]
) -> tuple[Page, View]:
    """The page of an address and the look at it."""
    address = Address.parse(path, search)
    page, parts = find(address.path)
    return page, look(house, address, cookies, parts, page.default_range)


async def draw(page: Page, view: View) -> tuple[Node, ...]:
    """Everything that the router fills: meta, menu, choices, head, bar, body."""
    bar, body = await asyncio.gather(
        guarded(view, page.bar(view)) if page.bar else _nothing(), guarded(view, page.body(view))
    )
    return (
        meta(view, page),
        menu(view, page),
        choices(view),
        _head(page, view),
        bar,
        html.Div(body, key=view.address.path),
    )


async def guarded(view: View, part: Awaitable[Node]) -> Node:
    """The part, or what went wrong in words: one failing question must not blank the page."""
    try:
        return await part
    except PeaklineError as error:
        return message(view.say("error.title"), str(error), "bad")
    except Exception:  # noqa: BLE001 - logged with its traceback; the other parts of the page still stand
        _LOG.exception("drawing %s failed", view.address.path)
        return message(view.say("error.title"), view.say("error.text"), "bad")


async def _nothing() -> Node:
    return None


def _head(page: Page, view: View) -> html.Div:
    period = page.refresh_s(view)
    texts = {key: view.say(f"ticker.{key}", seconds=period) for key in _TICKER_TEXTS}
    ticker = Ticker(id="ticker", period_s=period, tick=0, done=0, texts=texts) if period else None
    return html.Div(
        [html.H1(view.say(f"page.{page.name}")), html.P(view.say(f"page.{page.name}_about")), ticker],
        className="page-head",
    )


def add_callbacks(dash: Dash, house: DashboardHouse) -> None:
    """Register all callbacks; every server-side one is a coroutine, which `finish_dashboard` checks."""

    async def show(path: str | None, search: str | None) -> tuple[Node, ...]:
        page, view = page_view(seen_by_caller(house), path, search, ctx.cookies)
        return await draw(page, view)

    async def refresh(tick: int | None, path: str | None, search: str | None) -> tuple[Node, Any]:
        if not tick:
            raise PreventUpdate
        page, view = page_view(seen_by_caller(house), path, search, ctx.cookies)
        return html.Div(await guarded(view, page.body(view)), key=view.address.path), tick

    async def pick(span_id: str | None, trace: Mapping[str, str] | None, path: str | None, search: str | None) -> Node:
        if not span_id or not trace or not ctx.triggered_id:
            return no_update
        _, view = page_view(seen_by_caller(house), path, search, ctx.cookies)
        return await guarded(view, selected_span(view, trace["trace_id"], span_id))

    where = (State("url", "pathname"), State("url", "search"))
    drawn = [Output(place, "children") for place in ("meta", "menu", "choices", "head", "bar", "body")]
    dash.callback(*drawn, Input("url", "pathname"), Input("url", "search"))(show)
    again = (Output("body", "children", allow_duplicate=True), Output("ticker", "done"), Input("ticker", "tick"))
    dash.callback(*again, *where, prevent_initial_call=True)(refresh)
    picked = (Output("span", "children"), Input("waterfall", "selected"), State("trace", "data"))
    dash.callback(*picked, *where, prevent_initial_call=True)(pick)
    dragged = Input({"type": "time-chart", "name": ALL}, "relayoutData")
    zoom = ClientsideFunction("peakline", "zoom")
    dash.clientside_callback(zoom, Output("zoomed", "data"), dragged, prevent_initial_call=True)
