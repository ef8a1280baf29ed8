"""What is wrong with a configuration, one sentence each; values are never repeated, for they may be secrets."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from documents.nearest import nearest
from peakline_server.configuration.kinds import duration_text
from vocabulary.errors import PeaklineError

_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LINES: Final = "`key: value` lines are wanted here"
_LIST: Final = "a list is wanted here"
_NUMBER: Final = "a number is wanted here"
_WHOLE: Final = "a whole number is wanted here"
_SENTENCES: Mapping[str, str] = {
    "int_parsing": _WHOLE,
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing_size": _WHOLE,
    "float_parsing": _NUMBER,
    "float_type": _NUMBER,
    "finite_number": "a finite number is wanted here",
    "bool_parsing": "true or false is wanted here",
    "bool_type": "true or false is wanted here",
    "string_type": "text is wanted here",
    "string_too_short": "this must not be empty",
    "too_short": "this must not be empty",
    "string_too_long": "this must not be longer than {max_length} characters",
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": _LINES,
    "model_type": _LINES,
    "model_attributes_type": _LINES,
    "greater_than_equal": "this must be at least {ge}",
    "less_than_equal": "this must be at most {le}",
    "enum": "one of {expected} is wanted here",
}
"""pydantic's kind of error -> a sentence for a person."""


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One thing that is wrong.

    where   file with line, variable or option; '' for what nobody told
    path    of the setting, '' for the file as a whole
    line    in the file, 0 elsewhere
    """

    line: int
    where: str
    path: str
    reason: str

    def __str__(self) -> str:
        """The sentence."""
        told = ": ".join(part for part in (self.where, self.path, self.reason) if part)
        return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], told)


class ConfigurationError(PeaklineError):
    """A configuration that cannot be used; the message has a sentence per line."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(sorted(set(mistakes)))
        super().__init__("\n".join(map(str, self.mistakes)))


def unknown(word: str, known: Sequence[str]) -> str:
    """About a key that does not exist, with the one that was probably meant."""
    meant = nearest(word, known)
    return f"unknown key; did you mean {meant!r}?" if meant else f"unknown key; known here: {', '.join(known)}"


def reasons(
    fault: ValidationError, known: Callable[[tuple[str | int, ...]], Sequence[str]]
) -> list[tuple[tuple[str | int, ...], str]]:
    """Every complaint of pydantic as (steps from the value on, sentence).

    known  the keys at some steps, for unknown ones
    """
    found = fault.errors(include_url=False, include_input=False)
    return list(dict.fromkeys((tuple(one["loc"]), _reason(one, known)) for one in found))


def _reason(one: ErrorDetails, known: Callable[[tuple[str | int, ...]], Sequence[str]]) -> str:
    context: dict[str, Any] = one.get("ctx", {})
    if one["type"] == "value_error":
        return str(context["error"])
    if one["type"] == "missing":
        return f"{one['loc'][-1]!r} is missing"
    if one["type"] == "extra_forbidden":
        return unknown(str(one["loc"][-1]), known(tuple(one["loc"][:-1])))
    told = {key: _plain(value) for key, value in context.items()}
    return _SENTENCES.get(one["type"], "this cannot be used here").format(**told)


def _plain(value: object) -> str:
    if isinstance(value, timedelta):
        return duration_text(value)
    return f"{value:g}" if isinstance(value, float) else str(value).replace("'", "").replace(" or ", ", ")
