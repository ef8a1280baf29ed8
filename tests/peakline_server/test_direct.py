"""What takes telemetry is reached before anything else could read the body."""

import asyncio

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from peakline_server.direct import Direct


async def take(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"taken {len(await request.body())}")


async def rest(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("the rest")(scope, receive, send)


@pytest.mark.parametrize(
    ("method", "path", "told"),
    [("POST", "/v1/traces", "taken 3"), ("GET", "/v1/traces", "the rest"), ("POST", "/v1/other", "the rest")],
)
def test_only_the_method_that_takes_a_body_is_short_cut(method: str, path: str, told: str) -> None:
    async def asked() -> str:
        app = Direct(rest, [Route("/v1/traces", take, methods=["POST"])])
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client:
            return (await client.request(method, path, content=b"abc")).text

    assert asyncio.run(asked()) == told
