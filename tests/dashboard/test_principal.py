import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from dash import Dash
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.app import mount_dashboard
from dashboard.house import DashboardHouse
from dashboard.principal import NotAllowedError, PrincipalRequired, allow, allow_whole_fleet, caller, principal_of
from tests.dashboard.looking import NoReader, house_of
from tests.dashboard.people import ADA, LIMITED, OTTO, SENDER, VERA, FixedSettings, token, user
from tests.dashboard.served import Caller, Named
from vocabulary.access import Permission, Principal, Role

SETTINGS = FixedSettings(stored_tokens=[token("gateway")], stored_users=[user("ada", Role.ADMIN)])
HOUSE = house_of(NoReader(), settings=SETTINGS)


def asked(app: ASGIApp, method: str, path: str, body: object = None) -> httpx.Response:
    async def sent() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.request(method, path, json=body)

    return asyncio.run(sent())


def by(app: ASGIApp, principal: Principal | None, path: str, body: object = None) -> httpx.Response:
    """The answer to this principal; a body makes it a POST."""
    return asked(Named(app, Caller(principal)), "POST" if body else "GET", path, body)


@pytest.fixture(scope="module")
def houses() -> list[Principal]:
    """Whose houses were asked for."""
    return []


@pytest.fixture(scope="module")
def mounted(houses: list[Principal]) -> tuple[FastAPI, Dash]:
    app = FastAPI(docs_url=None, openapi_url=None, redoc_url=None)

    def house_for(principal: Principal) -> DashboardHouse:
        houses.append(principal)
        return replace(HOUSE, principal=principal)

    return app, mount_dashboard(app, house_for)


def callbacks(dash: Dash, page: str = "/settings") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every registered callback with the body that a browser would send for it on a page."""
    values = {
        "url.pathname": page,
        "url.search": "?lang=en",
        "ticker.tick": 1,
        "changed.count": 1,
        "waterfall.selected": "0" * 16,
    }
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
    assert len(found) == 4
    for name, body in found.items():
        refused = asked(app, "POST", "/_dash-update-component", body)
        assert (refused.status_code, refused.headers["content-type"]) == (401, "application/problem+json"), name
        answered = by(app, ADA, "/_dash-update-component", body)
        assert answered.status_code in {200, 204}, (name, answered.text)


PAGES = ["/", "/requests", "/requests/k", "/settings", "/nosuch", "/_dash-layout", "/_dash-dependencies"]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_refused_without_a_principal(mounted: tuple[FastAPI, Dash], path: str) -> None:
    app, _ = mounted
    refused = asked(app, "GET", path)
    assert (refused.status_code, "react-entry-point" in refused.text) == (401, False)
    assert by(app, ADA, path).status_code in {200, 404}


def test_static_assets_are_for_everybody(mounted: tuple[FastAPI, Dash]) -> None:
    assert asked(mounted[0], "GET", "/assets/ui.css").status_code == 200


def test_what_others_mounted_beside_the_dashboard_is_left_to_them() -> None:
    app = FastAPI(docs_url=None, openapi_url=None, redoc_url=None)

    @app.get("/login")
    async def login() -> str:
        return "who are you"

    mount_dashboard(app, lambda _: HOUSE)
    assert asked(app, "GET", "/login").text == '"who are you"'
    assert asked(app, "GET", "/").status_code == 401


@pytest.mark.parametrize("path", ["/_reload-hash", "/_favicon.ico"])
def test_what_dash_adds_and_nobody_needs_is_not_there(mounted: tuple[FastAPI, Dash], path: str) -> None:
    assert by(mounted[0], ADA, path).status_code == 404
    assert "/_dash-ws-callback" not in {getattr(route, "path", "") for route in mounted[0].routes}


def test_a_page_shows_the_principal_of_its_own_request_in_the_house_of_its_own(
    mounted: tuple[FastAPI, Dash], houses: list[Principal]
) -> None:
    app, dash = mounted
    show = next(body for name, body in callbacks(dash) if "choices.children" in name)
    for who, other in ((ADA, OTTO), (OTTO, ADA)):
        houses.clear()
        account = by(app, who, "/_dash-update-component", show).json()["response"]["choices"]["children"][1]["props"]
        assert (account["name"], houses) == (who.name, [who])
        assert account["name"] != other.name


@pytest.mark.parametrize(
    ("who", "output", "status"),
    [
        (VERA, "span.children", 200),
        (SENDER, "span.children", 403),
        (OTTO, "tokens.rows", 200),
        (VERA, "tokens.rows", 403),
        (LIMITED, "tokens.rows", 403),
        (SENDER, "choices.children", 200),
    ],
)
def test_a_callback_is_for_those_whose_role_grants_what_it_needs(
    mounted: tuple[FastAPI, Dash], who: Principal, output: str, status: int
) -> None:
    app, dash = mounted
    body = next(body for name, body in callbacks(dash) if output in name)
    answer = by(app, who, "/_dash-update-component", body)
    assert answer.status_code in {status, 204 if status == 200 else status}
    assert status == 200 or answer.json()["title"] == "Forbidden"


def test_an_admin_of_some_tenants_sees_no_token(mounted: tuple[FastAPI, Dash]) -> None:
    app, dash = mounted
    body = next(body for name, body in callbacks(dash) if "tokens.rows" in name)
    some = replace(ADA, tenants=frozenset({"a"}))
    refused = by(app, some, "/_dash-update-component", body)
    assert (refused.status_code, "gateway" in refused.text) == (403, False)
    assert "limited to some tenants" in refused.json()["detail"]


def test_nothing_is_drawn_of_a_page_that_the_caller_may_not_open(mounted: tuple[FastAPI, Dash]) -> None:
    app, dash = mounted
    for output in ("choices.children", "ticker.done"):
        body = next(body for name, body in callbacks(dash, "/health") if output in name)
        refused = by(app, SENDER, "/_dash-update-component", body)
        assert refused.status_code == 403
        assert refused.json()["detail"] == "gateway has the role ingest, which may not read."


def test_there_is_no_caller_outside_a_request() -> None:
    with pytest.raises(RuntimeError):
        caller()


@pytest.mark.parametrize("left_s", [None, 3600])
def test_the_end_of_the_session_is_that_of_the_request(mounted: tuple[FastAPI, Dash], left_s: int | None) -> None:
    app, dash = mounted
    show = next(body for name, body in callbacks(dash) if "choices.children" in name)
    shown = asked(Named(app, Caller(ADA, left_s)), "POST", "/_dash-update-component", show).text
    assert ("2026-11-30 14:00 UTC" in shown) == (left_s is not None)


@pytest.mark.parametrize("state", [{}, {"principal": ""}, {"principal": None}, {"principal": "ada"}])
def test_only_a_principal_is_a_principal(state: dict[str, object]) -> None:
    assert principal_of({"state": state}) is None
    assert principal_of({"state": {"principal": ADA}}) is ADA


def test_a_permission_that_the_role_does_not_grant_is_refused_by_name() -> None:
    allow(VERA, Permission.READ)
    allow(SENDER, None)
    with pytest.raises(NotAllowedError, match="vera has the role viewer, which may not administer"):
        allow(VERA, Permission.ADMINISTER)
    allow_whole_fleet(VERA)
    with pytest.raises(NotAllowedError, match="whole fleet"):
        allow_whole_fleet(LIMITED)


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
