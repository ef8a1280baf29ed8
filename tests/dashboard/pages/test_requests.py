import asyncio

import pytest

from analyzer.questions.pools import load_tests, window_of
from analyzer.questions.requests import request_page
from dashboard.house import DashboardHouse
from dashboard.pages import requests
from dashboard.timeframe import as_parameters
from store.contract import RequestFilter
from tests.dashboard.looking import hrefs, of_type, view_of, words
from tests.dashboard.scenery import LOAD_TEST
from vocabulary.outcomes import Outcome


def test_the_address_is_the_filter() -> None:
    view = view_of(
        "/requests?service=s&model=m&outcome=failed&defect=any&service_tier=core&replica=r&tenant=t&load_test=l"
    )
    assert requests.wanted(view) == RequestFilter("s", "m", Outcome.FAILED, "any", "core", "r", "t", "l")


def test_a_filter_that_does_not_exist_is_none() -> None:
    assert requests.wanted(view_of("/requests?outcome=maybe&defect=ugly")) == RequestFilter(load_test="")


def test_the_list_is_production_until_load_tests_are_asked_for(filled_house: DashboardHouse) -> None:
    def load_tests_on(address: str) -> set[object]:
        view = view_of(address, filled_house)
        page = request_page(filled_house.reader, view.timeframe.window, requests.wanted(view), 1000, None)
        return {item.fields["load_test"] for item in page.items}

    during = "from=2026-11-30T11:25:00Z&to=2026-11-30T11:35:00Z"
    assert load_tests_on(f"/requests?{during}") == {None}
    assert load_tests_on(f"/requests?{during}&load_test=any") == {None, LOAD_TEST}
    assert load_tests_on(f"/requests?{during}&load_test={LOAD_TEST}") == {LOAD_TEST}


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("", "production only"), ("any", "production and load tests"), (LOAD_TEST, LOAD_TEST), ("gone", "gone")],
)
def test_the_source_is_a_choice_and_a_load_test_brings_its_own_time(
    filled_house: DashboardHouse, asked: str, shown: str
) -> None:
    bar = asyncio.run(requests.bar(view_of(f"/requests?load_test={asked}", filled_house)))
    (select,) = [one for one in of_type(bar, "QuerySelect") if getattr(one, "id", "") == "filter-load_test"]
    assert select.options[select.chosen]["text"] == shown
    sets = {option["text"]: option["set"] for option in select.options}
    assert sets["production only"] == {"load_test": None}
    assert sets["production and load tests"] == {"load_test": "any"}
    (test,) = load_tests(filled_house.reader)
    assert sets[LOAD_TEST] == {"load_test": LOAD_TEST, **as_parameters(window_of(test))}


def test_older_pages_follow_the_cursor_and_newer_ones_go_back_the_way_they_came(filled_house: DashboardHouse) -> None:
    first = asyncio.run(requests.body(view_of("/requests?range=6h", filled_house)))
    older = next(link for link in hrefs(first) if "cursor=" in link)
    second = asyncio.run(requests.body(view_of(older, filled_house)))
    assert "/requests?range=6h" in hrefs(second)
    keys = [{row["cells"][1]["title"] for row in of_type(page, "Table")[0].rows} for page in (first, second)]
    assert len(keys[0]) == requests.PAGE_SIZE
    assert not keys[0] & keys[1]


def test_a_defective_request_is_marked_and_named(filled_house: DashboardHouse) -> None:
    page = asyncio.run(requests.body(view_of("/requests?range=6h&outcome=failed", filled_house)))
    rows = of_type(page, "Table")[0].rows
    assert {row["tone"] for row in rows} == {"has-defect"}
    assert {row["cells"][2]["text"] for row in rows} == {"failed"}
    assert {row["cells"][3]["text"] for row in rows} == {"error"}


def test_a_row_leads_to_its_request_and_takes_the_window_along(filled_house: DashboardHouse) -> None:
    page = asyncio.run(requests.body(view_of("/requests?range=6h&tenant=tenant-1", filled_house)))
    key = of_type(page, "Table")[0].rows[0]["cells"][1]
    assert key["href"] == f"/requests/{key['title']}?range=6h"


def test_no_match_is_told_apart_from_no_data(filled_house: DashboardHouse) -> None:
    none = asyncio.run(requests.body(view_of("/requests?range=6h&tenant=nobody", filled_house)))
    assert "No request in this window fits the filters." in words(none)
    empty = asyncio.run(
        requests.body(view_of("/requests?from=2025-01-01T00:00:00Z&to=2025-01-01T01:00:00Z", filled_house))
    )
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in words(empty)


def test_every_filter_has_a_labelled_control(filled_house: DashboardHouse) -> None:
    bar = asyncio.run(requests.bar(view_of("/requests?outcome=failed&tenant=a", filled_house)))
    selects = {select.id: select for select in of_type(bar, "QuerySelect") if hasattr(select, "id")}
    assert selects["filter-outcome"].options[selects["filter-outcome"].chosen]["text"] == "failed"
    inputs = {field.param: field for field in of_type(bar, "QueryInput")}
    assert inputs["tenant"].value == "a"
    assert all(part.label for part in (*selects.values(), *inputs.values()))


def test_a_filter_that_does_not_exist_is_told(filled_house: DashboardHouse) -> None:
    shown = words(asyncio.run(requests.body(view_of("/requests?outcome=foo", filled_house))))
    assert "outcome=foo : does not exist; requests are shown without a filter on outcome" in shown
    assert "completed" in shown
    chinese = words(asyncio.run(requests.body(view_of("/requests?service=gone&lang=zh", filled_house))))
    assert "gone / – : 此窗口内该服务池没有请求" in chinese
