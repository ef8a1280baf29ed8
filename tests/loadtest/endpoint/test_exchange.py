import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from loadtest.endpoint.exchange import Exchange, while_connected
from loadtest.endpoint.refusals import Refusal


class Wire:
    """The two ends of an ASGI connection."""

    def __init__(self, messages: Sequence[dict[str, Any]] = (), headers: Sequence[tuple[bytes, bytes]] = ()) -> None:
        self.messages = list(messages)
        self.sent: list[Any] = []
        self.exchange = Exchange({"type": "http", "headers": list(headers)}, self.receive, self.send)

    async def receive(self) -> Any:
        if self.messages:
            return self.messages.pop(0)
        return await asyncio.Event().wait()

    async def send(self, message: Any) -> None:
        self.sent.append(message)


def part(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


LEFT = {"type": "http.disconnect"}


def test_a_body_is_read_to_its_end() -> None:
    assert asyncio.run(Wire([part(b"ab", more=True), part(b"c")]).exchange.body(3)) == b"abc"


def test_a_body_over_the_bound_is_refused_before_it_is_read_whole() -> None:
    wire = Wire([part(b"ab", more=True), part(b"cd", more=True), part(b"ef")])
    with pytest.raises(Refusal) as caught:
        asyncio.run(wire.exchange.body(3))
    assert caught.value.status == 413
    assert len(wire.messages) == 1


def test_the_callers_request_id_is_kept_and_one_is_made_otherwise() -> None:
    assert Wire(headers=[(b"x-request-id", b"mine")]).exchange.request_id == "mine"
    assert Wire(headers=[(b"x-request-id", b"x" * 500)]).exchange.request_id == "x" * 128
    assert len(Wire().exchange.request_id) == 32


def test_every_answer_carries_the_request_id() -> None:
    wire = Wire(headers=[(b"x-request-id", b"mine")])
    asyncio.run(wire.exchange.json(b"{}", 201))
    assert wire.sent[0]["status"] == 201
    assert (b"x-request-id", b"mine") in wire.sent[0]["headers"]
    assert wire.sent[1] == {"type": "http.response.body", "body": b"{}", "more_body": False}


def test_a_broken_answer_never_ends() -> None:
    wire = Wire()
    asyncio.run(wire.exchange.break_off())
    assert [message.get("more_body") for message in wire.sent] == [None, True]


def test_a_client_that_leaves_is_noticed_while_it_is_answered() -> None:
    async def answering() -> None:
        left = asyncio.Event()
        await while_connected(Wire([LEFT]).exchange, left.set, asyncio.wait_for(_until(left), 5))

    asyncio.run(answering())


def test_nobody_has_left_when_the_answer_comes_first() -> None:
    gone: list[bool] = []
    asyncio.run(while_connected(Wire().exchange, lambda: gone.append(True), asyncio.sleep(0)))
    assert not gone


async def _until(event: asyncio.Event) -> None:
    await event.wait()
