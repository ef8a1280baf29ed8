"""The dashboard on the server's FastAPI application: mounting, and the set-up that Dash would otherwise do late."""

import inspect
from pathlib import Path
from typing import Any

from dash import Dash
from dash.backends._fastapi import reset_current_request, set_current_request  # Dash has no public way
from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from dashboard.access_rules import CATCH_ALL, PUBLIC
from dashboard.callbacks import unchecked_callbacks
from dashboard.document import DocumentDash
from dashboard.house import HouseFor
from dashboard.malformed import KnownFiles
from dashboard.pages.table import MISSING, PAGES, find
from dashboard.principal import NotAllowedError, PrincipalRequired, refused
from dashboard.router import add_callbacks
from dashboard.shell import frame

RESERVED = ("api", "v1", "metrics")
"""First path parts that are never pages: machines ask there, and they must not get a page with status 200."""

COMPONENT_FILES = "/_dash-component-suites/"
CSRF_COOKIE = "peakline_csrf"
CSRF_HEADER = "X-CSRF-Token"
_UNWANTED = ("/_reload-hash", "/_favicon.ico", "/_dash-ws-callback")
"""What Dash adds and nothing here uses: development's reload, its own icon, callbacks over a websocket."""


class SyncCallbackError(AssertionError):
    """A callback is no coroutine: it would block the event loop that receives telemetry."""


class UncheckedCallbackError(AssertionError):
    """A callback on the server says not what its caller needs: it is not registered by `callbacks.register`."""


def mount_dashboard(app: FastAPI, house_for: HouseFor) -> Dash:
    """Add the dashboard to `app`; call it after all other routes, because it answers every GET that is left.

    house_for  the house of a caller; every page and callback asks for that of its own request

    Every route that is added here but the static assets refuses requests without a principal, whatever stands in front;
    see `dashboard.principal`. An unknown path gets the not-found page with status 404; under RESERVED a plain 404.
    """
    others = len(app.router.routes)
    dash = _dash(app)
    dash.layout = frame
    add_callbacks(dash, house_for)
    _add_pages(app, dash)
    own = [route for route in app.router.routes[others:] if getattr(route, "path", "") not in _UNWANTED]
    for route in own:
        if isinstance(route, Route | Mount):
            _harden(route)
    app.router.routes[others:] = own
    app.add_exception_handler(NotAllowedError, refused)
    return dash


def _harden(route: Route | Mount) -> None:
    """Put what Dash does not check in front of a route."""
    if route.path.startswith(COMPONENT_FILES):
        route.app = KnownFiles(route.app)
    if route.path not in PUBLIC:
        route.app = PrincipalRequired(route.app)


def _dash(app: FastAPI) -> Dash:
    options: dict[str, Any] = {
        "server": app,
        "update_title": None,
        "csrf_token_name": CSRF_COOKIE,
        "csrf_header_name": CSRF_HEADER,
    }  # Dash's annotations do not know them all
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
    backend: Any = dash.backend
    backend._setup_catchall = lambda: None  # noqa: SLF001 - it would add one more route when the process starts
    return dash


async def finish_dashboard(dash: Dash) -> None:
    """Run in the lifespan, before the first request: a deep link may be the first thing a fresh process gets.

    raises  SyncCallbackError when a server-side callback is not `async def`,
            UncheckedCallbackError when one does not state what its caller needs
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
    unchecked = unchecked_callbacks(dash)
    if unchecked:
        message = f"callbacks must be registered by dashboard.callbacks.register: {', '.join(unchecked)}"
        raise UncheckedCallbackError(message)


def is_blocking(entry: dict[str, object]) -> bool:
    """Whether a registered callback would run on the event loop without giving it up; client-side ones have none."""
    function = entry.get("callback")
    return function is not None and not inspect.iscoroutinefunction(function)


def _add_pages(app: FastAPI, dash: Dash) -> None:
    async def page(request: Request) -> HTMLResponse:
        path: str = request.scope["path"]
        if path.strip("/").partition("/")[0] in RESERVED:
            return HTMLResponse("", 404)
        token = set_current_request(request)
        try:
            return HTMLResponse(dash.index(), 404 if find(path)[0] is MISSING else 200)
        finally:
            reset_current_request(token)

    for path in [*(known.path for known in PAGES if known.path != "/"), CATCH_ALL]:
        app.add_api_route(path, page, methods=["GET"], include_in_schema=False)
