"""From an address to a page: one callback draws, one refreshes, one shows a picked span, one renews lists."""

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, ctx, html, no_update
from dash.dependencies import ALL
from dash.exceptions import PreventUpdate

from dashboard.address import Address
from dashboard.callbacks import register
from dashboard.house import DashboardHouse, HouseFor
from dashboard.pages.request import selected_span
from dashboard.pages.settings import lists
from dashboard.pages.table import Page, find
from dashboard.panels.fleet_wide import not_for_limited
from dashboard.panels.parts import Node, message
from dashboard.principal import allow, allow_whole_fleet, caller, session_left_s
from dashboard.shell import choices, menu, meta
from dashboard.view import View, Visit, look
from dashboard.widgets import Ticker
from vocabulary.access import Permission
from vocabulary.errors import PeaklineError

_LOG = logging.getLogger(__name__)
_TICKER_TEXTS = ("live", "late", "paused", "pause", "resume")


def page_view(house: DashboardHouse, path: str | None, search: str | None, visit: Visit) -> tuple[Page, View]:
    """The page of an address and the look at it.

    raises  NotAllowedError when the caller may not open the page
    """
    address = Address.parse(path, search)
    page, parts = find(address.path)
    allow(house.principal, page.needs)
    return page, look(house, address, visit, parts, page.default_range)


async def draw(page: Page, view: View) -> tuple[Node, ...]:
    """Everything that the router fills: meta, menu, choices, head, bar, body."""
    bar, content = await asyncio.gather(
        guarded(view, page.bar(view)) if page.bar else _nothing(), guarded(view, body(page, view))
    )
    return (
        meta(view, page),
        menu(view, page),
        choices(view),
        _head(page, view),
        bar,
        html.Div(content, key=view.address.path),
    )


async def body(page: Page, view: View) -> Node:
    """The page's own, or why somebody limited to tenants gets none of it."""
    return not_for_limited(view) if is_out_of_scope(page, view) else await page.body(view)


def is_out_of_scope(page: Page, view: View) -> bool:
    """Whether the page is about the whole fleet and the caller sees a part of it only."""
    return page.whole_fleet and view.principal.is_limited


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
    period = 0 if is_out_of_scope(page, view) else page.refresh_s(view)
    texts = {key: view.say(f"ticker.{key}", seconds=period) for key in _TICKER_TEXTS}
    ticker = Ticker(id="ticker", period_s=period, tick=0, done=0, texts=texts) if period else None
    return html.Div(
        [html.H1(view.say(f"page.{page.name}")), html.P(view.say(f"page.{page.name}_about")), ticker],
        className="page-head",
    )


class Callbacks:
    """What the server does for a page in the browser; each verb asks for the house of its own caller."""

    def __init__(self, house_for: HouseFor) -> None:
        self._house_for = house_for

    def _seen(self, path: str | None, search: str | None) -> tuple[Page, View]:
        visit = Visit(ctx.cookies, ctx.headers.get("accept-language", ""), session_left_s())
        return page_view(self._house_for(caller()), path, search, visit)

    async def show(self, path: str | None, search: str | None) -> tuple[Node, ...]:
        """The page of the address and everything around it."""
        return await draw(*self._seen(path, search))

    async def refresh(self, tick: int | None, path: str | None, search: str | None) -> tuple[Node, Any]:
        """The body again; the tick that was asked for says that it is answered."""
        if not tick:
            raise PreventUpdate
        page, view = self._seen(path, search)
        return html.Div(await guarded(view, body(page, view)), key=view.address.path), tick

    async def pick(
        self, span_id: str | None, trace: Mapping[str, str] | None, path: str | None, search: str | None
    ) -> Node:
        """The span that was picked in a waterfall."""
        if not span_id or not trace or not ctx.triggered_id:
            return no_update
        _, view = self._seen(path, search)
        return await guarded(view, selected_span(view, trace["trace_id"], span_id))

    async def renew(self, count: int | None, path: str | None, search: str | None) -> tuple[Any, ...]:
        """Rows of tokens and users again, after one of them was changed; `count` counts the changes of this page."""
        if not count:
            raise PreventUpdate
        _, view = self._seen(path, search)
        allow_whole_fleet(view.principal)
        return tuple(table.rows for table in await lists(view))


def add_callbacks(dash: Dash, house_for: HouseFor) -> None:
    """Register all callbacks; every server-side one is a coroutine and checked, which `finish_dashboard` makes sure.

    Those that draw a page need what the page needs; there is no house but that of the caller.
    """
    own = Callbacks(house_for)
    where = (State("url", "pathname"), State("url", "search"))
    drawn = [Output(place, "children") for place in ("meta", "menu", "choices", "head", "bar", "body")]
    register(dash, None, *drawn, Input("url", "pathname"), Input("url", "search"))(own.show)
    again = (Output("body", "children", allow_duplicate=True), Output("ticker", "done"), Input("ticker", "tick"))
    register(dash, None, *again, *where, prevent_initial_call=True)(own.refresh)
    picked = (Output("span", "children"), Input("waterfall", "selected"), State("trace", "data"))
    register(dash, Permission.READ, *picked, *where, prevent_initial_call=True)(own.pick)
    listed = (Output("tokens", "rows"), Output("users", "rows"), Input("changed", "count"))
    register(dash, Permission.READ_SETTINGS, *listed, *where, prevent_initial_call=True)(own.renew)
    dragged = Input({"type": "time-chart", "name": ALL}, "relayoutData")
    zoom = ClientsideFunction("peakline", "zoom")
    dash.clientside_callback(zoom, Output("zoomed", "data"), dragged, prevent_initial_call=True)
