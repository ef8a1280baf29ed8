"""Who is looking: the layer around the application names a principal, and without one nothing is answered."""

from dash.backends._fastapi import get_current_request  # Dash has no public way
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vocabulary.access import Permission, Principal
from vocabulary.errors import PeaklineError

CLOSED_UNAUTHORIZED = 4401
_UNAUTHORIZED = 401
_FORBIDDEN = 403
_NO_PRINCIPAL = "This request has no principal: it did not come through the part of the server that names callers."


class NotAllowedError(PeaklineError):
    """The caller's role does not grant what was asked, or their tenants are too few; answered with 403."""


class PrincipalRequired:
    """Pure ASGI layer in front of a page or of the callbacks: refuses what has no principal.

    HTTP is answered with a 401 problem, a websocket is closed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what has a principal; a lifespan has no caller."""
        if scope["type"] not in {"http", "websocket"} or principal_of(scope) is not None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": CLOSED_UNAUTHORIZED})
        else:
            await _problem(_UNAUTHORIZED, "Unauthorized", _NO_PRINCIPAL, scope["path"])(scope, receive, send)


def principal_of(scope: Scope) -> Principal | None:
    """The caller as `scope["state"]["principal"]` names it, None when nothing named one."""
    named = scope.get("state", {}).get("principal")
    return named if isinstance(named, Principal) else None


def caller() -> Principal:
    """Who asks for the callback that runs now.

    raises  RuntimeError outside a request, NotAllowedError for a request without a principal
    """
    principal = principal_of(get_current_request().scope)
    if principal is None:
        raise NotAllowedError(_NO_PRINCIPAL)
    return principal


def session_left_s() -> int | None:
    """Seconds until the session of the request that runs now ends at the latest, None where there is no session.

    The layer in front leaves it in `scope["state"]["session"]`, as `max_age_s`.
    """
    session = get_current_request().scope.get("state", {}).get("session")
    left: int | None = getattr(session, "max_age_s", None)
    return left


def allow(principal: Principal, needs: Permission | None) -> None:
    """Let pass who may; `needs` None means anybody with a principal.

    raises  NotAllowedError
    """
    if needs is not None and not principal.may(needs):
        message = f"{principal.name} has the role {principal.role}, which may not {needs}."
        raise NotAllowedError(message)


def allow_whole_fleet(principal: Principal) -> None:
    """Let pass who is not limited to tenants.

    raises  NotAllowedError
    """
    if principal.is_limited:
        message = f"{principal.name} is limited to some tenants, and this is about the whole fleet."
        raise NotAllowedError(message)


async def refused(request: Request, error: Exception) -> Response:
    """What a NotAllowedError becomes."""
    return _problem(_FORBIDDEN, "Forbidden", str(error), request.url.path)


def _problem(status: int, title: str, detail: str, path: str) -> JSONResponse:
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail, "instance": path}
    return JSONResponse(problem, status, media_type="application/problem+json")
