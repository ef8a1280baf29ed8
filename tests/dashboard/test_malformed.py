"""Garbage on Dash's own paths is refused in words; what browsers send passes."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from dash import Dash
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.house import DashboardHouse
from dashboard.malformed import BODY_BYTES_MAX, WellFormed, objection
from tests.dashboard.served import Caller, application

CALLBACKS: dict[str, dict[str, Any]] = {
    "span.children": {
        "inputs": [{"id": "waterfall", "property": "selected"}],
        "state": [{"id": "url", "property": "pathname"}],
        "callback": print,
    },
    "zoomed.data": {"inputs": [], "state": []},
}


def body(**changes: Any) -> bytes:
    asked: dict[str, Any] = {
        "output": "span.children",
        "outputs": {"id": "span", "property": "children"},
        "inputs": [{"id": "waterfall", "property": "selected", "value": "ab"}],
        "state": [{"id": "url", "property": "pathname", "value": "/"}],
        "changedPropIds": ["waterfall.selected"],
    }
    return json.dumps({name: value for name, value in {**asked, **changes}.items() if value is not ...}).encode()


def test_what_a_browser_sends_passes() -> None:
    assert objection(body(), CALLBACKS) is None
    assert objection(body(inputs=[{"id": "waterfall", "property": "selected"}]), CALLBACKS) is None


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b'{"output": 5}',
        body(output="nosuch.children"),
        body(output="zoomed.data"),
        body(inputs=...),
        body(inputs=[]),
        body(state=[]),
        body(inputs=[{"id": "other", "property": "selected"}]),
        body(inputs=[{"id": "waterfall", "property": "selected", "value": 5}]),
        body(state=[{"id": "url", "property": "pathname", "value": ["/"]}]),
        b'{"output": ' + b"[" * 5000,
    ],
)
def test_what_no_browser_sends_is_named(sent: bytes) -> None:
    assert objection(sent, CALLBACKS)


def ask(
    house: DashboardHouse, method: str, path: str, content: bytes = b"", media: str = "application/json"
) -> httpx.Response:
    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(application(house, Caller(house.principal)))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, content=content, headers={"Content-Type": media})

    return asyncio.run(asked())


@pytest.mark.parametrize(("content", "status"), [(b"", 400), (b"{}", 400), (b"x" * (BODY_BYTES_MAX + 1), 413)])
def test_the_server_answers_garbage_with_a_problem(empty_house: DashboardHouse, content: bytes, status: int) -> None:
    answer = ask(empty_house, "POST", "/_dash-update-component", content)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


def test_a_right_request_reaches_its_callback(empty_house: DashboardHouse) -> None:
    outputs = [{"id": name, "property": "children"} for name in ("meta", "menu", "choices", "head", "bar", "body")]
    values = [{"id": "url", "property": "pathname", "value": "/setup"}, {"id": "url", "property": "search"}]
    name = "...".join(f"{one['id']}.children" for one in outputs)
    asked = {"output": f"..{name}..", "outputs": outputs, "inputs": values, "changedPropIds": ["url.pathname"]}
    answer = ask(empty_house, "POST", "/_dash-update-component", json.dumps(asked).encode())
    assert answer.status_code == 200
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in answer.text


def test_json_beyond_the_bound_is_refused_on_every_path(empty_house: DashboardHouse) -> None:
    assert ask(empty_house, "POST", "/anything", b" " * (BODY_BYTES_MAX + 1)).status_code == 413


def silent(app: ASGIApp, method: str, path: str) -> list[int]:
    """Statuses of the answers to somebody who says that JSON comes, and sends the half of it."""
    statuses: list[int] = []
    waiting = [{"type": "http.request", "body": b'{"a": ', "more_body": True}]

    async def receive() -> Message:
        if waiting:
            return waiting.pop()
        await asyncio.sleep(3600)
        raise AssertionError

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"1000")]
    scope = {"type": "http", "method": method, "path": path, "headers": headers, "query_string": b""}

    async def asked() -> None:
        async with asyncio.timeout(10):
            await app(scope, receive, send)

    asyncio.run(asked())
    return statuses


async def nothing(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def test_the_body_of_a_get_is_not_waited_for(empty_house: DashboardHouse) -> None:
    app = application(empty_house, Caller(empty_house.principal))
    assert silent(app, "GET", "/assets/nosuch.css") == [404]


@pytest.mark.parametrize("path", ["/_dash-update-component", "/anything"])
def test_a_body_that_does_not_come_is_given_up(path: str) -> None:
    assert silent(WellFormed(nothing, Dash("silent"), read_max_s=0.05), "POST", path) == [408]


def test_files_of_a_package_that_is_none_are_not_found(empty_house: DashboardHouse) -> None:
    assert ask(empty_house, "GET", "/_dash-component-suites/nosuch/file.js").status_code == 404
    assert ask(empty_house, "GET", "/_dash-component-suites/dash/nosuch.js").status_code == 404
