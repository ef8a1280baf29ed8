"""Headers that every answer carries, whoever made it: only what is missing is added."""

from starlette.types import Message, Scope, Send

_ALWAYS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
_POLICY = b"default-src 'none'; frame-ancestors 'none'"
_PAGE_POLICY = b"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
_STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")


def secured(scope: Scope, send: Send, *, is_secure: bool) -> Send:
    """Adds to each answer what it lacks. What a principal is told stays out of caches unless the answer says more.

    is_secure  browsers come by https
    """

    async def send_secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": _completed(scope, list(message.get("headers", [])), is_secure=is_secure)}
        await send(message)

    return send_secured


def _completed(scope: Scope, headers: list[tuple[bytes, bytes]], *, is_secure: bool) -> list[tuple[bytes, bytes]]:
    known = {name.lower(): value for name, value in headers}
    is_page = known.get(b"content-type", b"").startswith(b"text/html")
    wanted = [*_ALWAYS, (b"content-security-policy", _PAGE_POLICY if is_page else _POLICY)]
    if is_secure or scope.get("scheme") == "https":
        wanted.append(_STRICT_TRANSPORT)
    if scope.get("state", {}).get("principal") is not None:
        wanted.append((b"cache-control", b"no-store"))
    return headers + [pair for pair in wanted if pair[0] not in known]
