"""Forms as browsers send them (application/x-www-form-urlencoded), read with bounds."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.types import Message, Receive, Scope

from access.web.header_values import single
from vocabulary.errors import PeaklineError

BYTES_MAX = 16 * 1024
READ_MAX_S = 10.0
_FIELDS_MAX = 20
MEDIA_TYPE = "application/x-www-form-urlencoded"


class BadFormError(PeaklineError):
    """No form, too large, or it did not arrive in time."""


@dataclass(frozen=True, slots=True)
class Form:
    """Fields of a form, and its bytes.

    A field that was sent twice has no value.
    """

    fields: Mapping[str, str]
    body: bytes

    def __getitem__(self, name: str) -> str:
        return self.fields.get(name, "")


def is_form(scope: Scope) -> bool:
    """Whether the request says that it carries a form."""
    return single(scope, b"content-type").partition(";")[0].strip().lower() == MEDIA_TYPE


async def read_form(scope: Scope, receive: Receive) -> Form:
    """The whole form.

    raises  BadFormError
    """
    if not is_form(scope):
        raise BadFormError(f"This takes a form ({MEDIA_TYPE}).")
    try:
        async with asyncio.timeout(READ_MAX_S):
            body = await _read(receive)
    except TimeoutError:
        raise BadFormError("The form did not arrive in time.") from None
    return Form(_fields(body), body)


async def _read(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise BadFormError("The sender left before the form was whole.")
        body += message.get("body", b"")
        if len(body) > BYTES_MAX:
            raise BadFormError(f"The form is larger than {BYTES_MAX} bytes.")
        if not message.get("more_body", False):
            return bytes(body)


def _fields(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=_FIELDS_MAX, encoding="utf-8", errors="strict"
        )
    except ValueError as problem:  # undecodable, or too many fields
        raise BadFormError("The form cannot be read.") from problem
    names = [name for name, _ in pairs]
    return {name: value for name, value in pairs if names.count(name) == 1}


def replay(form: Form, receive: Receive) -> Receive:
    """The form again, for whoever comes after; then what else the connection says."""
    waiting: list[Message] = [{"type": "http.request", "body": form.body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
