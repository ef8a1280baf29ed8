import asyncio
from typing import Any

import pytest

from access.web import form
from access.web.form import BadFormError, Form, is_form, read_form, replay

SCOPE = {"headers": [(b"content-type", b"application/x-www-form-urlencoded; charset=utf-8")]}


def _receiving(*messages: dict[str, Any]) -> Any:
    waiting = list(messages)

    async def receive() -> Any:
        return waiting.pop(0)

    return receive


def _chunk(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def _read(*messages: dict[str, Any], scope: Any = SCOPE) -> Form:
    return asyncio.run(read_form(scope, _receiving(*messages)))


def test_fields_are_read_over_chunks() -> None:
    found = _read(_chunk(b"name=ada&pass", more=True), _chunk(b"word=%E5%AF%86+x&empty="))
    assert (found["name"], found["password"], found["empty"], found["missing"]) == ("ada", "密 x", "", "")


def test_a_field_that_came_twice_has_no_value() -> None:
    assert _read(_chunk(b"csrf=a&csrf=b&name=x"))["csrf"] == ""


@pytest.mark.parametrize(
    "messages",
    [
        [_chunk(b"a=" + b"x" * 16_384)],
        [_chunk(b"x" * 10_000, more=True), _chunk(b"x" * 10_000, more=True)],
        [{"type": "http.disconnect"}],
        [_chunk(b"a=\xff")],
        [_chunk(b"a=%ff")],
        [_chunk(b"&".join(b"a%d=1" % number for number in range(21)))],
    ],
)
def test_what_is_too_large_or_unreadable_is_no_form(messages: list[dict[str, Any]]) -> None:
    with pytest.raises(BadFormError):
        _read(*messages)


def test_another_media_type_is_no_form() -> None:
    assert not is_form({"headers": [(b"content-type", b"application/json")]})
    with pytest.raises(BadFormError, match="takes a form"):
        _read(scope={"headers": []})


def test_a_form_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form, "READ_MAX_S", 0.01)

    async def never() -> Any:
        await asyncio.Event().wait()

    with pytest.raises(BadFormError, match="in time"):
        asyncio.run(read_form(SCOPE, never))


def test_a_form_can_be_read_again_and_then_the_connection_goes_on() -> None:
    async def twice() -> list[Any]:
        receive = _receiving(_chunk(b"a=1"), {"type": "http.disconnect"})
        again = replay(await read_form(SCOPE, receive), receive)
        return [await again(), await again()]

    assert asyncio.run(twice()) == [_chunk(b"a=1"), {"type": "http.disconnect"}]
