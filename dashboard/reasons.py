"""Why an alert changed its state, in the reader's language: the rows hold the reason in English."""

import re
from functools import cache

from dashboard.wording import DEFAULT_LANGUAGE, Wording, wording

KEYS = ("reached", "quiet", "fell", "unread", "held", "recovered", "withdrawn")


def told_reason(reason: str, say: Wording) -> str:
    """The reason in the language of `say`; one that is not known here stands as it was stored."""
    for key, pattern in _patterns().items():
        found = pattern.fullmatch(reason)
        if found:
            return say(key, **found.groupdict())
    return reason


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """The English texts as patterns, each value a word without spaces."""
    english = wording(DEFAULT_LANGUAGE)
    return {
        f"reason.{key}": re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\S+)", re.escape(english(f"reason.{key}"))))
        for key in KEYS
    }
