"""Who is looking: the layer around the application names a principal, and without one nothing is answered."""

from dataclasses import replace

from dash.backends._fastapi import get_current_request  # Dash has no public way
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.house import DashboardHouse

CLOSED_UNAUTHORIZED = 4401
_UNAUTHORIZED = 401


class PrincipalRequired:
    """Pure ASGI layer in front of every page and every callback: refuses what has no principal.

    HTTP is answered with a 401 problem, a websocket is closed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what has a principal; a lifespan has no caller."""
        if scope["type"] not in {"http", "websocket"} or principal_of(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": CLOSED_UNAUTHORIZED})
        else:
            await _problem(scope["path"])(scope, receive, send)


def principal_of(scope: Scope) -> str:
    """The caller as `scope["state"]["principal"]` names it, '' when nothing named one."""
    named = scope.get("state", {}).get("principal", "")
    return named if isinstance(named, str) else ""


def seen_by_caller(house: DashboardHouse) -> DashboardHouse:
    """The house with the principal of the request whose callback runs now; its own where no request is under way."""
    try:
        caller = principal_of(get_current_request().scope)
    except RuntimeError:  # how Dash says that there is no request
        return house
    return replace(house, principal=lambda: caller) if caller else house


def _problem(path: str) -> JSONResponse:
    problem = {
        "type": "about:blank",
        "title": "Unauthorized",
        "status": _UNAUTHORIZED,
        "detail": "This request has no principal: it did not come through the part of the server that names callers.",
        "instance": path,
    }
    return JSONResponse(problem, _UNAUTHORIZED, media_type="application/problem+json")
