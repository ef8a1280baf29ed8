import asyncio
from dataclasses import replace

from dashboard.house import DashboardHouse
from dashboard.pages import overview
from store.contract import PoolActivity
from tests.dashboard.looking import of_type, view_of, words
from tests.dashboard.people import LIMITED
from tests.dashboard.scenery import LOAD_TEST, NOW_NS, POOL, SMALL_POOL, FixedAlert, FixedAlerts, FixedLine
from vocabulary.outcomes import DefectKind
from vocabulary.pools import Pool
from vocabulary.services import ServiceBook, ServiceDefinition


def test_a_pool_is_shown_with_rates_intervals_line_alerts_and_both_ledgers(filled_house: DashboardHouse) -> None:
    view = view_of("/?range=1h", filled_house)
    page = asyncio.run(overview.body(view))
    shown = words(page)
    for wanted in (
        "at 95 % · n = ",
        "% of the fixed line 0.16",
        "firing",
        "Request ledger",
        "invalid_trace_id 3",
        "core off peak",
    ):
        assert wanted in shown
    chart = next(graph for graph in of_type(page, "Graph") if getattr(graph, "id", None))
    assert chart.figure["layout"]["annotations"][0]["text"] == "fixed line 0.16"
    assert len(chart.figure["data"][2]["y"]) > 30


class NoStates(FixedAlerts):
    """Alerts whose states and lines must not be asked for."""

    def states(self) -> list[FixedAlert]:
        raise AssertionError

    def rule_lines(self, pool: Pool) -> list[FixedLine]:
        raise AssertionError(pool)


def test_a_limited_reader_sees_their_tenants_numbers_and_words_in_place_of_the_fleets(
    filled_house: DashboardHouse,
) -> None:
    limited = replace(
        filled_house, principal=LIMITED, alerts=NoStates(), reader=filled_house.reader.within(LIMITED.tenants)
    )
    view = view_of("/?range=1h", limited)
    page = asyncio.run(overview.body(view))
    shown = words(page)
    assert "Alerts firing not shown about the whole fleet" in shown
    assert "Records lost or rejected not shown about the whole fleet" in shown
    assert "Alerts About the whole fleet" in shown
    assert "Record ledger About the whole fleet" in shown
    assert "invalid_trace_id" not in shown
    assert "line 0.16" not in shown
    assert "Load of your tenants alone" in shown
    assert "a part of the pool's load; lines are about all of it" in shown
    assert "Your tenants alone, not the whole pool. Highest load" in shown
    assert "load per ready replica" not in shown.lower()
    assert "load and its tiers are those of the whole pool" in shown
    chart = next(graph for graph in of_type(page, "Graph") if getattr(graph, "id", None))
    names = {trace["name"] for trace in chart.figure["data"] if "name" in trace}
    assert "load of your tenants alone" in names
    assert chart.figure["layout"]["yaxis"]["title"]["text"] == "load of your tenants alone, req/s"
    assert not chart.figure["layout"]["annotations"]
    whole = words(asyncio.run(overview.body(view_of("/?range=1h", filled_house))))
    assert shown.split("Requests ")[1].split()[0] != whole.split("Requests ")[1].split()[0]


def test_the_ruler_holds_to_the_definition_of_the_service(filled_house: DashboardHouse) -> None:
    strict = ServiceDefinition(POOL.service, risk_thresholds={"core": 0.0123}, counted=DefectKind.ERROR)
    defined = replace(filled_house, services=lambda: ServiceBook((strict,)))
    shown = words(asyncio.run(overview.body(view_of("/?range=1h", defined))))
    assert "1.23 %" in shown
    assert "some kinds of defect do not count" in shown


