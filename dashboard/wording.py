"""Looks up words in the catalogues `texts/*.json`; a missing key is a programmer's error."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES: dict[str, str] = {"en": "English", "zh": "简体中文"}
"""Language codes and their own names."""

HTML_LANGUAGES: dict[str, str] = {"en": "en", "zh": "zh-Hans"}
DEFAULT_LANGUAGE = "en"
_FOLDER = Path(__file__).parent / "texts"


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


def choose(asked: str, remembered: str) -> str:
    """Language of a page: the address first, then the cookie, then English."""
    return next((lang for lang in (asked, remembered) if lang in LANGUAGES), DEFAULT_LANGUAGE)
