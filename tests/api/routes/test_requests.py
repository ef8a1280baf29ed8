import pytest

from store.telemetry.open import Telemetry
from tests.api.conftest import Ask, Switchboard
from tests.factories.requests import FAILED, request_rows
from tests.factories.stores import new_id, request, requests, span, spans
from vocabulary.services import Prices, ServiceBook, ServiceDefinition


@pytest.fixture
def filled(telemetry: Telemetry) -> Telemetry:
    telemetry.writer.append_requests(request_rows(20))
    telemetry.writer.append_requests(
        request_rows(5, 60.0, service_tier="core", tenant="acme", replica="r7", model="n", **FAILED)
    )
    telemetry.writer.append_requests(request_rows(3, 120.0, load_test="sweep", load_test_step=0))
    return telemetry


def test_pages_follow_one_another_to_the_end(ask: Ask, filled: Telemetry) -> None:
    keys: list[str] = []
    query: dict[str, object] = {"limit": 10}
    while True:
        body = ask("/api/v1/requests", query=query).json()
        keys += [item["request_key"] for item in body["items"]]
        if body["next"] is None:
            break
        query["cursor"] = body["next"]
    assert len(keys) == len(set(keys)) == 25


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("outcome=failed", 5),
        ("defect=any", 5),
        ("defect=timeout", 0),
        ("tier=core", 5),
        ("tenant=acme", 5),
        ("replica=r7", 5),
        ("service=chat&model=n", 5),
        ("", 25),
        ("load_test=sweep", 3),
        ("load_test=any", 28),
        ("load_test=other", 0),
        ("outcome=&defect=&tier=&load_test=", 25),
        ("from=now-59m", 5),
        ("from=now-59m&load_test=any", 8),
        ("from=2025-10-09T08:54:00Z&to=2025-10-09T08:54:00.025Z", 3),
    ],
)
def test_filters_are_the_parameters(ask: Ask, filled: Telemetry, query: str, count: int) -> None:
    response = ask(f"/api/v1/requests?{query}")
    assert response.status_code == 200, response.text
    assert len(response.json()["items"]) == count


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=ten", "limit"),
        ("outcome=splendid", "outcome"),
        ("defect=boredom", "defect"),
        ("from=yesterday", "from"),
        ("from=now&to=now-1h", "from"),
    ],
)
def test_a_bad_parameter_is_a_400_that_names_it(ask: Ask, query: str, field: str) -> None:
    response = ask(f"/api/v1/requests?{query}")
    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == field


def test_a_damaged_cursor_is_a_400(ask: Ask) -> None:
    response = ask("/api/v1/requests?cursor=damaged")
    assert response.status_code == 400
    assert "cursor" in response.json()["detail"]


def test_one_request_is_found_by_its_key(ask: Ask, telemetry: Telemetry) -> None:
    key = new_id(16)
    telemetry.writer.append_requests(requests(request(request_key=key, output_tokens=2**53 + 1)))
    body = ask(f"/api/v1/requests/{key.hex()}").json()
    assert body["request_key"] == key.hex()
    assert body["fields"]["output_tokens"] == 2**53 + 1
    assert body["in_flight_at_arrival"] == 0


@pytest.mark.parametrize("path", ["requests/abc", f"requests/{'ab' * 16}", "traces/abc", f"traces/{'ab' * 16}"])
def test_what_is_not_there_is_a_404(ask: Ask, path: str) -> None:
    response = ask(f"/api/v1/{path}")
    assert response.status_code == 404
    assert response.json()["type"] == "urn:peakline:problem:not-found"


def test_a_trace_carries_its_spans(ask: Ask, telemetry: Telemetry) -> None:
    trace = new_id(16)
    telemetry.writer.append_spans(
        spans(*(span(at, trace_id=trace, name=f"s{at}", attr_int=[("n", at)]) for at in range(3)))
    )
    body = ask(f"/api/v1/traces/{trace.hex()}?limit=2").json()
    assert body["trace_id"] == trace.hex()
    assert [(found["name"], found["attributes"]) for found in body["spans"]] == [("s0", {"n": 0}), ("s1", {"n": 1})]
    assert body["is_partial"]


def test_a_request_costs_what_the_configured_prices_say(ask: Ask, telemetry: Telemetry, board: Switchboard) -> None:
    key = new_id(16)
    row = request(1.0, request_key=key, service="chat", input_tokens=2_000_000, output_tokens=500_000)
    telemetry.writer.append_requests(requests(row))
    assert ask(f"/api/v1/requests/{key.hex()}").json()["cost"] is None
    board.services = ServiceBook((ServiceDefinition("chat", prices=Prices(1.0, 4.0, currency="EUR")),))
    assert ask(f"/api/v1/requests/{key.hex()}").json()["cost"] == {"amount": 4.0, "currency": "EUR"}
