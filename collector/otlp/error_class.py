"""Which class of error a span reports: the words and statuses of many emitters to vocabulary.outcomes.ErrorClass."""

import re
from functools import lru_cache
from typing import NamedTuple

from vocabulary.outcomes import ErrorClass

_STATUS = {
    400: ErrorClass.INVALID_REQUEST,
    401: ErrorClass.AUTH,
    403: ErrorClass.AUTH,
    404: ErrorClass.NOT_FOUND,
    408: ErrorClass.TIMEOUT,
    429: ErrorClass.RATE_LIMITED,
    499: ErrorClass.CANCELLED,
    503: ErrorClass.OVERLOADED,
    504: ErrorClass.TIMEOUT,
    529: ErrorClass.OVERLOADED,
}
_CONTEXT = re.compile(r"maximum context length|context[_ ]?(length|window)[_ ]?exceed", re.IGNORECASE)
_WINDOW = re.compile(r"maximum context length is (\d{2,8})", re.IGNORECASE)
_THREE_DIGITS = re.compile(r"[0-9]{3}")
_CODE = re.compile(r"\b(?:error code|status(?: code)?|http)\W{0,3}([45]\d\d)\b", re.IGNORECASE)
_WORDS: tuple[tuple[ErrorClass, re.Pattern[str]], ...] = tuple(
    (found, re.compile(pattern, re.IGNORECASE))
    for found, pattern in (
        (ErrorClass.KV_TRANSFER, r"kv[ _-]?(cache)?[ _-]?transfer"),
        (ErrorClass.RATE_LIMITED, r"rate[ _-]?limit|too many requests|quota|resource[ _]?exhausted"),
        (ErrorClass.OVERLOADED, r"overload|service[ _]?unavailable|queue (is )?full|max_num_queued"),
        (ErrorClass.TIMEOUT, r"time[ -]?d?[ -]?out|deadline"),
        (ErrorClass.CANCELLED, r"cancel|abort|client (disconnected|closed)|disconnect"),
        (ErrorClass.AUTH, r"auth|permission|forbidden|api key"),
        (ErrorClass.NOT_FOUND, r"not[ _]?found"),
        (ErrorClass.INVALID_REQUEST, r"bad[ _]?request|invalid|validation|unsupported|value ?error"),
        (
            ErrorClass.ENGINE_ERROR,
            r"engine|internal[ _]?server|out ?of ?memory|\bcuda\b|nccl|bad gateway|server[ _]?error|runtime ?error",
        ),
    )
)


class ErrorFacts(NamedTuple):
    """What a span says about its failure; '' and 0 where it says nothing."""

    error_type: str
    exception_type: str
    message: str
    http_status: int


class ErrorFinding(NamedTuple):
    """The class, which fact gave it (label of a derived source), and the context window if the message names it."""

    found: ErrorClass
    source: str
    context_window: int


@lru_cache(maxsize=1 << 10)
def classify(facts: ErrorFacts) -> ErrorFinding:
    """Class of an error; a status outranks words, except that a too long context is a 400 of its own kind."""
    window = _WINDOW.search(facts.message)
    size = int(window[1]) if window else 0
    said = (
        ("error.type", facts.error_type),
        ("exception.type", facts.exception_type),
        ("status.message", facts.message),
    )
    for source, text in said:
        if _CONTEXT.search(text) or text == "ContextWindowExceededError":
            return ErrorFinding(ErrorClass.CONTEXT_LENGTH, source, size)
    by_status = _of_status(facts.http_status)
    if by_status is not None:
        return ErrorFinding(by_status, "http_status", size)
    for source, text in said:
        found = _of_text(text)
        if found is not None:
            return ErrorFinding(found, source, size)
    source = next((source for source, text in said if text), "status.message")
    return ErrorFinding(ErrorClass.UNKNOWN, source, size)


def _of_status(status: int) -> ErrorClass | None:
    if status in _STATUS:
        return _STATUS[status]
    return {4: ErrorClass.INVALID_REQUEST, 5: ErrorClass.ENGINE_ERROR}.get(status // 100)


def _of_text(text: str) -> ErrorClass | None:
    if _THREE_DIGITS.fullmatch(text):
        return _of_status(int(text))
    code = _CODE.search(text)
    if code:
        return _of_status(int(code[1]))
    return next((found for found, pattern in _WORDS if pattern.search(text)), None)
