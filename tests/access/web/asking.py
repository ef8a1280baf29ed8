"""A gate in memory, and requests to ASGI applications without a socket."""

import asyncio
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from access.contract import Identity, LogInRefusedError, OpenSession
from access.web.layer import AccessLayer
from access.web.settings import WebSettings
from collector.answers import refused
from vocabulary.access import Permission, Principal, PrincipalKind, Role, Rule
from vocabulary.errors import StoreUnavailableError

Pairs = Sequence[tuple[str, str]]
GET, POST = frozenset({"GET"}), frozenset({"POST"})
RULES = (
    Rule(GET, "/healthz", is_public=True),
    Rule(POST, "/hook", is_public=True),
    Rule(POST, "/v1/traces", frozenset({Permission.SEND})),
    Rule(frozenset({"GET", "POST"}), "/v1/{path:path}"),
    Rule(GET, "/api/v1/me"),
    Rule(frozenset({"GET", "POST"}), "/api/v1/tokens", frozenset({Permission.ADMINISTER})),
    Rule(GET, "/api/v1/alerts", frozenset({Permission.READ}), whole_fleet=True),
    Rule(frozenset({"GET", "POST"}), "/api/{path:path}"),
    Rule(frozenset({"WEBSOCKET"}), "/live", frozenset({Permission.READ})),
    Rule(POST, "/_dash-update-component", frozenset({Permission.READ})),
    Rule(GET, "/{rest:path}", frozenset({Permission.READ})),
)


def principal(role: Role, tenants: frozenset[str] | None = None, kind: PrincipalKind = PrincipalKind.USER) -> Principal:
    return Principal(kind, f"id-{role}", f"{role}-name", role, tenants)


@dataclass
class MemoryGate:
    """Tokens named after roles (`pkl_viewer`), one user, sessions by counting."""

    password: str = "correct horse"
    sessions: dict[str, OpenSession] = field(default_factory=dict)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    identities: list[Identity] = field(default_factory=list)
    refuse_s: int | None = None
    is_down: bool = False
    _numbers: Any = field(default_factory=itertools.count)

    def by_token(self, text: str) -> Principal | None:
        self._note("token", text)
        limited = {"pkl_limited": frozenset({"team-a"})}
        names = {f"pkl_{role}": role for role in Role} | {"pkl_limited": Role.VIEWER}
        role = names.get(text)
        return principal(role, limited.get(text), PrincipalKind.TOKEN) if role else None

    def by_session(self, cookie: str) -> OpenSession | None:
        self._note("session", cookie)
        return self.sessions.get(cookie)

    def log_in(self, name: str, password: str, address: str, old_cookie: str = "") -> OpenSession:
        self._note("log_in", name, address, old_cookie)
        if self.refuse_s is not None:
            raise LogInRefusedError("too many", self.refuse_s)
        if (name, password) != ("ada", self.password):
            raise LogInRefusedError("no")
        self.sessions.pop(old_cookie, None)
        return self.open(Role.OPERATOR)

    def log_in_external(self, identity: Identity, address: str, old_cookie: str = "") -> OpenSession:
        self._note("log_in_external", identity.subject, address, old_cookie)
        self.identities.append(identity)
        if identity.role is None:
            raise LogInRefusedError("no role")
        self.sessions.pop(old_cookie, None)
        return self.open(identity.role)

    def log_out(self, cookie: str) -> None:
        self._note("log_out", cookie)
        self.sessions.pop(cookie, None)

    def open(self, role: Role) -> OpenSession:
        number = next(self._numbers)
        opened = OpenSession(principal(role), f"session-{number}", f"csrf-{number}", 3600)
        self.sessions[opened.cookie] = OpenSession(opened.principal, "", opened.csrf, 3600)
        return opened

    def _note(self, *what: str) -> None:
        if self.is_down:
            raise StoreUnavailableError("down")
        self.asked.append(what)


@dataclass(frozen=True)
class Answer:
    """What came back; a websocket that opened has status 101, a refused one its close code."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""

    def header(self, name: str) -> str:
        return ", ".join(value for found, value in self.headers if found == name)

    def cookies(self) -> dict[str, str]:
        lines = [value for name, value in self.headers if name == "set-cookie"]
        return {line.partition("=")[0]: line.partition("=")[2] for line in lines}

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Behind:
    """What stands behind the layer: says who came, and keeps what it read."""

    reached: list[Scope] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached.append(scope)
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        self.bodies.append((await receive())["body"])
        who = scope["state"]["principal"]
        await JSONResponse({"who": who.name if who else None})(scope, receive, send)


def layer(gate: MemoryGate | None, behind: ASGIApp, **settings: Any) -> AccessLayer:
    """The layer with the rules above; access is on where there is a gate."""
    return AccessLayer(behind, gate, RULES, WebSettings(is_on=gate is not None, **settings), refused)


def ask(
    app: ASGIApp,
    method: str = "GET",
    path: str = "/",
    headers: Pairs = (),
    body: bytes = b"",
    client: str = "127.0.0.1",
    **more: Any,
) -> Answer:
    """One request. `path` may carry a query; Host is loopback unless `headers` name one."""
    plain, _, query = path.partition("?")
    names = {name.lower() for name, _ in headers}
    host = [] if "host" in names else [("host", "127.0.0.1:8600")]
    scope = {
        "type": "websocket" if method == "WEBSOCKET" else "http",
        "method": method,
        "scheme": "http",
        "path": plain,
        "raw_path": plain.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "client": (client, 1),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in [*host, *headers]],
        **more,
    }
    return asyncio.run(_exchange(app, scope, body))


async def _exchange(app: ASGIApp, scope: Scope, body: bytes) -> Answer:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Any] = []

    async def receive() -> Any:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if sent[0]["type"].startswith("websocket"):
        return Answer(101 if sent[0]["type"] == "websocket.accept" else sent[0]["code"], [])
    headers = [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return Answer(sent[0]["status"], headers, content)


def bearer(text: str) -> tuple[str, str]:
    return ("authorization", f"Bearer {text}")


def cookies(**values: str) -> tuple[str, str]:
    return ("cookie", "; ".join(f"{name}={value}" for name, value in values.items()))


FORM = ("content-type", "application/x-www-form-urlencoded")


def form_body(fields: Mapping[str, str]) -> bytes:
    return urlencode(fields).encode()
