"""What the demo says."""

from pathlib import Path

from bench.harness.server import free_port
from peakline_server.demo_words import Sent, Stored, ask_ledger, first_words, last_words, live_words
from tests.factories.fleets import fleet_plan
from tests.factories.otlp_stub import receiving

SENT = Sent(requests=1200, spans=2400, rejected=1)
LEDGER = Stored(
    {
        "requests": {"offered": 1200, "timed_out": 3, "verified": "unverified"},
        "ingest": {"traces": {"received": 2400, "stored": 2390, "duplicate": 4, "rejected": {"bad_id": 5, "old": 1}}},
    }
)


def test_links_name_the_pool_and_the_window() -> None:
    said = first_words("http://127.0.0.1:8600", fleet_plan(), SENT, 41.6)
    assert "1,200 requests (2,400 spans) of history were sent and stored in 42 s" in said
    for link in (
        "http://127.0.0.1:8600/?service=assistant&model=meridian-70b-instruct&range=14d",
        "http://127.0.0.1:8600/requests?service=assistant&model=meridian-70b-instruct&range=15m&defect=any",
        "http://127.0.0.1:8600/alerts",
    ):
        assert f"{link}\n" in said


def test_the_end_tells_both_ledgers() -> None:
    said = last_words(SENT, LEDGER, Path("/somewhere/demo"))
    assert "requests  1,200 offered, 3 timed out" in said
    assert "2,400 received, 2,390 stored, 4 sent twice, 6 rejected" in said
    assert "/somewhere/demo" in said


def test_a_ledger_that_cannot_be_asked_is_said() -> None:
    assert "The ledger could not be asked." in last_words(SENT, None, Path("demo"))


def test_the_ledger_is_asked_from_the_api() -> None:
    with receiving() as receiver:
        found = ask_ledger(receiver.url, 0, 10**18)
    assert found is not None
    assert found.document["ingest"]["traces"]["received"] == 0
    assert ask_ledger(f"http://127.0.0.1:{free_port()}", 0, 1) is None


def test_a_line_now_and_then_tells_how_far_it_is() -> None:
    assert live_words(15.2, SENT, 7) == "live 15 s: 1,200 requests sent so far, 7 in flight"
