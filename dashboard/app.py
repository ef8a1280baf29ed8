"""The dashboard on the server's FastAPI application: mounting, and the set-up that Dash would otherwise do late."""

import inspect
from pathlib import Path
from typing import Any

from dash import Dash
from dash.backends._fastapi import reset_current_request, set_current_request  # Dash has no public way
from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse

from dashboard.document import DocumentDash
from dashboard.house import DashboardHouse
from dashboard.pages.table import MISSING, PAGES, find
from dashboard.principal import PrincipalRequired
from dashboard.router import add_callbacks
from dashboard.shell import frame

RESERVED = ("api", "v1", "metrics")
"""First path parts that are never pages: machines ask there, and they must not get a page with status 200."""


class SyncCallbackError(AssertionError):
    """A callback is no coroutine: it would block the event loop that receives telemetry."""


def mount_dashboard(app: FastAPI, house: DashboardHouse) -> Dash:
    """Add the dashboard to `app`; call it after all other routes, because it answers every GET that is left.

    From here on the whole application refuses requests without a principal; see `dashboard.principal`.
    An unknown path gets the not-found page with status 404; under RESERVED it gets a plain 404 without a page.
    """
    options: dict[str, Any] = {"server": app, "update_title": None}  # Dash's annotations know neither
    dash = DocumentDash(
        __name__,
        pages_folder="",
        use_pages=False,
        assets_folder=str(Path(__file__).parent / "assets"),
        assets_ignore=r"boot\.js",
        suppress_callback_exceptions=True,
        title="Peakline",
        compress=False,
        serve_locally=True,
        add_log_handler=False,
        enable_mcp=False,
        **options,
    )
    app.add_middleware(PrincipalRequired)
    dash.layout = frame
    add_callbacks(dash, house)
    _add_pages(app, dash)
    return dash


async def finish_dashboard(dash: Dash) -> None:
    """Run in the lifespan, before the first request: a deep link may be the first thing a fresh process gets.

    raises  SyncCallbackError when a server-side callback is not `async def`
    """
    backend: Any = dash.backend
    for prepare in backend._before_request_funcs:  # noqa: SLF001 - Dash runs these only for "/" and its own paths
        done = prepare()
        if inspect.isawaitable(done):
            await done
    blocking = [name for name, entry in dash.callback_map.items() if is_blocking(entry)]
    if blocking:
        message = f"callbacks must be async def: {', '.join(blocking)}"
        raise SyncCallbackError(message)


def is_blocking(entry: dict[str, object]) -> bool:
    """Whether a registered callback would run on the event loop without giving it up; client-side ones have none."""
    function = entry.get("callback")
    return function is not None and not inspect.iscoroutinefunction(function)


def _add_pages(app: FastAPI, dash: Dash) -> None:
    async def page(request: Request) -> HTMLResponse:
        token = set_current_request(request)
        try:
            found, _ = find(request.url.path)
            return HTMLResponse(dash.index(), 404 if found is MISSING else 200)
        finally:
            reset_current_request(token)

    async def nothing(_request: Request) -> HTMLResponse:
        return HTMLResponse("", 404)

    for reserved in RESERVED:
        app.add_api_route(f"/{reserved}/{{rest:path}}", nothing, methods=["GET"], include_in_schema=False)
    for known in PAGES:
        if known.path != "/":
            app.add_api_route(known.path, page, methods=["GET"], include_in_schema=False)
    app.add_api_route("/{rest:path}", page, methods=["GET"], include_in_schema=False)
