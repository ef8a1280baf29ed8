"""What a name says about its value: plain, content, secret or personal. The lists are data, in content_keys.yaml."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any

import yaml

from collector.otlp.remember import remembered

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


class KeyClass(IntEnum):
    """How a value under this name is treated before it is stored."""

    PLAIN = 0
    MEASURE = 1  # a number: a text that is none is reduced
    LOOKALIKE = 2  # content by its words: numbers and flags are kept
    TOKEN = 3  # an access token unless it is a number
    CONTENT = 4
    SECRET = 5
    PERSONAL = 6


@dataclass(frozen=True, slots=True)
class Globs:
    """Names, beginnings and ends of names; no pattern machine, because a sender may invent names by the million."""

    exact: frozenset[str]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]

    def match(self, name: str) -> bool:
        """Whether a lower-case name is meant by its beginning or its end."""
        return name.startswith(self.prefixes) or name.endswith(self.suffixes)


@dataclass(frozen=True, slots=True)
class KeyRules:
    """Compiled content_keys.yaml.

    secret_value   pattern of secrets by look, for RE2 and `re` alike
    secret_hint    cheap pattern that matches wherever secret_value does
    secret_pairs   two neighbouring characters that are in every such text, but for `name=value` and `word value`
    secret_ends    last letters of the words in `word value`
    known_phrases  pattern of what may be kept of an error message
    """

    plain: Globs
    measures: Globs
    content: Globs
    secret: Globs
    personal: Globs
    content_words: frozenset[str]
    broad_words: frozenset[str]
    facts: frozenset[str]
    namespaces: tuple[str, ...]
    secret_words: frozenset[str]
    token_measures: frozenset[str]
    secret_value: str
    secret_hint: str
    secret_pairs: tuple[str, ...]
    secret_ends: str
    known_phrases: str


def words_of(key: str) -> list[str]:
    """Lower-case words of a name: split at punctuation, underscores, digits and capitals."""
    return [word.lower() for word in _WORD.findall(key)]


@lru_cache(maxsize=1)
def key_rules() -> KeyRules:
    """The rules of content_keys.yaml, read once."""
    text = resources.files("collector.otlp").joinpath("content_keys.yaml").read_text(encoding="utf-8")
    lists: dict[str, Any] = yaml.safe_load(text)
    return KeyRules(
        plain=_globs(lists["plain"]),
        measures=_globs(lists["measures"]),
        content=_globs(lists["content"]),
        secret=_globs(lists["secret"]),
        personal=_globs(lists["personal"]),
        content_words=frozenset(lists["content_words"]),
        broad_words=frozenset(lists["broad_words"]),
        facts=frozenset(lists["facts"]),
        namespaces=tuple(lists["namespaces"]),
        secret_words=frozenset(lists["secret_words"]),
        token_measures=frozenset(lists["token_measures"]),
        secret_value="|".join(lists["secret_values"]),
        secret_hint="|".join(lists["secret_hints"]),
        secret_pairs=tuple(lists["secret_pairs"]),
        secret_ends=lists["secret_ends"],
        known_phrases="|".join(lists["known_phrases"]),
    )


@remembered(1 << 14)
def key_class(key: str) -> KeyClass:
    """Class of an attribute name; whole names first, then beginnings and ends of names, then look-alikes."""
    rules = key_rules()
    lowered = key.lower()
    lists = (
        (rules.secret, KeyClass.SECRET),
        (rules.personal, KeyClass.PERSONAL),
        (rules.content, KeyClass.CONTENT),
        (rules.measures, KeyClass.MEASURE),
        (rules.plain, KeyClass.PLAIN),
    )
    listed = [found for globs, found in lists if lowered in globs.exact]
    listed += [found for globs, found in lists if globs.match(lowered)]
    return listed[0] if listed else _look(_telling_words(key, rules), rules)


def class_of(key: str, *, capture_content: bool) -> KeyClass:
    """Class of a name, content being plain where it is captured."""
    found = key_class(key)
    is_lifted = capture_content and found in {KeyClass.CONTENT, KeyClass.LOOKALIKE}
    return KeyClass.PLAIN if is_lifted else found


def _look(words: Sequence[str], rules: KeyRules) -> KeyClass:
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    if any(pair in rules.secret_words for pair in pairs):
        return KeyClass.SECRET
    for position, word in enumerate(words):
        follower = words[position + 1] if position + 1 < len(words) else ""
        if word in rules.secret_words and not (word == "token" and follower in rules.token_measures):
            return KeyClass.TOKEN if word == "token" else KeyClass.SECRET
    return KeyClass.LOOKALIKE if _says_content(words, rules) else KeyClass.PLAIN


def _telling_words(key: str, rules: KeyRules) -> list[str]:
    """Words of a name, less those of a known namespace if any other is left."""
    known = next((len(beginning) for beginning in rules.namespaces if key.lower().startswith(beginning)), 0)
    behind = words_of(key[known:])
    return behind if any(word.isalpha() for word in behind) else words_of(key)


def _says_content(words: Sequence[str], rules: KeyRules) -> bool:
    if rules.content_words.intersection(words):
        return True
    broad = [position for position, word in enumerate(words) if word in rules.broad_words]
    return bool(broad) and not (words[broad[-1] + 1 :] and rules.facts.issuperset(words[broad[-1] + 1 :]))


def _globs(patterns: Iterable[str]) -> Globs:
    lowered = [pattern.lower() for pattern in patterns]
    assert all(pattern.strip("*").count("*") == 0 for pattern in lowered), "a star stands at one end only"
    return Globs(
        exact=frozenset(pattern for pattern in lowered if "*" not in pattern),
        prefixes=tuple(pattern[:-1] for pattern in lowered if pattern.endswith("*")),
        suffixes=tuple(pattern[1:] for pattern in lowered if pattern.startswith("*")),
    )
