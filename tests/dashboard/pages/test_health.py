import asyncio
import re
from dataclasses import replace

from dashboard.house import DashboardHouse
from dashboard.pages import health
from tests.dashboard.looking import house_of, hrefs, of_type, view_of, words
from tests.dashboard.people import LIMITED
from tests.dashboard.scenery import LOAD_TEST


def test_ledgers_rollup_and_senders_are_shown(filled_house: DashboardHouse) -> None:
    shown = words(asyncio.run(health.body(view_of("/health", filled_house))))
    for wanted in (
        "Minutes to roll up 0",
        "Records rejected 3",
        "anonymous@loopback",
        "chat-api / llama-4-70b-fp8",
        LOAD_TEST,
    ):
        assert wanted in shown


def test_a_limited_reader_is_told_no_count_of_records(filled_house: DashboardHouse) -> None:
    limited = replace(filled_house, principal=LIMITED, reader=filled_house.reader.within(LIMITED.tenants))
    shown = words(asyncio.run(health.body(view_of("/health?range=1h", limited))))
    assert "Records rejected not shown" in shown
    assert "Record ledger About the whole fleet" in shown
    assert "You are lim" in shown


def test_what_is_still_to_roll_up_is_told(filled_house: DashboardHouse) -> None:
    house = house_of(filled_house.reader, pending=7)
    assert "Minutes to roll up 7" in words(asyncio.run(health.body(view_of("/health", house))))


def test_background_work_that_fails_is_named_in_the_language_of_the_page(filled_house: DashboardHouse) -> None:
    def shown(address: str, house: DashboardHouse) -> str:
        return words(asyncio.run(health.body(view_of(address, house))))

    assert "Background work running" in shown("/health", filled_house)
    broken = replace(filled_house, failing=lambda: ("rollup", "evaluator"))
    assert "Background work rollup, alerts failing" in shown("/health", broken)
    assert "后台任务 汇总, 告警 出错" in shown("/health?lang=zh", broken)


def test_a_fixed_window_does_not_refresh_and_tests_lead_to_their_overview(filled_house: DashboardHouse) -> None:
    fixed = view_of("/health?from=2026-11-30T12:00:00Z&to=2026-11-30T13:00:00Z", filled_house)
    assert health.refresh_s(fixed) == 0
    assert any("load_test=" in link for link in hrefs(asyncio.run(health.body(fixed))))
    assert of_type(asyncio.run(health.bar(fixed)), "TimeWindow")


def test_the_newest_request_is_told_by_its_start_and_its_absence_in_words(filled_house: DashboardHouse) -> None:
    def shown(address: str) -> str:
        return words(asyncio.run(health.body(view_of(address, filled_house))))

    assert re.search(r"Newest request \d+ s ago; it started 2026-11-30 12:5\d:\d\d UTC", shown("/health"))
    assert re.search(r"最新请求 \d+ 秒 之前；开始于 2026-11-30", shown("/health?lang=zh"))
    past = "/health?from=2025-01-01T00:00:00Z&to=2025-01-01T01:00:00Z"
    assert "Newest request none no production request in this window" in shown(past)
