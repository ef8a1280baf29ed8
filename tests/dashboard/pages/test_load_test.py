import asyncio
from dataclasses import replace

from analyzer.questions.pools import load_tests
from dashboard.house import DashboardHouse
from dashboard.pages.load_test import load_test_body
from tests.dashboard.looking import of_type, view_of, words
from tests.dashboard.scenery import LOAD_TEST
from vocabulary.outcomes import DefectKind
from vocabulary.services import ServiceBook, ServiceDefinition


def test_each_step_has_its_rate_interval_and_n(filled_house: DashboardHouse) -> None:
    (test,) = load_tests(filled_house.reader)
    page = asyncio.run(load_test_body(view_of("/", filled_house), test))
    assert f"Load test {LOAD_TEST} outside production tiers" in words(page)
    assert "synthetic" not in words(page)
    (chart,) = of_type(page, "Graph")
    assert chart.figure["layout"]["xaxis"]["ticktext"][0] == "0.5<br>n=120"
    (table,) = of_type(page, "Table")
    assert [row["cells"][0] for row in table.rows] == ["0", "1", "2", "3", "4", "5"]


def test_the_ruler_holds_to_the_definition_of_the_service(filled_house: DashboardHouse) -> None:
    (test,) = load_tests(filled_house.reader)
    thresholds = dict.fromkeys(("core", "general", "batch"), 0.0123)
    strict = ServiceDefinition(test.pool.service, risk_thresholds=thresholds, counted=DefectKind.ERROR)
    defined = replace(filled_house, services=lambda: ServiceBook((strict,)))
    shown = words(asyncio.run(load_test_body(view_of("/", defined), test)))
    assert "1.23 %" in shown
    assert "some kinds of defect do not count" in shown
