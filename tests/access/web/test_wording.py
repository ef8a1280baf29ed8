import string
from typing import Any

import pytest

from access.web.refusal import Reason
from access.web.wording import LANGUAGES, language_of, wording
from vocabulary.access import Permission, Role


def _scope(accepted: str = "", cookie: str = "") -> dict[str, Any]:
    headers = [(b"accept-language", accepted.encode()), (b"cookie", f"peakline_lang={cookie}".encode())]
    return {"headers": headers}


@pytest.mark.parametrize(
    ("asked", "cookie", "accepted", "language"),
    [
        ("zh", "en", "en", "zh"),
        ("xx", "zh", "en", "zh"),
        ("", "xx", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("", "", "en-GB,zh;q=0.9", "en"),
        ("", "", "fr, zh;q=0.3, en;q=0.5", "en"),
        ("", "", "zh;q=0", "en"),
        ("", "", "zh;q=many", "en"),
        ("", "", "", "en"),
    ],
)
def test_the_address_wins_over_the_cookie_over_the_browser(
    asked: str, cookie: str, accepted: str, language: str
) -> None:
    assert language_of(_scope(accepted, cookie), asked) == language


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_exists_in_every_language_with_the_same_values() -> None:
    english = wording("en").texts
    for code in LANGUAGES:
        other = wording(code).texts
        assert other.keys() == english.keys()
        assert {key: _names(text) for key, text in other.items()} == {
            key: _names(text) for key, text in english.items()
        }


def test_every_reason_permission_and_role_has_a_text() -> None:
    keys = wording("en").texts.keys()
    assert {f"refused.{reason}" for reason in Reason} <= keys
    assert {f"permission.{permission}" for permission in Permission} <= keys
    assert {f"role.{role}" for role in Role} <= keys


def test_values_are_filled_in() -> None:
    assert wording("en")("log_in.too_many", seconds=7) == "Too many attempts. Try again in 7 s."
