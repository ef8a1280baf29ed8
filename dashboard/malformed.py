"""What no browser of ours sends is answered with 400 or 404, where Dash would fail with 500."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from dash import Dash
from dash.exceptions import DashException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CALLBACKS = "/_dash-update-component"
BODY_BYTES_MAX = 1 << 20
READ_MAX_S = 10.0
"""Seconds for a whole body: what has come of it waits in memory."""
_BAD_REQUEST, _TIMEOUT, _TOO_LARGE = 400, 408, 413
_TITLES = {_BAD_REQUEST: "Bad Request", _TIMEOUT: "Request Timeout", _TOO_LARGE: "Content Too Large"}
_WITHOUT_BODY = frozenset({"GET", "HEAD"})
_TYPES: Mapping[str, type] = {
    "url.pathname": str,
    "url.search": str,
    "ticker.tick": int,
    "waterfall.selected": str,
    "trace.data": dict,
    "changed.count": int,
}
"""What the values of our callbacks are; None is always possible."""


class Place(msgspec.Struct):
    """An input or a state with its value; of an output the value is left out."""

    id: str
    property: str
    value: Any = None


class Asked(msgspec.Struct):
    """The part of a callback's request that Dash relies on."""

    output: str
    outputs: list[Place] | Place
    inputs: list[Place]
    changedPropIds: list[str] = []  # noqa: N815 - Dash's name
    state: list[Place] = []


class WellFormed:
    """In front of the application: JSON is bounded, and a callback's request names a callback and values of its types.

    Dash reads every JSON body whole, on every path, before any route could say how much it takes, also on those that
    strangers may ask. Nothing here reads the body of a GET, so that it is never waited for.

    read_max_s  seconds that a body may take to come
    """

    def __init__(self, app: ASGIApp, dash: Dash, read_max_s: float = READ_MAX_S) -> None:
        self._app = app
        self._dash = dash
        self._read_max_s = read_max_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, look at it, and hand it on as it came."""
        is_callback = scope["type"] == "http" and scope["path"] == CALLBACKS and scope["method"] == "POST"
        if not is_callback and not _is_json(scope):
            await self._app(scope, receive, send)
            return
        if scope["method"] in _WITHOUT_BODY:
            await self._app(_without_type(scope), receive, send)
            return
        try:
            async with asyncio.timeout(self._read_max_s):
                body = await _body(receive)
        except TimeoutError:
            await _problem(_TIMEOUT, f"The body did not come within {self._read_max_s:g} s.")(scope, receive, send)
            return
        if body is None:
            await _problem(_TOO_LARGE, f"At most {BODY_BYTES_MAX} bytes of JSON are taken.")(scope, receive, send)
        elif is_callback and (fault := objection(body, self._dash.callback_map)):
            await _problem(_BAD_REQUEST, fault)(scope, receive, send)
        else:
            await self._app(scope, _again(body, receive), send)


class KnownFiles:
    """In front of the files of components: a package that is none is not found."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on."""
        try:
            await self._app(scope, receive, send)
        except DashException:
            await Response("", 404)(scope, receive, send)


def objection(body: bytes, callbacks: Mapping[str, Mapping[str, Any]]) -> str | None:
    """What is wrong with the request of a callback, None when nothing is."""
    try:
        asked = msgspec.json.decode(body, type=Asked)
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        return f"This is no request of a callback: {fault}."
    entry = callbacks.get(asked.output)
    if entry is None or not entry.get("callback"):
        return "There is no such callback; load the page again."
    for given, wanted in ((asked.inputs, entry["inputs"]), (asked.state, entry["state"])):
        if [(one.id, one.property) for one in given] != [(one["id"], one["property"]) for one in wanted]:
            return "These are not the values of this callback; load the page again."
    return next(filter(None, map(_wrong_type, (*asked.inputs, *asked.state))), None)


def _wrong_type(place: Place) -> str | None:
    name = f"{place.id}.{place.property}"
    wanted = _TYPES.get(name)
    if wanted is None or place.value is None or type(place.value) is wanted:
        return None
    return f"The value of {name} is of another type."


def _is_json(scope: Scope) -> bool:
    if scope["type"] != "http":
        return False
    return any(name == b"content-type" and value.startswith(b"application/json") for name, value in scope["headers"])


def _without_type(scope: Scope) -> Scope:
    """The request as if nobody had said that JSON comes."""
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"content-type"]}


async def _body(receive: Receive) -> bytes | None:
    """The whole body, None when it is too large; what had come when a sender left."""
    body, is_more = bytearray(), True
    while is_more:
        message = await receive()
        body += message.get("body", b"")
        is_more = message.get("more_body", False) and message["type"] == "http.request"
        if len(body) > BODY_BYTES_MAX:
            return None
    return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """The body once more, then whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def told() -> Message:
        return waiting.pop() if waiting else await receive()

    return told


def _problem(status: int, detail: str) -> Response:
    problem = {"type": "about:blank", "title": _TITLES[status], "status": status, "detail": detail}
    return JSONResponse(problem, status, media_type="application/problem+json")
