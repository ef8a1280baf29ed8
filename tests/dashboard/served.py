"""The dashboard as a server, with the layers that the product puts around it."""

import contextlib
import threading
import time
from collections.abc import AsyncIterator, Iterator

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from dashboard.app import finish_dashboard, mount_dashboard
from dashboard.asgi import ContentSecurityPolicy, PackedAssets
from dashboard.house import DashboardHouse
from peakline_server.principal import PrincipalLayer


def application(house: DashboardHouse) -> tuple[FastAPI, ASGIApp]:
    """The FastAPI application and the whole with its layers."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await finish_dashboard(dash)
        yield

    api = FastAPI(lifespan=lifespan, docs_url=None, openapi_url=None)
    dash = mount_dashboard(api, house)
    return api, PrincipalLayer(PackedAssets(ContentSecurityPolicy(api, dash)))


@contextlib.contextmanager
def serving(house: DashboardHouse) -> Iterator[str]:
    """A fresh server on a free port; yields its URL."""
    server = uvicorn.Server(uvicorn.Config(application(house)[1], port=0, log_level="warning", ws="none"))
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
