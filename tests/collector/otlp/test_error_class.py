"""Errors of many emitters fall into few classes."""

import pytest

from collector.otlp.error_class import ErrorFacts, classify
from vocabulary.outcomes import ErrorClass


def found(error_type: str = "", exception_type: str = "", message: str = "", http_status: int = 0) -> tuple[str, str]:
    finding = classify(ErrorFacts(error_type, exception_type, message, http_status))
    return finding.found, finding.source


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        (400, ErrorClass.INVALID_REQUEST),
        (401, ErrorClass.AUTH),
        (404, ErrorClass.NOT_FOUND),
        (408, ErrorClass.TIMEOUT),
        (422, ErrorClass.INVALID_REQUEST),
        (429, ErrorClass.RATE_LIMITED),
        (499, ErrorClass.CANCELLED),
        (500, ErrorClass.ENGINE_ERROR),
        (503, ErrorClass.OVERLOADED),
        (504, ErrorClass.TIMEOUT),
        (529, ErrorClass.OVERLOADED),
    ],
)
def test_a_status_tells_the_class(status: int, wanted: ErrorClass) -> None:
    assert found(http_status=status) == (wanted, "http_status")
    assert found(error_type=str(status)) == (wanted, "error.type")


def test_a_status_outranks_a_type_that_contradicts_it() -> None:
    assert found("invalid_request_error", http_status=429) == (ErrorClass.RATE_LIMITED, "http_status")


def test_a_too_long_context_is_its_own_kind_of_400() -> None:
    message = "This model's maximum context length is 4096 tokens."
    assert found(message=message, http_status=400) == (ErrorClass.CONTEXT_LENGTH, "status.message")
    assert classify(ErrorFacts("", "", message, 400)).context_window == 4096
    assert found("context_length_exceeded") == (ErrorClass.CONTEXT_LENGTH, "error.type")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("openai.RateLimitError", ErrorClass.RATE_LIMITED),
        ("litellm.Timeout: Request timed out.", ErrorClass.TIMEOUT),
        ("APITimeoutError", ErrorClass.TIMEOUT),
        ("DEADLINE_EXCEEDED", ErrorClass.TIMEOUT),
        ("ServiceUnavailableError", ErrorClass.OVERLOADED),
        ("overloaded_error", ErrorClass.OVERLOADED),
        ("AuthenticationError", ErrorClass.AUTH),
        ("CancelledError", ErrorClass.CANCELLED),
        ("model_not_found", ErrorClass.NOT_FOUND),
        ("openai.BadRequestError", ErrorClass.INVALID_REQUEST),
        ("EngineDeadError", ErrorClass.ENGINE_ERROR),
        ("CUDA out of memory", ErrorClass.ENGINE_ERROR),
        ("KV cache transfer failed", ErrorClass.KV_TRANSFER),
        ("something else", ErrorClass.UNKNOWN),
    ],
)
def test_words_tell_the_class(text: str, wanted: ErrorClass) -> None:
    assert found(exception_type=text) == (wanted, "exception.type")


def test_a_status_inside_a_message_counts() -> None:
    assert found(message="Error code: 429 - {'error': {}}") == (ErrorClass.RATE_LIMITED, "status.message")


def test_status_200_hides_nothing() -> None:
    assert found("engine_error", http_status=200) == (ErrorClass.ENGINE_ERROR, "error.type")


def test_an_error_without_words_is_unknown() -> None:
    assert found() == (ErrorClass.UNKNOWN, "status.message")
