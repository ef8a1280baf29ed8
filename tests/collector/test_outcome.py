"""Outcomes and defects by the design's table."""

from typing import Any

import pytest

from collector.correlate import correlate
from tests.factories.hops import hop, hop_table
from vocabulary.outcomes import defect_names


@pytest.mark.parametrize(
    ("facts", "outcome", "defects"),
    [
        ({"http_status": 200, "output_tokens": 3}, "completed", []),
        ({"http_status": 429}, "rejected", ["rejected"]),
        ({"http_status": 503}, "rejected", ["rejected"]),
        ({"http_status": 529}, "rejected", ["rejected"]),
        ({"error_type": "rate_limited"}, "rejected", ["rejected"]),
        ({"http_status": 500}, "failed", ["error"]),
        ({"http_status": 502}, "failed", ["error"]),
        ({"http_status": 504}, "timed_out", ["timeout"]),
        ({"error_type": "timeout"}, "timed_out", ["timeout"]),
        ({"http_status": 400}, "failed", []),
        ({"http_status": 404, "error_type": "not_found"}, "failed", []),
        ({"error_type": "context_length", "status_code": 2}, "failed", []),
        ({"http_status": 499}, "aborted", []),
        ({"error_type": "cancelled"}, "aborted", []),
        ({"finish_reason": "abort"}, "aborted", ["aborted"]),
        ({"finish_reason": "error"}, "failed", ["error"]),
        ({"status_code": 2}, "failed", ["error"]),
        ({"http_status": 200, "error_type": "engine_error"}, "failed", ["error"]),
        ({"output_tokens": 0, "http_status": 200}, "completed", ["empty"]),
        ({"output_tokens": 0, "http_status": 200, "operation": "embeddings"}, "completed", []),
        ({"finish_reason": "length", "max_tokens": 10, "output_tokens": 10}, "completed", []),
        ({"finish_reason": "length", "max_tokens": 10, "output_tokens": 4}, "completed", ["truncated"]),
        ({"finish_reason": "length", "output_tokens": 4}, "completed", []),
        ({"end_ns": None}, "unknown", []),
        ({"end_ns": None, "http_status": 200}, "completed", []),
        ({"stated_outcome": "unknown"}, "unknown", []),
        ({"stated_outcome": "nonsense"}, "completed", []),
    ],
)
def test_outcome_and_defects(facts: dict[str, Any], outcome: str, defects: list[str]) -> None:
    (request,) = correlate(hop_table([hop(1, **facts)])).to_pylist()
    assert (request["outcome"], defect_names(request["defects"])) == (outcome, defects)


@pytest.mark.parametrize(("asked", "cause"), [(None, "context"), (50, "")])
def test_a_limit_that_only_the_engine_tells_was_not_asked_for(asked: int | None, cause: str) -> None:
    gateway = hop(1, hop_role="gateway", max_tokens=asked)
    full: dict[str, Any] = {"input_tokens": 50, "output_tokens": 50, "context_window": 100, "max_tokens": 50}
    (request,) = correlate(hop_table([gateway, hop(2, parent=1, finish_reason="length", **full)])).to_pylist()
    assert (request["max_tokens"], request["truncation_cause"]) == (50, cause)


@pytest.mark.parametrize(
    ("facts", "cause"),
    [
        ({"input_tokens": 90, "output_tokens": 10, "context_window": 100}, "context"),
        ({"input_tokens": 90, "output_tokens": 10, "context_window": 100, "max_tokens": 50}, "context"),
        ({"input_tokens": 10, "output_tokens": 10, "context_window": 100, "max_tokens": 50}, "engine"),
        ({"input_tokens": 50, "output_tokens": 50, "context_window": 100, "max_tokens": 50}, ""),
    ],
)
def test_truncation_names_its_cause(facts: dict[str, Any], cause: str) -> None:
    (request,) = correlate(hop_table([hop(1, finish_reason="length", **facts)])).to_pylist()
    assert request["truncation_cause"] == cause
