"""The layer in front of a real server: refused bodies, odd paths, websockets."""

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from google.rpc.status_pb2 import Status
from starlette.types import Message, Receive, Scope, Send
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from access.web.layer import AccessLayer
from access.web.settings import WebSettings
from collector.answers import refused
from tests.access.web.asking import RULES, Behind, MemoryGate, ask, layer
from tests.factories.serving import served
from vocabulary.access import Role

PROTOBUF = {"content-type": "application/x-protobuf"}
BODY_BYTES = 30 * 1024 * 1024


@pytest.fixture
def url(gate: MemoryGate, behind: Behind) -> Iterator[str]:
    with served(layer(gate, behind)) as found:
        yield found


def test_a_refused_body_of_any_size_gets_its_answer_and_the_connection_stays_usable(url: str, behind: Behind) -> None:
    with httpx.Client(base_url=url) as client:
        for _ in range(2):
            answer = client.post("/v1/traces", content=bytes(BODY_BYTES), headers=PROTOBUF)
            assert answer.status_code == 401
            assert Status.FromString(answer.content).code == 16
        token = {"authorization": "Bearer pkl_ingest"}
        assert client.post("/v1/traces", content=b"abc", headers={**PROTOBUF, **token}).json() == {"who": "ingest-name"}
    assert behind.bodies == [b"abc"]


def test_a_refused_body_is_never_read(gate: MemoryGate, behind: Behind) -> None:
    sent: list[Message] = []

    async def receive() -> Any:
        raise AssertionError("somebody read the body")

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/traces", "client": ("1.2.3.4", 1), "query_string": b""}
    asyncio.run(layer(gate, behind)({**scope, "headers": [(b"content-type", b"application/json")]}, receive, send))
    assert sent[0]["status"] == 401
    assert json.loads(sent[1]["body"])["code"] == 16


def _raw(url: str, request: bytes) -> bytes:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), 10) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
        return answer


def test_a_sender_that_waits_before_sending_is_refused_and_let_go(url: str) -> None:
    head = b"POST /v1/traces HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\ncontent-length: 99\r\n\r\n"
    answer = _raw(url, head)
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"100 Continue" not in answer


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (b"//api/v1/tokens", b"401"),
        (b"/api/v1/%2e%2e/v1/tokens", b"401"),
        (b"/%61pi/v1/tokens", b"401"),
        (b"/api%2fv1%2ftokens", b"401"),
        (b"/api/v1/tokens%0a", b"401"),
        (b"/api/v1/tokens%00", b"401"),
        (b"/healthz%0a", b"401"),
        (b"/healthz/", b"401"),
        (b"http://evil.example/api/v1/tokens", b"401"),
        (b"/healthz", b"200"),
    ],
)
def test_no_spelling_of_a_path_opens_it(url: str, path: bytes, status: bytes) -> None:
    answer = _raw(url, b"GET " + path + b" HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
    assert answer.split(b" ", 2)[1] == status


@pytest.mark.parametrize("path", [b"/%61pi/v1/tokens", b"/api%2fv1%2ftokens", b"/x/../api/v1/tokens?a=/healthz"])
def test_an_encoded_path_needs_what_the_decoded_one_needs(url: str, behind: Behind, path: bytes) -> None:
    head = b" HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer pkl_ingest\r\nconnection: close\r\n\r\n"
    assert _raw(url, b"GET " + path + head).startswith(b"HTTP/1.1 403 ")
    assert not behind.reached


def test_a_websocket_opens_with_a_session_and_our_own_origin_only(url: str, gate: MemoryGate) -> None:
    address = url.replace("http", "ws") + "/live"
    session = {"cookie": f"peakline_session={gate.open(Role.VIEWER).cookie}"}
    with connect(address, additional_headers=session, origin=Origin(url)):
        pass
    nothing: dict[str, str] = {}
    ended = {"cookie": "peakline_session=x"}
    for headers, origin in ((nothing, url), (session, "https://evil.example"), (ended, url)):
        with pytest.raises(InvalidStatus, match="403"):
            connect(address, additional_headers=headers, origin=Origin(origin))


@pytest.mark.parametrize("path", ["/", "/login"])
def test_a_process_without_a_log_in_page_sends_no_browser_in_circles(
    gate: MemoryGate, behind: Behind, path: str
) -> None:
    rules = [rule for rule in RULES if rule.path != "/{rest:path}"]
    app = AccessLayer(behind, gate, rules, WebSettings(is_on=True), refused)
    assert ask(app, path=path, headers=[("accept", "text/html")]).status == 401


def test_what_is_neither_http_nor_websocket_passes(gate: MemoryGate) -> None:
    seen: list[Scope] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope)

    async def nothing(*_: Any) -> Any:
        raise AssertionError("nothing is asked or said")

    scope = {"type": "lifespan"}
    asyncio.run(layer(gate, app)(scope, nothing, nothing))
    assert seen == [scope]


def test_the_scope_of_the_server_is_left_as_it_was(gate: MemoryGate, behind: Behind) -> None:
    state: dict[str, Any] = {"shared": 1}
    headers = [(b"authorization", b"Bearer pkl_viewer")]
    scope = {"type": "websocket", "path": "/live", "client": ("1.2.3.4", 1), "headers": headers, "state": state}

    async def nothing(*_: Any) -> Any:
        return None

    asyncio.run(layer(gate, behind)(scope, nothing, nothing))
    assert state == {"shared": 1}
    assert behind.reached[0]["state"]["shared"] == 1
