"""The truth of single requests."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from loadtest.fleet.request import End, Identity, Request
from loadtest.scenarios.truth_requests import SCHEMA, RequestTable, defect_of, minutes
from tests.factories.fleets import MONDAY_NS, fleet_plan

PLAN = fleet_plan()
IDENTITY = Identity(0, 2, 0, "2026-08-14", "fp8", "bfloat16", "0.33.0", 1, 0)
FINE = (0.0, 0.0, 1.0)


def request(number: int = 1, **changes: Any) -> Request:
    plain = Request(
        number=number,
        arrival_s=61.0,
        model=0,
        tenant=2,
        session=-1,
        prefix_tokens=0,
        prompt_tokens=100,
        natural_tokens=50,
        limit_tokens=512,
        max_tokens=512,
        is_streamed=True,
        temperature=0.0,
        patience_s=80.0,
        luck=0.5,
        when=0.5,
        ended_s=65.5,
        first_token_s=62.0,
        tokens=50.0,
        identity=IDENTITY,
    )
    return replace(plain, **changes)


def row(one: Request, loss: tuple[float, float, float] = FINE) -> dict[str, object]:
    found: dict[str, object] = RequestTable(PLAN).table([one], [loss]).to_pylist()[0]
    return found


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, ""),
        ({"end": End.CONTEXT_TOO_LONG}, ""),
        ({"end": End.CLIENT_GONE}, ""),
        ({"end": End.RATE_LIMITED}, "rejected"),
        ({"end": End.QUEUE_FULL}, "rejected"),
        ({"end": End.OVERLOADED}, "rejected"),
        ({"end": End.TIMED_OUT}, "timeout"),
        ({"end": End.ENGINE_ERROR}, "error"),
        ({"end": End.DEPENDENCY_FAILED}, "error"),
        ({"end": End.REPLICA_LOST}, "error"),
        ({"end": End.NEVER_CONNECTED}, "unseen"),
        ({"tokens": 0.0}, "empty"),
        ({"is_cut": True, "max_tokens": 512, "limit_tokens": 512}, ""),
        ({"is_cut": True, "max_tokens": 0, "limit_tokens": 400}, "truncated"),
        ({"is_cut": True, "max_tokens": 512, "limit_tokens": 400}, "truncated"),
    ],
)
def test_defects_are_the_products_own(changes: dict[str, Any], kind: str) -> None:
    assert defect_of(request(**changes)) == kind
    assert row(request(**changes))["is_defect"] == (kind != "")


def test_a_row_has_names_absolute_times_and_the_trace() -> None:
    found = row(request())
    assert found["model"] == "meridian-70b-instruct"
    assert (found["tenant"], found["service_tier"]) == ("nova-retail", "general")
    assert str(found["pod"]).startswith("meridian-70b-instruct-")
    assert found["arrival_ns"] == MONDAY_NS + 61 * 10**9
    assert found["end_ns"] == MONDAY_NS + 65_500_000_000
    assert len(str(found["trace_id"])) == 32
    assert (found["number"], found["first_number"]) == (1, 1)


def test_what_no_replica_saw_has_no_pod_and_no_first_token() -> None:
    found = row(request(identity=None, first_token_s=-1.0, end=End.QUEUE_FULL))
    assert (found["pod"], found["revision"], found["first_token_ns"], found["attempts"]) == ("", "", None, 0)


def test_what_was_emitted_follows_losses_and_sampling() -> None:
    assert row(request())["emitted"] == "both"
    assert row(request(end=End.TIMED_OUT))["emitted"] == "gateway"
    assert row(request(end=End.NEVER_CONNECTED))["emitted"] == "none"
    assert row(request(), (1.0, 0.0, 1.0))["emitted"] == "gateway"
    assert row(request(), (0.0, 1.0, 1.0))["emitted"] == "engine"
    sampled = [row(request(number), (0.0, 0.0, 0.25))["emitted"] for number in range(400)]
    assert 70 < sampled.count("both") < 130
    assert set(sampled) == {"both", "none"}


def test_a_base_defect_is_a_defect() -> None:
    assert row(request(is_base=True, tokens=0.0))["is_base"]
    assert not row(request(is_base=True))["is_base"]


def test_minutes_count_arrivals_and_ends() -> None:
    requests = RequestTable(PLAN).table(
        [request(1), request(2, end=End.TIMED_OUT), request(3, arrival_s=121.0), request(4, tenant=0)], [FINE] * 4
    )
    found = minutes(requests).to_pylist()
    assert [(one["service_tier"], one["arrivals"], one["completed"], one["timed_out"]) for one in found] == [
        ("core", 1, 1, 0),
        ("general", 2, 1, 1),
        ("general", 1, 1, 0),
    ]
    assert found[0]["minute_ns"] == MONDAY_NS + 60 * 10**9
    assert sum(one["defects"] for one in found) == 1


def test_no_requests_are_an_empty_table() -> None:
    assert minutes(pa.Table.from_batches([], SCHEMA)).num_rows == 0
