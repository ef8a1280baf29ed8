"""The few routes of the API that the page of settings asks, over the lists it is drawn from."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse

from store.control.access_records import StoredToken, StoredUser
from tests.dashboard.people import FixedSettings, token, user
from tests.dashboard.scenery import NOW_NS
from vocabulary.access import Role

CSRF = "csrf-of-the-session"
NO_ICON = '<link rel="icon" href="data:,">'


class StubApi:
    """Remembers what it was asked; `refuses_with` is the detail of a problem that the next change gets."""

    def __init__(self, settings: FixedSettings) -> None:
        self.settings = settings
        self.asked: list[tuple[str, str, Any]] = []
        self.csrf: list[str | None] = []
        self.logged_out_with: list[str] = []
        self.refuses_with = ""
        self.router = APIRouter()
        for methods, path, answer in (
            (["POST", "DELETE"], "/api/v1/tokens{rest:path}", self._tokens),
            (["POST", "PATCH", "DELETE"], "/api/v1/users{rest:path}", self._users),
            (["POST"], "/api/v1/me/password", self._password),
        ):
            self.router.add_api_route(path, answer, methods=methods)
        self.router.add_api_route("/login", self._login, methods=["GET"])
        self.router.add_api_route("/logout", self._logout, methods=["POST"])

    async def _noted(self, request: Request) -> JSONResponse | None:
        body = await request.json() if await request.body() else None
        self.asked.append((request.method, request.url.path, body))
        self.csrf.append(request.headers.get("x-csrf-token"))
        if request.state.principal is None:
            return JSONResponse({"detail": "no session"}, 401)
        detail, self.refuses_with = self.refuses_with, ""
        return JSONResponse({"title": "Bad Request", "status": 400, "detail": detail}, 400) if detail else None

    async def _tokens(self, request: Request, rest: str) -> JSONResponse:
        if refused := await self._noted(request):
            return refused
        known = self.settings.stored_tokens
        if request.method == "DELETE":
            known[:] = [replace(one, revoked_ns=NOW_NS) if one.id == rest[1:] else one for one in known]
            return JSONResponse({})
        known.insert(0, _made_token(self.asked[-1][2], len(known)))
        return JSONResponse({"token": {"id": known[0].id}, "text": f"pkl_{known[0].id}_{'s' * 43}"}, 201)

    async def _users(self, request: Request, rest: str) -> JSONResponse:
        if refused := await self._noted(request):
            return refused
        known, body = self.settings.stored_users, self.asked[-1][2]
        if request.method == "POST":
            known.append(_made_user(body))
        elif request.method == "DELETE":
            known[:] = [one for one in known if one.id != rest[1:]]
        else:
            known[:] = [_changed(one, body) if one.id == rest[1:] else one for one in known]
        return JSONResponse({})

    async def _password(self, request: Request) -> JSONResponse:
        return await self._noted(request) or JSONResponse({})

    async def _login(self, request: Request) -> HTMLResponse:
        return HTMLResponse(f"{NO_ICON}<title>Log in</title><h2>next={request.query_params.get('next')}</h2>")

    async def _logout(self, request: Request) -> HTMLResponse:
        self.logged_out_with.append((await request.body()).decode())
        return HTMLResponse(f"{NO_ICON}<title>Out</title><h2>logged out</h2>")


def _tenants(body: Any) -> frozenset[str] | None:
    return None if body["tenants"] is None else frozenset(body["tenants"])


def _made_token(body: Any, place: int) -> StoredToken:
    made = token(body["name"], f"{place:012d}", Role(body["role"]))
    return replace(made, tenants=_tenants(body))


def _made_user(body: Any) -> StoredUser:
    return replace(user(body["name"], Role(body["role"])), tenants=_tenants(body))


def _changed(one: StoredUser, body: Any) -> StoredUser:
    if "is_disabled" in body:
        one = replace(one, is_disabled=body["is_disabled"])
    if "role" in body:
        one = replace(one, role=Role(body["role"]), tenants=_tenants(body))
    return one
