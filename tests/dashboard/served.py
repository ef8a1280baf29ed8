"""The dashboard as a server, with the layers that the product puts around it."""

import contextlib
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace

import uvicorn
from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.app import finish_dashboard, mount_dashboard
from dashboard.asgi import ContentSecurityPolicy, PackedAssets
from dashboard.house import DashboardHouse
from dashboard.malformed import WellFormed
from vocabulary.access import Principal


@dataclass
class Caller:
    """Who every request is from, and how long their session lasts; nobody is what an ended session looks like."""

    principal: Principal | None
    max_age_s: int | None = None


class Named:
    """Names the caller of every request, as the server's own layer does."""

    def __init__(self, app: ASGIApp, caller: Caller) -> None:
        self._app, self._caller = app, caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = {"principal": self._caller.principal, "session": self._caller}
        await self._app({**scope, "state": state}, receive, send)


def application(house: DashboardHouse, caller: Caller, api: APIRouter | None = None) -> ASGIApp:
    """The dashboard with its layers; `api` answers beside it."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await finish_dashboard(dash)
        yield

    app = FastAPI(lifespan=lifespan, docs_url=None, openapi_url=None)
    if api is not None:
        app.include_router(api)
    dash = mount_dashboard(app, lambda principal: replace(house, principal=principal))
    return Named(PackedAssets(ContentSecurityPolicy(WellFormed(app, dash), dash)), caller)


@contextlib.contextmanager
def serving(house: DashboardHouse, caller: Caller | None = None, api: APIRouter | None = None) -> Iterator[str]:
    """A fresh server on a free port; yields its URL. Everybody is the house's principal unless a caller is given."""
    app = application(house, caller or Caller(house.principal), api)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, name="dashboard")
    thread.start()
    try:
        deadline = time.monotonic() + 30
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
