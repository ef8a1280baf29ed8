import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from dash import Dash
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.app import mount_dashboard
from dashboard.principal import PrincipalRequired, principal_of, seen_by_caller
from tests.dashboard.looking import NoReader, house_of

HOUSE = house_of(NoReader())


class Named:
    """Names one principal for everything, as the server's own layer does."""

    def __init__(self, app: ASGIApp, principal: str) -> None:
        self._app, self._principal = app, principal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "state": {"principal": self._principal}}, receive, send)


def asked(app: ASGIApp, method: str, path: str, body: object = None) -> httpx.Response:
    async def sent() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.request(method, path, json=body)

    return asyncio.run(sent())


@pytest.fixture(scope="module")
def mounted() -> tuple[FastAPI, Dash]:
    app = FastAPI()
    return app, mount_dashboard(app, HOUSE)


def callbacks(dash: Dash) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every registered callback with the body that a browser would send for it."""
    values = {"url.pathname": "/setup", "url.search": "?lang=en", "ticker.tick": 1, "waterfall.selected": "0" * 16}
    for name, entry in dash.callback_map.items():
        if "callback" not in entry:
            continue  # it runs in the browser
        outputs = [
            {"id": where, "property": what.partition("@")[0]}
            for where, _, what in (part.rpartition(".") for part in name.strip(".").split("..."))
        ]
        named = {
            kind: [{**one, "value": values.get(f"{one['id']}.{one['property']}")} for one in entry[source]]
            for kind, source in (("inputs", "inputs"), ("state", "state"))
        }
        changed = [f"{one['id']}.{one['property']}" for one in entry["inputs"]]
        shape = outputs if name.startswith("..") else outputs[0]
        yield name, {"output": name, "outputs": shape, "changedPropIds": changed, **named}


def test_every_callback_is_refused_without_a_principal_and_answered_with_one(mounted: tuple[FastAPI, Dash]) -> None:
    app, dash = mounted
    found = dict(callbacks(dash))
    assert len(found) == 3
    for name, body in found.items():
        refused = asked(app, "POST", "/_dash-update-component", body)
        assert (refused.status_code, refused.headers["content-type"]) == (401, "application/problem+json"), name
        answered = asked(Named(app, "ada"), "POST", "/_dash-update-component", body)
        assert answered.status_code in {200, 204}, (name, answered.text)


@pytest.mark.parametrize(
    "path", ["/", "/requests", "/nosuch", "/_dash-layout", "/_dash-dependencies", "/assets/ui.css"]
)
def test_every_page_and_asset_is_refused_without_a_principal(mounted: tuple[FastAPI, Dash], path: str) -> None:
    app, _ = mounted
    assert asked(app, "GET", path).status_code == 401
    assert asked(Named(app, "ada"), "GET", path).status_code != 401


def test_a_page_shows_the_principal_of_its_own_request(mounted: tuple[FastAPI, Dash]) -> None:
    app, dash = mounted
    show = next(body for name, body in callbacks(dash) if "choices.children" in name)
    for caller in ("ada", "grace"):
        shown = asked(Named(app, caller), "POST", "/_dash-update-component", show).text
        assert (caller in shown, HOUSE.principal() in shown) == (True, False)


def test_without_a_request_the_house_keeps_its_own_principal() -> None:
    assert seen_by_caller(HOUSE) is HOUSE


@pytest.mark.parametrize("state", [{}, {"principal": ""}, {"principal": None}])
def test_an_empty_name_is_no_principal(state: dict[str, object]) -> None:
    assert principal_of({"state": state}) == ""


def test_a_websocket_without_a_principal_is_closed_and_a_lifespan_passes() -> None:
    passed: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["type"])

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {}

    layer = PrincipalRequired(app)
    asyncio.run(layer({"type": "websocket"}, receive, send))
    asyncio.run(layer({"type": "lifespan"}, receive, send))
    assert (passed, sent) == (["lifespan"], [{"type": "websocket.close", "code": 4401}])
