"""Asks every route of `peakline serve`, the one that runs callbacks included, without and with a caller's name.

    python -m tests.paths.surface_walk FOLDER

Prints JSON: what was asked -> [status without a principal, status with one]. A process of its own, because the
embedded store allows one folder per process.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.types import ASGIApp

from peakline_server.principal import PrincipalLayer
from peakline_server.settings import ServeSettings
from peakline_server.wiring import Server, build_server


def inside(app: Any) -> ASGIApp:
    """The application below the layer that names callers, which must be the outermost one."""
    assert isinstance(app, PrincipalLayer)
    inner: ASGIApp = app._app
    return inner


def fastapi_of(app: Any) -> FastAPI:
    """The application at the bottom of all layers."""
    while not isinstance(app, FastAPI):
        app = app._app
    return app


def asked(app: FastAPI) -> Iterator[tuple[str, str]]:
    """(method, path) of every route; parameters are filled with a word."""
    for route in iter_route_contexts(app.routes):
        for method in sorted(route.methods or {"GET"}):
            path = route.path or "/"
            for name in ("{path:path}", "{rest:path}", "{fingerprinted_path:path}"):
                path = path.replace(name, "x")
            yield method, path.replace("{", "").replace("}", "")


async def walk(server: Server) -> dict[str, list[int]]:
    async with server.lifespan():
        found: dict[str, list[int]] = {}
        for app in (inside(server.app), server.app):
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                for method, path in dict.fromkeys(asked(fastapi_of(server.app))):
                    answer = await client.request(method, path)
                    found.setdefault(f"{method} {path}", []).append(answer.status_code)
    return found


def main() -> None:
    server = build_server(ServeSettings(data=Path(sys.argv[1]), init=True))
    try:
        sys.stdout.write(json.dumps(asyncio.run(walk(server))))
    finally:
        server.close()


if __name__ == "__main__":
    main()
