"""The known word that an unknown one was probably meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches

_ALIKE = 0.6


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The most similar word in `known`, None when nothing is alike."""
    return next(iter(get_close_matches(word, list(known), 1, _ALIKE)), None)
