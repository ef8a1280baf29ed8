"""Every request has a principal; nobody off this machine gets through."""

import asyncio
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from peakline_server.principal import ANONYMOUS, PrincipalLayer


def _ask(client: str = "127.0.0.1", host: str = "127.0.0.1:8600", kind: str = "http") -> tuple[list[Any], list[Any]]:
    seen: list[Any] = []
    sent: list[Any] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope["state"]["principal"])

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": kind, "client": (client, 1), "headers": [(b"host", host.encode())], "method": "GET", "path": "/"}
    asyncio.run(PrincipalLayer(app)(scope, receive, send))
    return seen, sent


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("client", "host"), [("127.0.0.1", "127.0.0.1:8600"), ("::1", "[::1]:8600"), ("127.0.0.1", "localhost")]
)
def test_a_caller_on_this_machine_is_anonymous_at_loopback(client: str, host: str, kind: str) -> None:
    assert _ask(client, host, kind) == ([ANONYMOUS], [])


@pytest.mark.parametrize(
    ("client", "host"), [("10.0.0.7", "127.0.0.1"), ("127.0.0.1", "evil.example:8600"), ("127.0.0.1", "8.8.8.8")]
)
def test_a_caller_or_a_name_off_this_machine_is_refused(client: str, host: str) -> None:
    seen, sent = _ask(client, host)
    assert seen == []
    assert sent[0]["status"] == 403
    assert (b"content-type", b"application/problem+json") in sent[0]["headers"]


def test_a_websocket_off_this_machine_is_closed() -> None:
    assert _ask("10.0.0.7", kind="websocket") == ([], [{"type": "websocket.close", "code": 4403}])
