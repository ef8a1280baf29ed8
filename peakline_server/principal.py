"""Who is asking: every HTTP request and websocket gets a principal before any route or callback sees it."""

from ipaddress import ip_address

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

ANONYMOUS = "anonymous@loopback"


class PrincipalLayer:
    """Pure ASGI layer: names the principal in `scope["state"]["principal"]`, refuses anyone off this machine.

    Also refuses a Host header that is no loopback name, so that a web page elsewhere cannot reach the
    server through a name that resolves to 127.0.0.1.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on with a principal, or answer 403 (close 4403 for a websocket)."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        if not (_is_loopback(scope) and _names_loopback(scope)):
            await _refuse(scope, receive, send)
            return
        scope.setdefault("state", {})["principal"] = ANONYMOUS
        await self._app(scope, receive, send)


def _is_loopback(scope: Scope) -> bool:
    client = scope.get("client")
    if client is None:
        return True
    try:
        return ip_address(client[0]).is_loopback
    except ValueError:
        return client[0] in {"testclient", "localhost"}


def _names_loopback(scope: Scope) -> bool:
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "localhost")
    name = host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
    if name.lower() in {"localhost", "testserver", ""}:
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403})
        return
    problem = {
        "type": "about:blank",
        "title": "Forbidden",
        "status": 403,
        "detail": "Peakline answers on this machine only until access is configured; use http://127.0.0.1",
    }
    response = JSONResponse(problem, 403, media_type="application/problem+json")
    await response(scope, receive, send)
