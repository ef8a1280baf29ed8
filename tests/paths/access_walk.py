"""Asks every route and every callback of `peakline serve` with access on, with each kind of credential.

    python -m tests.paths.access_walk FOLDER

Prints JSON: {"routes": {"GET /path": {column: status}}, "callbacks": {output: {column: status}}}. A process of its own,
because the embedded store allows one folder per process.
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import Router
from starlette.types import ASGIApp

from access.web.oidc_settings import OidcSettings
from access.web.settings import WebSettings
from tests.factories.guarded import Guarded, fastapi_of, guarded
from vocabulary.access import Role

NOBODY = "none"
METHODS_OF_MOUNTS = ("GET",)
OK, SEE_OTHER = 200, 303
ASKED_VALUES = {"url.pathname": "/", "ticker.tick": 1, "changed.count": 1}
"""What a browser would tell; everything else is empty. With these no callback ends before it looks at its caller."""

PROVIDER = OidcSettings(issuer="http://127.0.0.1:9", client_id="peakline", default_role=Role.VIEWER, timeout_s=1)
"""Nothing answers there: the routes exist, and say so."""

SAMPLES = {
    "request_key": "0" * 32,
    "trace_id": "0" * 32,
    "token_id": "nosuchtoken1",
    "user_id": "nosuchuser",
    "import_id": "nosuchimport",
    "name": "style.css",
    "package_name": "dash",
}
_PLACE = re.compile(r"\{(\w+)(?::path)?\}")


def routers(app: Any) -> Iterator[Any]:
    """Everything that has routes, from the door inwards."""
    while app is not None:
        if isinstance(app, Router | FastAPI):
            yield app
        app = getattr(app, "_app", None) or (app.default if isinstance(app, Router) else None)


def registered(app: ASGIApp) -> list[tuple[str, str]]:
    """(method, path template) of every route, mount and websocket."""
    found: dict[tuple[str, str], None] = {}
    for router in routers(app):
        for route in iter_route_contexts(router.routes):
            methods = getattr(route, "methods", None)
            path = route.path or "/"
            if methods is None and not hasattr(getattr(route, "original_route", route), "endpoint"):
                path, methods = f"{path}/{{path:path}}", METHODS_OF_MOUNTS
            for method in sorted(methods or {"WEBSOCKET"}):
                found[method, path] = None
    return list(found)


def filled(path: str) -> str:
    """The template with a sample in each place."""
    return _PLACE.sub(lambda place: SAMPLES.get(place[1], "nosuch"), path)


async def status_of(client: httpx.AsyncClient, method: str, path: str, token: str | None, **content: Any) -> int:
    """The status; 303 only where the browser is sent to the log-in, 200 for any other way on."""
    is_page = method in {"GET", "HEAD"} and not path.startswith(("/api", "/v1", "/_dash"))
    headers = {"Accept": "text/html" if is_page else "*/*"} | content.pop("headers", {})
    headers |= {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = await client.request(method, path, headers=headers, **content)
    is_sent = answer.status_code == SEE_OTHER and answer.headers["location"].startswith("/login?next=")
    is_elsewhere = answer.status_code == SEE_OTHER and (not is_sent or path.startswith("/log"))
    return OK if is_elsewhere else answer.status_code


async def websocket_status(app: ASGIApp, path: str, token: str | None) -> int:
    """The code that the door closes a websocket with before it opens; 101 when it lets it through."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost")] + ([] if token is None else [(b"authorization", f"Bearer {token}".encode())])
    scope = {
        "type": "websocket",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8600),
        "scheme": "ws",
        "subprotocols": [],
        "state": {},
    }
    await app(scope, receive, send)
    return int(sent[0].get("code", 0)) if sent[0]["type"] == "websocket.close" else 101


def content_for(method: str, path: str) -> dict[str, Any]:
    """What makes a request get past the checks of its form, so that its answer tells of access and nothing else."""
    if path == "/v1/traces":
        return {"content": b"", "headers": {"Content-Type": "application/x-protobuf"}}
    return {"json": {}} if method in {"POST", "PUT", "PATCH"} and path.startswith("/api/") else {}


def callback_body(output: str, entry: dict[str, Any]) -> dict[str, Any]:
    """What a browser sends for a callback, all values empty."""
    outputs = [one.rpartition(".") for one in output.strip(".").split("...")]
    told = [{"id": name.partition("@")[0], "property": prop.partition("@")[0]} for name, _, prop in outputs]

    def values(kind: str) -> list[dict[str, Any]]:
        named = [(one["id"], one["property"]) for one in entry.get(kind, [])]
        return [{"id": id_, "property": what, "value": ASKED_VALUES.get(f"{id_}.{what}")} for id_, what in named]

    return {
        "output": output,
        "outputs": told if output.startswith("..") else told[0],
        "inputs": values("inputs"),
        "state": values("state"),
        "changedPropIds": [f"{one['id']}.{one['property']}" for one in values("inputs")],
    }


async def walk(found: Guarded) -> dict[str, Any]:
    app = found.server.app
    columns: dict[str, str | None] = {NOBODY: None, **found.tokens}
    routes: dict[str, dict[str, int]] = {}
    callbacks: dict[str, dict[str, int]] = {}
    async with found.server.lifespan():
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for method, template in registered(app):
                path = filled(template)
                row = routes.setdefault(f"{method} {template}", {})
                for column, token in columns.items():
                    if method == "WEBSOCKET":
                        row[column] = await websocket_status(app, path, token)
                    else:
                        row[column] = await status_of(client, method, path, token, **content_for(method, path))
            for output, entry in server_side(app).items():
                body = callback_body(output, entry)
                callbacks[output] = {
                    column: await status_of(client, "POST", "/_dash-update-component", token, json=body)
                    for column, token in columns.items()
                }
    return {"routes": routes, "callbacks": callbacks}


def server_side(app: ASGIApp) -> dict[str, Any]:
    """Callbacks that run here, by output."""
    from dash import get_app

    assert fastapi_of(app) is get_app().server
    return {name: entry for name, entry in get_app().callback_map.items() if entry.get("callback")}


def main() -> None:
    web = WebSettings(is_on=True, public_url="http://localhost")
    with guarded(Path(sys.argv[1]), web=web, oidc=PROVIDER) as found:
        sys.stdout.write(json.dumps(asyncio.run(walk(found))))


if __name__ == "__main__":
    main()