def test_all_lines_of_the_pool_are_drawn_and_said(filled_house: DashboardHouse) -> None:
    alerts = FixedAlerts(lines=[FixedLine(), FixedLine(rule_id="over", at=0.3)])
    page = asyncio.run(overview.body(view_of("/?range=1h", replace(filled_house, alerts=alerts))))
    chart = next(graph for graph in of_type(page, "Graph") if getattr(graph, "id", None))
    labels = [label["text"] for label in chart.figure["layout"]["annotations"]]
    assert labels[:2] == ["fixed line 0.16 · load-near-line", "fixed line 0.3 · over"]
    assert "against: fixed line 0.16, fixed line 0.3;" in words(page)


def drawn_loads(house: DashboardHouse, address: str) -> dict[str, float]:
    page = asyncio.run(overview.body(view_of(address, house)))
    chart = next(graph for graph in of_type(page, "Graph") if getattr(graph, "id", None))
    trace = next(trace for trace in chart.figure["data"] if trace["name"] == "load per ready replica")
    return dict(zip(trace["x"], trace["y"], strict=True))


def test_load_does_not_depend_on_the_second_at_which_a_window_begins_or_ends(filled_house: DashboardHouse) -> None:
    whole = drawn_loads(filled_house, "/?from=2026-11-30T12:00:00Z&to=2026-11-30T12:20:00Z")
    odd = drawn_loads(filled_house, "/?from=2026-11-30T12:00:59Z&to=2026-11-30T12:19:01Z")
    assert len(odd) == 20
    assert odd == whole


def test_the_busiest_pool_is_shown_unless_one_is_named(filled_house: DashboardHouse) -> None:
    assert "chat-api / llama-4-70b-fp8" in words(asyncio.run(overview.bar(view_of("/?range=1h", filled_house))))
    small = asyncio.run(overview.body(view_of("/?range=1h&service=embed", filled_house)))
    assert "no rule draws a line for this pool" in words(small)


def test_a_load_test_stands_in_for_production(filled_house: DashboardHouse) -> None:
    view = view_of(f"/?load_test={LOAD_TEST}", filled_house)
    assert "Defect rate by offered rate" in words(asyncio.run(overview.body(view)))
    assert not of_type(asyncio.run(overview.bar(view)), "TimeWindow")
    assert overview.refresh_s(view) == 0
    assert overview.refresh_s(view_of("/?range=1h", filled_house)) == 10


def test_a_window_without_traffic_points_to_the_newest_and_to_load_tests(filled_house: DashboardHouse) -> None:
    page = asyncio.run(overview.body(view_of("/?from=2025-01-01T00:00:00Z&to=2025-01-01T01:00:00Z", filled_house)))
    assert "Older traffic is stored" in words(page)
    assert LOAD_TEST in words(page)


def test_a_window_that_is_too_wide_leaves_the_time_control_in_place(filled_house: DashboardHouse) -> None:
    view = view_of("/?from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", filled_house)
    assert of_type(asyncio.run(overview.bar(view)), "TimeWindow")


def test_an_unreadable_window_is_told(filled_house: DashboardHouse) -> None:
    shown = words(asyncio.run(overview.body(view_of("/?from=banana", filled_house))))
    assert "from=banana : not a readable time; the last 6h is shown instead" in shown
    assert "% of the fixed line" in shown


def test_a_pool_or_load_test_that_is_not_there_is_told(filled_house: DashboardHouse) -> None:
    shown = words(asyncio.run(overview.body(view_of("/?service=gone&load_test=nope", filled_house))))
    assert "gone / – : no request of this pool in the window" in shown
    assert "load_test=nope : no such load test; production is shown instead" in shown
    assert "gone" not in words(asyncio.run(overview.body(view_of("/?service=embed", filled_house))))


def test_half_a_pool_finds_its_whole() -> None:
    known = [PoolActivity(pool, 1, NOW_NS, NOW_NS) for pool in (POOL, SMALL_POOL)]
    assert overview.chosen_pool(view_of("/?model=bge-m3"), known) == SMALL_POOL
    assert overview.chosen_pool(view_of("/?model=gone"), known) == Pool("", "gone")
    assert overview.chosen_pool(view_of("/?model=gone"), []) is None
