"""JSON bodies of requests: bounded, strict, and what is wrong with them in words."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from fastapi import Request

from api.problems import BadBodyError

BYTES_MOST = 64 * 1024
JSON = "application/json"
Body = TypeVar("Body")

_AT = re.compile(r"(?P<reason>.*?) - at `\$\.?(?P<path>[^`]*)`", re.DOTALL)
_FIELD = re.compile(
    r"Object (?P<what>contains unknown|missing required) field `(?P<name>[^`]*)`(?P<rest>.*)", re.DOTALL
)
_CHOICE = re.compile(r"Invalid enum value '?(?P<value>[^']*)'?")


def body_of(shape: type[Body], **choices: str) -> Callable[[Request], Awaitable[Body]]:
    """A dependency that reads the body of a request as `shape`, a msgspec struct.

    choices  per field what may stand in it, in words, where that is an enumeration
    raises   BadBodyError: another content type, more than 64 KiB, no JSON, unknown fields, wrong types
    """
    decoder = msgspec.json.Decoder(shape)

    async def read(request: Request) -> Body:
        _check_type(request)
        content = await _bounded(request)
        try:
            return decoder.decode(content)
        except msgspec.ValidationError as error:
            raise _explained(str(error), choices) from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise BadBodyError("The body is no JSON.") from None

    return read


def documented(shape: type[Body]) -> dict[str, Any]:
    """The `openapi_extra` of a route that takes this body."""
    (schema,), parts = msgspec.json.schema_components([shape], ref_template="{name}")
    return {"requestBody": {"required": True, "content": {JSON: {"schema": _inlined(schema, parts)}}}}


def _inlined(schema: Any, parts: dict[str, Any]) -> Any:
    """A schema without references: the structs of bodies are flat, so nothing goes round in a circle."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            return _inlined(parts[schema["$ref"]], parts)
        return {name: _inlined(part, parts) for name, part in schema.items()}
    return [_inlined(part, parts) for part in schema] if isinstance(schema, list) else schema


def _check_type(request: Request) -> None:
    told = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if told != JSON:
        raise BadBodyError(f"The body must be {JSON}, not {told or 'of an unnamed type'}.", status=415)


async def _bounded(request: Request) -> bytes:
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > BYTES_MOST:
            raise BadBodyError(f"The body is larger than {BYTES_MOST // 1024} KiB.", status=413)
    return bytes(content)


def _explained(told: str, choices: dict[str, str]) -> BadBodyError:
    """The words of msgspec with the field they are about; values are not repeated: one of them may be a password."""
    if found := _FIELD.match(told):
        reason = "is no field here" if found["what"] == "contains unknown" else "is missing"
        return BadBodyError(f"{reason}.", field=found["name"])
    at = _AT.match(told)
    if at is None:
        return BadBodyError("The body must be a JSON object.")
    field = at["path"].partition("[")[0]
    if _CHOICE.match(at["reason"]):
        return BadBodyError(f"must be one of {choices.get(field, 'the documented words')}.", field=field)
    return BadBodyError(f"{at['reason'][:1].lower()}{at['reason'][1:]}.".replace("`", ""), field=field)
