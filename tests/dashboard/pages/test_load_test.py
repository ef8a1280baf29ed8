import asyncio

from analyzer.questions.pools import load_tests
from dashboard.house import DashboardHouse
from dashboard.pages.load_test import load_test_body
from tests.dashboard.looking import of_type, view_of, words
from tests.dashboard.scenery import LOAD_TEST


def test_each_step_has_its_rate_interval_and_n(filled_house: DashboardHouse) -> None:
    (test,) = load_tests(filled_house.reader)
    page = asyncio.run(load_test_body(view_of("/", filled_house), test))
    assert f"Load test {LOAD_TEST} outside production tiers" in words(page)
    assert "synthetic" not in words(page)
    (chart,) = of_type(page, "Graph")
    assert chart.figure["layout"]["xaxis"]["ticktext"][0] == "0.5<br>n=120"
    (table,) = of_type(page, "Table")
    assert [row["cells"][0] for row in table.rows] == ["0", "1", "2", "3", "4", "5"]
