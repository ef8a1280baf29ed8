"""Outcomes and defects by the design's table."""

from typing import Any

import pytest

from collector.correlate import correlate
from tests.factories.hops import hop, hop_table
from vocabulary.outcomes import DefectKind, defect_names
from vocabulary.services import Objectives, ServiceBook, ServiceDefinition


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


PROMISED = ServiceBook(
    (
        ServiceDefinition(
            "chat",
            "m*",
            objectives=Objectives(ttft_s=0.5, e2e_s=2.0),
            tier_objectives={"core": Objectives(ttft_s=0.1), "batch": Objectives(e2e_s=60.0)},
        ),
        ServiceDefinition("chat", "mini", objectives=Objectives(e2e_s=0.5)),
    )
)


def slow(services: ServiceBook, **facts: Any) -> bool:
    (request,) = correlate(hop_table([hop(1, **facts)]), services).to_pylist()
    return bool(request["defects"] & DefectKind.SLOW)


@pytest.mark.parametrize(
    ("facts", "is_slow"),
    [
        ({}, False),
        ({"server_ttft_s": 0.5}, False),
        ({"server_ttft_s": 0.51}, True),
        ({"server_ttft_s": 0.51, "client_ttft_s": 0.4}, False),
        ({"server_ttft_s": 0.01, "client_ttft_s": 0.6}, True),
        ({"server_ttft_s": 0.2, "service_tier": "core"}, True),
        ({"server_ttft_s": 0.2, "service_tier": "general"}, False),
        ({"server_ttft_s": 0.2, "service_tier": "vip"}, False),
        ({"server_ttft_s": 0.9, "service_tier": "batch"}, True),
        ({"model_requested": "mini"}, True),
        ({"model_requested": "mini", "server_ttft_s": 9.0, "end_ns": None, "http_status": 200}, False),
        ({"model_requested": "other", "server_ttft_s": 9.0}, False),
        ({"service": "search", "server_ttft_s": 9.0}, False),
        ({"server_ttft_s": 9.0, "http_status": 500}, False),
        ({"server_ttft_s": 9.0, "http_status": 429}, False),
        ({"server_ttft_s": 9.0, "stated_outcome": "unknown"}, False),
    ],
)
def test_a_completed_request_over_its_objective_is_slow(facts: dict[str, Any], *, is_slow: bool) -> None:
    assert slow(PROMISED, **facts) is is_slow


def test_an_unknown_latency_is_not_slow() -> None:
    assert not slow(PROMISED, end_ns=None, http_status=200)


def test_the_end_to_end_objective_counts_from_the_request_to_its_end() -> None:
    assert not slow(ServiceBook((ServiceDefinition(objectives=Objectives(e2e_s=1.0)),)))
    assert slow(ServiceBook((ServiceDefinition(objectives=Objectives(e2e_s=0.999)),)))


def test_without_objectives_nothing_is_slow() -> None:
    assert not slow(ServiceBook(), server_ttft_s=1e6)
    assert not slow(ServiceBook((ServiceDefinition(),)), server_ttft_s=1e6)


def test_every_request_of_many_is_judged_by_its_own_objective() -> None:
    models, tiers, ttfts = ("m1", "mini", "x"), ("core", "general", ""), (0.05, 0.3, 0.9, None)
    facts: list[dict[str, Any]] = [
        {"model_requested": model, "service_tier": tier, "server_ttft_s": ttft_s}
        for model in models
        for tier in tiers
        for ttft_s in ttfts
    ]
    hops = [hop(number, trace_number=number, **fact) for number, fact in enumerate(facts, start=1)]
    together = correlate(hop_table(hops), PROMISED).to_pylist()
    assert [bool(row["defects"] & DefectKind.SLOW) for row in together] == [slow(PROMISED, **fact) for fact in facts]
    assert {bool(row["defects"]) for row in together} == {True, False}


def test_a_slow_request_keeps_its_outcome_and_its_other_defects() -> None:
    facts: dict[str, Any] = {"finish_reason": "length", "max_tokens": 10, "output_tokens": 4, "server_ttft_s": 0.9}
    (request,) = correlate(hop_table([hop(1, **facts)]), PROMISED).to_pylist()
    assert (request["outcome"], defect_names(request["defects"])) == ("completed", ["truncated", "slow"])
