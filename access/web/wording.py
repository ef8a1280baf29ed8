"""Words of this room's pages and refusals, in the language that the browser asks for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.types import Scope

from access.web.cookies import LANGUAGE_COOKIE, cookie_value
from access.web.header_values import listed

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "简体中文"}
"""Language codes and their own names."""

HTML_LANGUAGES: Mapping[str, str] = {"en": "en", "zh": "zh-Hans"}
ENGLISH = "en"
_FOLDER = Path(__file__).parent / "texts"
_OFFERS_MAX = 20


@dataclass(frozen=True, slots=True)
class Wording:
    """One language's words; call it with a key and the values its text names."""

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of `key` with `{names}` filled in."""
        text = self.texts[key]
        return text.format(**values) if values else text


@cache
def wording(language: str) -> Wording:
    """The catalogue of a language of LANGUAGES."""
    return Wording(language, json.loads((_FOLDER / f"{language}.json").read_text(encoding="utf-8")))


def language_of(scope: Scope, asked: str = "") -> str:
    """The address first, then the cookie, then what the browser prefers, then English."""
    for language in (asked, cookie_value(scope, LANGUAGE_COOKIE), _preferred(scope)):
        if language in LANGUAGES:
            return language
    return ENGLISH


def _preferred(scope: Scope) -> str:
    offers = sorted(
        map(_offer, listed(scope, b"accept-language")[:_OFFERS_MAX]), reverse=True, key=lambda offer: offer[0]
    )
    return next((language for weight, language in offers if weight > 0 and language in LANGUAGES), "")


def _offer(text: str) -> tuple[float, str]:
    tag, _, weight = text.partition(";")
    try:
        value = float(weight.strip().removeprefix("q=") or 1)
    except ValueError:
        value = 0.0
    return value, tag.strip().partition("-")[0].lower()
