"""Pure ASGI layers around the whole application: security headers, and assets that are compressed once."""

import asyncio
import gzip
import hashlib
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import brotli
from dash import Dash
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Headers = list[tuple[bytes, bytes]]
ASSET_PATHS = ("/_dash-component-suites/", "/assets/")
_BROTLI_QUALITY = 7
_GZIP_LEVEL = 6
_OK = 200


class ContentSecurityPolicy:
    """Adds a strict policy and its sisters to every HTTP answer. Scripts: own files, and Dash's inline ones by hash.

    Styles need 'unsafe-inline': Mantine and Plotly set them from scripts.
    """

    def __init__(self, app: ASGIApp, dash: Dash) -> None:
        self._app = app
        self._dash = dash
        self._headers: Headers = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; the policy is worked out at the first answer, when all inline scripts are known."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self._known_headers()]
            await send(message)

        await self._app(scope, receive, secured)

    def _known_headers(self) -> Headers:
        if not self._headers:
            self._headers = [
                (b"content-security-policy", policy(list(self._dash.csp_hashes())).encode()),
                (b"x-content-type-options", b"nosniff"),
                (b"referrer-policy", b"same-origin"),
                (b"x-frame-options", b"DENY"),
                (b"cross-origin-opener-policy", b"same-origin"),
            ]
        return self._headers


def policy(script_hashes: list[str]) -> str:
    """The Content-Security-Policy: nothing from elsewhere, no eval, no inline script without its hash."""
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *script_hashes]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


@dataclass(frozen=True, slots=True)
class Packed:
    """One asset in one encoding, ready to be sent."""

    tag: bytes
    headers: Headers
    body: bytes


class PackedAssets:
    """Compresses each static file once (Brotli, else gzip) in a thread and keeps it; fingerprinted ones never expire.

    What is not 200 passes through unchanged. Memory is bounded by the assets that exist: a packed entry is made only
    for a path that was answered with 200, and its query takes no part in the key.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._packed: dict[tuple[str, str], Packed] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a GET of an asset from memory, pass everything else on."""
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith(ASSET_PATHS):
            await self._app(scope, receive, send)
            return
        asked = dict(scope["headers"])
        encoding = _encoding(asked.get(b"accept-encoding", b""))
        found = self._packed.get((scope["path"], encoding))
        if found is None:
            status, headers, body = await _whole_answer(self._app, scope, receive)
            if status != _OK:
                await _answer(send, status, headers, body)
                return
            found = await asyncio.to_thread(_pack, encoding, headers, body)
            self._packed[scope["path"], encoding] = found
        fresh = asked.get(b"if-none-match") == found.tag
        headers = [*found.headers, (b"cache-control", _lifetime(scope))]
        await _answer(send, 304 if fresh else _OK, headers, b"" if fresh else found.body)


def _encoding(accepted: bytes) -> str:
    offers = {part.partition(b";")[0].strip() for part in accepted.split(b",")}
    return "br" if b"br" in offers else "gzip" if b"gzip" in offers else "identity"


async def _whole_answer(app: ASGIApp, scope: Scope, receive: Receive) -> tuple[int, Headers, bytes]:
    """What the application answers when asked for the plain file, whatever the browser has."""
    status, headers, pieces = _OK, Headers(), list[bytes]()

    async def collect(message: MutableMapping[str, Any]) -> None:
        nonlocal status, headers
        if message["type"] == "http.response.start":
            status, headers = message["status"], list(message.get("headers", []))
        elif message["type"] == "http.response.body":
            pieces.append(message.get("body", b""))

    conditional = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}
    plain = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in conditional]}
    await app(plain, receive, collect)
    return status, headers, b"".join(pieces)


_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, quality=_BROTLI_QUALITY),
    "gzip": lambda body: gzip.compress(body, _GZIP_LEVEL, mtime=0),
    "identity": lambda body: body,
}
_REPLACED = {
    b"content-length",
    b"etag",
    b"cache-control",
    b"vary",
    b"last-modified",
    b"content-encoding",
    b"accept-ranges",
}


def _pack(encoding: str, headers: Headers, body: bytes) -> Packed:
    tag = b'"' + hashlib.sha256(body).hexdigest()[:24].encode() + b"-" + encoding.encode() + b'"'
    kept = [(name, value) for name, value in headers if name not in _REPLACED]
    kept += [(b"etag", tag), (b"vary", b"accept-encoding")]
    if encoding != "identity":
        kept.append((b"content-encoding", encoding.encode()))
    return Packed(tag, kept, _PACKERS[encoding](body))


def _lifetime(scope: Scope) -> bytes:
    """A name or query that changes with the content may be kept for ever; anything else is asked for again."""
    is_fingerprinted = scope["query_string"].startswith(b"m=") or ".v" in scope["path"].rpartition("/")[2]
    return b"public, max-age=31536000, immutable" if is_fingerprinted else b"no-cache"


async def _answer(send: Send, status: int, headers: Headers, body: bytes) -> None:
    sized = [pair for pair in headers if pair[0] != b"content-length"]
    if status != 304:  # noqa: PLR2004 - not modified has no body and no length
        sized.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": sized})
    await send({"type": "http.response.body", "body": body})
