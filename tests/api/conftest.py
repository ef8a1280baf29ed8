"""The API on the real embedded store, asked over ASGI as a client would."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, PlainTextResponse
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from alerts.views import AlertView, TransitionView
from api.app import api_router
from api.house import ApiHouse
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.api.administration import Registry
from tests.factories.stores import START_NS
from vocabulary.access import ANONYMOUS, Principal, PrincipalKind, Role
from vocabulary.pools import MINUTE_NS
from vocabulary.services import ServiceBook

NOW_NS = START_NS + 60 * MINUTE_NS


@dataclass(frozen=True)
class SettingRow:
    """A setting as the configuration tells it."""

    name: str
    value: str
    origin: str = "default"
    default: str = ""
    unit: str = ""
    sentence: str = "What it does."
    is_secret: bool = False
    restart_needed: bool = True


@dataclass
class Switchboard:
    """What a test may change about the house behind the API."""

    healthy: bool = True
    pending: int = 0
    failing: list[str] = field(default_factory=list)
    states: list[AlertView] = field(default_factory=list)
    steps: list[TransitionView] = field(default_factory=list)
    settings: list[SettingRow] = field(default_factory=list)
    services: ServiceBook = field(default_factory=ServiceBook)

    def transitions(self, limit: int) -> Sequence[TransitionView]:
        return self.steps[:limit]


@dataclass(frozen=True)
class Alerts:
    """The alerts of the switchboard."""

    board: Switchboard

    def states(self) -> Sequence[AlertView]:
        return self.board.states

    def transitions(self, limit: int) -> Sequence[TransitionView]:
        return self.board.transitions(limit)


@pytest.fixture
def board() -> Switchboard:
    return Switchboard()


@pytest.fixture
def registry() -> Registry:
    """The tokens and users behind the API."""
    return Registry()


@pytest.fixture
def house(telemetry: Telemetry, control: Control, board: Switchboard, registry: Registry) -> ApiHouse:
    return ApiHouse(
        reader_for=lambda _: telemetry.reader,
        alerts=Alerts(board),
        clock_ns=lambda: NOW_NS,
        pending_minutes=lambda: board.pending,
        version="1.2.3",
        started_ns=START_NS,
        store_healthy=lambda: board.healthy,
        failing=lambda: board.failing,
        administration=registry,
        settings=lambda: board.settings,
        services=lambda: board.services,
    )


@pytest.fixture
def app(house: ApiHouse) -> FastAPI:
    """The routes with a catch-all behind them, as the dashboard's is."""
    return application(house)


def page(path: str) -> HTMLResponse:
    return HTMLResponse(f"<html>{len(path)}")


async def taken(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("taken")


def application(house: ApiHouse) -> FastAPI:
    made = FastAPI(title="Peakline", docs_url=None, redoc_url=None, openapi_url=None)
    made.router.routes.append(Route("/v1/traces", taken, methods=["POST"]))
    made.include_router(api_router(house))
    for path in ("/api/{path:path}", "/{path:path}"):
        made.add_api_route(path, page, include_in_schema=False)
    return made


Ask = Callable[..., httpx.Response]


def somebody(role: Role, tenants: frozenset[str] | None = None, kind: PrincipalKind = PrincipalKind.USER) -> Principal:
    return Principal(kind, "u-ada", "ada", role, tenants)


class Naming:
    """The layer around the application, as far as the API knows it: it names a principal."""

    def __init__(self, app: ASGIApp, principal: object, **state: object) -> None:
        self._app = app
        self._state = {"principal": principal, **state}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "state": dict(self._state)}, receive, send)


@pytest.fixture
def ask(app: FastAPI) -> Ask:
    """ask(path, method="GET", query=None, **request) -> response."""
    return asking(app)


def asking(app: ASGIApp, principal: object = ANONYMOUS, **state: object) -> Ask:
    """Asks through a layer that names a principal, as every request of a running server is."""
    return unnamed_asking(Naming(app, principal, **state))


def unnamed_asking(app: ASGIApp) -> Ask:
    """Asks the application itself: nothing names a principal."""

    def ask(path: str, method: str = "GET", query: Mapping[str, Any] | None = None, **more: Any) -> httpx.Response:
        async def sent() -> httpx.Response:
            transport = httpx.ASGITransport(app, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.request(method, path, params=query, **more)

        return asyncio.run(sent())

    return ask
