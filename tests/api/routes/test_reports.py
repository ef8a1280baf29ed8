import pytest

from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.api.conftest import Ask, Switchboard
from tests.factories.requests import REJECTED, minute_of_traffic, request_rows, shown
from tests.factories.stores import ledger
from vocabulary.services import ServiceBook, ServiceDefinition


def test_the_only_pool_needs_no_name(ask: Ask, telemetry: Telemetry, control: Control, board: Switchboard) -> None:
    board.pending = 1
    shown(telemetry, control, minute_of_traffic(0, 60, failed=3), minute_of_traffic(1, 50, failed=9))
    body = ask("/api/v1/reports/tiers").json()
    assert body["pool"] == {"service": "chat", "model": "m"}
    assert [row["load_tier"] for row in body["rows"]] == ["off_peak"]
    assert body["rows"][0]["rate"]["requests"] == 110
    assert body["rows"][0]["rate"]["interval"]["level"] == 0.95
    assert body["basis"]["pending_minutes"] == 1
    assert "pending_minutes" in body["flags"]


def test_several_pools_are_listed_for_the_caller_to_choose(ask: Ask, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(5), request_rows(9, model="n"))
    response = ask("/api/v1/reports/tiers?service=chat")
    assert response.status_code == 400
    assert response.json()["pools"] == [{"service": "chat", "model": "n"}, {"service": "chat", "model": "m"}]
    assert ask("/api/v1/reports/tiers?model=n").json()["rows"][0]["requests_all"] == 9


def test_no_requests_are_an_empty_report_and_no_error(ask: Ask) -> None:
    body = ask("/api/v1/reports/tiers").json()
    assert (body["status"], body["rows"]) == ("empty", [])


def test_a_load_test_brings_its_own_pool_and_window(ask: Ask, telemetry: Telemetry, control: Control) -> None:
    long_ago = -400 * 86_400.0
    sweep = [
        request_rows(40, long_ago + 600 * step, load_test="sweep", load_test_step=step, offered_rps=5.0 * (step + 1))
        for step in range(2)
    ]
    shown(telemetry, control, *sweep)
    body = ask("/api/v1/reports/tiers?load_test=sweep").json()
    assert [(row["step"], row["load_from_rps"], row["requests_all"]) for row in body["rows"]] == [
        (0, 5, 40),
        (1, 10, 40),
    ]
    assert ask("/api/v1/reports/tiers?load_test=sweep&from=now-1h").json()["status"] == "empty"
    assert ask("/api/v1/reports/tiers?load_test=absent").status_code == 404
    (run,) = ask("/api/v1/loadtests").json()["items"]
    assert (run["load_test"], run["service"], run["requests"]) == ("sweep", "chat", 80)


def test_a_window_wider_than_the_store_reads_is_refused(ask: Ask) -> None:
    response = ask("/api/v1/reports/tiers?service=a&model=b&from=0")
    assert response.status_code == 400
    assert "at most" in response.json()["detail"]


def test_the_ledger_has_the_promised_names(ask: Ask, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(20), request_rows(4, **REJECTED))
    telemetry.writer.append_ledger(ledger({"records": 24}, {"records": 2, "reason": "too_old"}))
    body = ask("/api/v1/ledger").json()
    assert body["requests"] == {
        "offered": 24,
        "rejected": 4,
        "admitted": 20,
        "completed": 20,
        "failed": 0,
        "timed_out": 0,
        "aborted": 0,
        "in_flight": 0,
        "lost": 0,
        "unknown": 0,
        "verified": "unverified",
    }
    assert body["ingest"] == {"traces": {"received": 26, "stored": 24, "duplicate": 0, "rejected": {"too_old": 2}}}
    assert body["window"] == {"start": "2025-10-08T09:53:00Z", "end": "2025-10-09T09:53:00Z"}


@pytest.mark.parametrize(("query", "count"), [("", 1), ("?from=now-10m", 0), ("?from=0", 1)])
def test_pools_are_those_of_the_window(
    ask: Ask, telemetry: Telemetry, control: Control, query: str, count: int
) -> None:
    shown(telemetry, control, request_rows(5))
    body = ask("/api/v1/pools" + query).json()
    assert len(body["items"]) == count
    assert body["next"] is None


def test_a_report_goes_by_the_thresholds_that_are_configured(
    ask: Ask, telemetry: Telemetry, control: Control, board: Switchboard
) -> None:
    shown(telemetry, control, minute_of_traffic(0, 60, failed=3))
    board.services = ServiceBook((ServiceDefinition("chat", "*", {"general": 0.25}),))
    assert ask("/api/v1/reports/tiers").json()["rows"][0]["risk_threshold"] == 0.25
