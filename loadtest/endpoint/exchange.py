"""One HTTP exchange on ASGI: a bounded body in, an answer or a broken connection out."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from loadtest.endpoint.refusals import Refusal

_TOO_LARGE = 413
_ID_MAX = 128


@dataclass(slots=True)
class Exchange:
    """A request that is being answered; `request_id` is the caller's own where there is one."""

    scope: Scope
    receive: Receive
    send: Send
    headers: Headers = field(init=False)
    request_id: str = field(init=False)
    has_started: bool = False

    def __post_init__(self) -> None:
        self.headers = Headers(scope=self.scope)
        self.request_id = self.headers.get("x-request-id", "")[:_ID_MAX] or uuid4().hex

    async def body(self, bytes_max: int) -> bytes:
        """The whole body.

        raises  Refusal when it is too large; what is left of it is not read
        """
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                break
            part: bytes = message.get("body", b"")
            size += len(part)
            if size > bytes_max:
                raise Refusal(_TOO_LARGE, f"The body is larger than {bytes_max} bytes.")
            parts.append(part)
            more = message.get("more_body", False)
        return b"".join(parts)

    async def gone(self) -> None:
        """Returns when the client has left; only after the body was read."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def start(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Status and headers."""
        self.has_started = True
        named = [*headers, ("x-request-id", self.request_id)]
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in named]
        await self.send({"type": "http.response.start", "status": status, "headers": raw})

    async def write(self, body: bytes, *, is_last: bool = False) -> None:
        """A part of the answer."""
        await self.send({"type": "http.response.body", "body": body, "more_body": not is_last})

    async def json(self, body: bytes, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> None:
        """A whole answer in JSON."""
        length = ("content-length", str(len(body)))
        await self.start(status, [("content-type", "application/json"), length, *headers])
        await self.write(body, is_last=True)

    async def break_off(self) -> None:
        """Leave the answer unfinished: the server closes the connection, as it does when a handler returns early."""
        if not self.has_started:
            await self.start(200, [("content-type", "application/json"), ("content-length", "1000000")])
        await self.write(b"")


async def while_connected(exchange: Exchange, left: Callable[[], None], answer: Awaitable[None]) -> None:
    """Answer, and say `left` as soon as the client has gone."""
    watch = asyncio.ensure_future(exchange.gone())
    watch.add_done_callback(lambda done: None if done.cancelled() or done.exception() else left())
    try:
        await answer
    finally:
        watch.cancel()
