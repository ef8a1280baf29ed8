"""What the demo says."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bench.harness.server import free_port
from loadtest.emission.outbox import Body
from loadtest.fleet.plan import RisePlan
from loadtest.scenarios.catalogue import load
from loadtest.scenarios.demo_schedule import Schedule, demo_schedule
from peakline_server.demo_folder import DemoFolder, open_folder
from peakline_server.demo_words import (
    Beginning,
    Load,
    Ports,
    Sent,
    Stored,
    ask_ledger,
    ask_load,
    first_words,
    history_words,
    last_words,
    live_words,
    scenario_words,
)
from peakline_server.live_traffic import Counts
from tests.factories.fleets import fleet_plan
from tests.factories.otlp_stub import receiving

SENT = Sent(requests=1200, spans=2400, rejected=1)
LEDGER = Stored(
    {
        "requests": {"offered": 1200, "timed_out": 3, "lost": 0, "verified": "unverified"},
        "ingest": {"traces": {"received": 2400, "stored": 2390, "duplicate": 4, "rejected": {"bad_id": 5, "old": 1}}},
    }
)


BEGIN_S = time.mktime((2026, 1, 7, 16, 41, 0, 0, 0, -1))
URL = "http://127.0.0.1:8600"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DemoFolder]:
    one = open_folder(tmp_path / "my demo")
    yield one
    one.lock.close()


def said_at_first(duration_s: float | None, days: float = 14) -> str:
    plan = fleet_plan()
    return first_words(Beginning(URL, days, duration_s, BEGIN_S), plan, demo_schedule(plan, duration_s))


def told_times(schedule: Schedule) -> list[str]:
    times = (schedule.rise.rise_s, schedule.fault_s, schedule.alert_s)
    return [Beginning(URL, 1, None, BEGIN_S).clock(past_s) for past_s in times]


def test_links_name_the_pool_and_the_window() -> None:
    for link in (
        "http://127.0.0.1:8600/?service=assistant&model=meridian-70b-instruct&range=14d",
        "http://127.0.0.1:8600/requests?service=assistant&model=meridian-70b-instruct&range=15m&defect=any",
        "http://127.0.0.1:8600/alerts",
    ):
        assert f"{link}\n" in said_at_first(None)


def test_the_range_of_the_history_is_one_that_the_dashboard_knows() -> None:
    assert "range=3d\n" in said_at_first(60, days=2)
    assert "range=30d\n" in said_at_first(60, days=60)


def test_what_will_happen_is_told_by_the_clock() -> None:
    said = said_at_first(60)
    assert told_times(demo_schedule(fleet_plan(), 60)) == ["16:41:20", "16:41:24", "16:41:41"]
    assert all(
        at in said for at in ("until 16:41:20", "At 16:41:24 one", "About 16:41:41 the alert", "end at 16:42:00")
    )


def test_a_scenario_tells_what_to_find_and_what_happens_when() -> None:
    scenario = load("peak")
    said = scenario_words(Beginning(URL, 7, 60, BEGIN_S), fleet_plan(), scenario)
    assert said.startswith("\nContention at the peak: ")
    assert all(one.what in said and one.when in said for one in scenario.expect)
    assert "At 16:42:40 burst (service tier general: factor 1.5)" in said
    assert "That is too early for all of that: 180 s are enough." in said


def test_a_history_from_a_midnight_says_why_it_is_longer() -> None:
    assert history_words(1.8, from_midnight=True).startswith("Sending 1.8 days of history")
    assert history_words(1.8, from_midnight=True).endswith("from a midnight (UTC) to now …")
    assert "midnight" not in history_words(14, from_midnight=False)


def test_live_traffic_in_which_nothing_happens_is_never_too_short() -> None:
    said = scenario_words(Beginning(URL, 7, 5, BEGIN_S), fleet_plan(), load("quiet"))
    assert "Traffic goes on as in the history." in said
    assert "too early" not in said


def test_a_rise_is_told_with_the_time_of_its_end() -> None:
    quiet = msgspec.structs.replace(load("quiet"), rise=RisePlan(to_factor=2.0, rise_s=60.0))
    said = scenario_words(Beginning(URL, 7, 5, BEGIN_S), fleet_plan(), quiet)
    assert "Until 16:42:00 arrivals go from 1 to 2 times a typical weekday's peak" in said
    assert "goes on as in the history" not in said
    assert "too early for all of that" in said


def test_what_a_shortened_history_does_not_hold_is_told() -> None:
    plan = msgspec.structs.replace(fleet_plan(), origin_ns=round((BEGIN_S - 2.5 * 86_400) * 1e9))
    said = scenario_words(Beginning(URL, 2.5, 60, BEGIN_S), plan, load("bad-replica"))
    assert "day 0 is 2026-01-0" in said
    assert "1 of its 2 happenings is not in this history; --days 6 has all of them." in said
    found = [one for one in load("bad-replica").expect if one.what in said]
    assert [one.when for one in found] == ["day 2, 10:00 to 18:00"] * 2
    assert "not in this history" not in scenario_words(Beginning(URL, 7, 60, BEGIN_S), fleet_plan(), load("quiet"))


def test_findings_of_days_that_are_not_in_the_history_are_left_out() -> None:
    plan = msgspec.structs.replace(fleet_plan(), origin_ns=round((BEGIN_S - 0.5 * 86_400) * 1e9))
    said = scenario_words(Beginning(URL, 0.5, 60, BEGIN_S), plan, load("drift"))
    assert re.search(r"  Nothing\.\n  \d of its", said)
    assert not any(one.what in said for one in load("drift").expect)
    quiet = scenario_words(Beginning(URL, 0.5, 60, BEGIN_S), plan, load("quiet"))
    assert all(one.what in quiet for one in load("quiet").expect)


def test_live_spans_that_nobody_took_count_as_refused() -> None:
    sent = Sent(requests=1, spans=2)
    sent.add(Body(b"", 3, 1, 0.0), 1)
    sent.add_live(Counts(requests=2, spans=4), 3)
    assert sent == Sent(requests=4, spans=9, rejected=4)


def test_a_run_too_short_for_the_alert_says_so() -> None:
    assert "too early for the alert: 45 s" in said_at_first(30)
    assert "too early" not in said_at_first(45) + said_at_first(None)


def test_the_end_tells_both_ledgers_and_how_to_open_the_data_again(folder: DemoFolder) -> None:
    said = last_words(SENT, LEDGER, folder, Ports())
    assert "requests  1,200 offered, 3 timed out; unverified\n" in said
    assert "2,400 received, 2,390 stored, 4 sent twice, 6 refused" in said
    assert said.endswith(f"serve --data '{folder.data}' --rules '{folder.rules}'")


def test_the_data_are_opened_again_at_the_demos_own_ports(folder: DemoFolder) -> None:
    said = last_words(SENT, LEDGER, folder, Ports(18600, 14318))
    assert said.endswith(" --port 18600 --otlp-http-port 14318")
    assert last_words(SENT, LEDGER, folder, Ports(18600)).endswith(" --port 18600")


def test_rejected_requests_are_explained_where_there_are_some() -> None:
    book = LEDGER.document["requests"]
    with_some = Stored({**LEDGER.document, "requests": book | {"rejected": 2}})
    assert "2 rejected; unverified  (`rejected`: the fleet turned them away" in with_some.lines()[0]
    without = Stored({**LEDGER.document, "requests": book | {"rejected": 0}})
    assert "rejected" not in without.lines()[0]


def test_a_ledger_that_cannot_be_asked_is_said(folder: DemoFolder) -> None:
    assert "The ledger could not be asked." in last_words(SENT, None, folder, Ports())


def test_the_ledger_is_asked_from_the_api() -> None:
    with receiving() as receiver:
        found = ask_ledger(receiver.url, 0, 10**18)
    assert found is not None
    assert found.document["ingest"]["traces"]["received"] == 0
    assert ask_ledger(f"http://127.0.0.1:{free_port()}", 0, 1) is None


def test_a_line_now_and_then_tells_load_and_alert() -> None:
    said = live_words(15.2, 1200, 7, Load(0.1234, 0.27, "pending"))
    assert (
        said
        == "live  15 s: 1,200 requests ended, 7 in flight; load 0.123 of 0.27 requests/s per replica; alert pending"
    )
    assert live_words(15.2, 3, 7, Load(None, 0.27, "inactive")).endswith("; no load yet; alert inactive")
    assert live_words(15.2, 3, 7, None) == "live  15 s: 3 requests ended, 7 in flight"


def test_load_and_alert_are_asked_from_the_api() -> None:
    with receiving() as receiver:
        assert ask_load(receiver.url) == Load(0.1, 0.27, "inactive")
    assert ask_load(f"http://127.0.0.1:{free_port()}") is None
