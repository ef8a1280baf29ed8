"""Bodies are bounded and strict, and what is wrong with one is told by name."""

import asyncio
from typing import Any

import msgspec
import pytest
from fastapi import Request

from api.bodies import BYTES_MOST, body_of, documented
from api.problems import BadBodyError
from api.shapes.access import NewToken, NewUser, UserChange
from vocabulary.access import Role


def read(content: bytes, shape: type[Any] = NewToken, content_type: str = "application/json") -> Any:
    chunks = [content[at : at + 1000] for at in range(0, len(content), 1000)] or [b""]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

    headers = [(b"content-type", content_type.encode())] if content_type else []
    request = Request({"type": "http", "method": "POST", "path": "/x", "headers": headers}, receive)
    return asyncio.run(_run(body_of(shape, role="a, b")(request)))


async def _run(waiting: Any) -> Any:
    return await waiting


def test_a_body_becomes_its_shape() -> None:
    token = read(b'{"name": "g", "role": "viewer", "tenants": ["b", "a"], "expires": null}')
    assert token == NewToken("g", Role.VIEWER, frozenset({"a", "b"}), None)


def test_what_is_absent_is_told_apart_from_null() -> None:
    assert read(b"{}", UserChange) == UserChange()
    assert read(b'{"tenants": null}', UserChange).tenants is None
    assert read(b"{}", UserChange).tenants is msgspec.UNSET


def test_json_with_a_charset_is_json() -> None:
    assert read(b'{"name": "g", "role": "viewer"}', content_type="application/json; charset=utf-8").name == "g"


@pytest.mark.parametrize(
    ("content", "field", "message"),
    [
        (b'{"name": "g", "role": "viewer", "rule": 1}', "rule", "is no field here."),
        (b'{"role": "viewer"}', "name", "is missing."),
        (b'{"name": 7, "role": "viewer"}', "name", "expected str, got int."),
        (b'{"name": "", "role": "viewer"}', "name", "expected str of length >= 1."),
        (b'{"name": "g", "role": "boss"}', "role", "must be one of a, b."),
        (b'{"name": "g", "role": "viewer", "tenants": "a"}', "tenants", "expected array | null, got str."),
        (b'{"name": "g", "role": "viewer", "tenants": ["a", 1]}', "tenants", "expected str, got int."),
        (b"[]", "", "The body must be a JSON object."),
        (b"null", "", "The body must be a JSON object."),
        (b"", "", "The body is no JSON."),
        (b"{", "", "The body is no JSON."),
        (b'{"name": "\xff"}', "", "The body is no JSON."),
    ],
)
def test_what_is_wrong_is_told_with_its_field(content: bytes, field: str, message: str) -> None:
    with pytest.raises(BadBodyError) as refused:
        read(content)
    assert (refused.value.field, str(refused.value), refused.value.status) == (field, message, 400)


def test_a_password_is_not_repeated_in_a_refusal() -> None:
    with pytest.raises(BadBodyError) as refused:
        read(b'{"name": "ada", "role": "viewer", "password": ["planted-secret"]}', NewUser)
    assert "planted" not in str(refused.value)


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
def test_another_content_type_is_refused(content_type: str) -> None:
    with pytest.raises(BadBodyError) as refused:
        read(b"{}", content_type=content_type)
    assert refused.value.status == 415


def test_a_large_body_is_refused_before_it_is_read_whole() -> None:
    with pytest.raises(BadBodyError) as refused:
        read(b" " * (BYTES_MOST + 1))
    assert (refused.value.status, str(refused.value)) == (413, "The body is larger than 64 KiB.")


def test_deep_nesting_is_refused_and_no_crash() -> None:
    with pytest.raises(BadBodyError):
        read(b'{"name": ' + b"[" * 60_000)


def test_a_body_is_documented_without_references() -> None:
    schema = documented(UserChange)["requestBody"]["content"]["application/json"]["schema"]
    assert set(schema["properties"]) == {"role", "tenants", "is_disabled", "password"}
    assert "$ref" not in str(schema)
