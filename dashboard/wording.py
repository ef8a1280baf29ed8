"""Looks up words in the catalogues `texts/*.json`; a missing key is a programmer's error."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES: dict[str, str] = {"en": "English", "zh": "简体中文"}
"""Language codes and their own names."""

HTML_LANGUAGES: dict[str, str] = {"en": "en", "zh": "zh-Hans"}
DEFAULT_LANGUAGE = "en"
_FOLDER = Path(__file__).parent / "texts"
_QUALITY = re.compile(r"q=([01](?:\.\d{0,3})?)")
_MOST_OFFERS = 20


@dataclass(frozen=True, slots=True)
class Wording:
    """One language's words; call it with a key and the values its text names."""

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of `key` with `{names}` filled in."""
        text = self.texts[key]
        return text.format(**values) if values else text

    def known(self, prefix: str, word: str) -> str:
        """A word from data in this language where the catalogue has it, else as it came."""
        return self.texts.get(f"{prefix}.{word}", word)


@cache
def wording(language: str) -> Wording:
    """The catalogue of a language; English for one that is not spoken here."""
    spoken = language if language in LANGUAGES else DEFAULT_LANGUAGE
    text = (_FOLDER / f"{spoken}.json").read_text(encoding="utf-8")
    return Wording(spoken, json.loads(text))


def choose(asked: str, remembered: str, accepted: str = "") -> str:
    """Language of a page: the address first, then the cookie, then the browser's Accept-Language, then English."""
    wanted = (asked, remembered, *_accepted(accepted))
    return next((language for language in wanted if language in LANGUAGES), DEFAULT_LANGUAGE)


def _accepted(header: str) -> list[str]:
    """Primary languages of an Accept-Language header (RFC 9110, 12.5.4), the best first; what is unreadable is out."""
    found: list[tuple[float, str]] = []
    for offer in header.split(",")[:_MOST_OFFERS]:
        language, _, weight = offer.strip().partition(";")
        share = _QUALITY.fullmatch(weight.strip() or "q=1")
        if share and float(share[1]) > 0:
            found.append((-float(share[1]), language.strip().lower().partition("-")[0]))
    return [language for _, language in sorted(found, key=lambda pair: pair[0])]
