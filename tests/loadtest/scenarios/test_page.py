"""The tables of a scenario's page."""

from loadtest.fleet.timeline import Behave, Burst, SlowLink
from loadtest.scenarios.catalogue import load, names
from loadtest.scenarios.page import (
    catalogue_table,
    day_and_hour,
    described,
    happenings_table,
    history_rows,
    live_rows,
    scenario_tables,
    table,
)
from tests.house.tree import ROOT


def test_days_and_hours_count_from_the_origin() -> None:
    assert day_and_hour(0) == "day 0, 00:00"
    assert day_and_hour(2 * 86_400 + 14.5 * 3600) == "day 2, 14:30"


def test_a_happening_is_told_by_what_on_what_and_how_it_differs_from_usual() -> None:
    assert described(Behave(at_s=0, model="m", replicas=(1, 2), speed=0.5)) == (
        "behave",
        "`m`, replicas 1, 2",
        "speed 0.5",
    )
    assert described(Behave(at_s=0, model="m", speed=0)) == ("behave", "`m`, all replicas", "speed 0")
    assert described(SlowLink(at_s=0, rack=2, factor=15)) == ("slow link", "rack 2", "factor 15")
    assert described(Burst(at_s=0, factor=2.0)) == ("burst", "everything", "factor 2")


def test_rows_say_from_and_until() -> None:
    timeline = (Burst(at_s=60, factor=2.0), Burst(at_s=120, for_s=60, factor=2.0))
    assert [row[:2] for row in history_rows(timeline)] == [
        ("day 0, 00:01", "the end"),
        ("day 0, 00:02", "day 0, 00:03"),
    ]
    assert [row[:2] for row in live_rows(timeline)] == [("60 s", "the end"), ("120 s", "180 s")]


def test_an_empty_table_says_that_nothing_happens() -> None:
    assert table([], ("a", "b")) == "Nothing happens.\n"
    assert table([("1", "2")], ("a", "b")) == "| a | b |\n|---|---|\n| 1 | 2 |\n"


def test_every_kind_of_happening_is_told_with_its_keys() -> None:
    text = happenings_table()
    assert text.count("\n| `") == 15
    assert "| `slow_link` | `rack`, `factor` | A rack's links are slower by this factor" in text


def test_every_scenario_has_a_page_with_all_that_happens_and_is_expected() -> None:
    for name in names():
        scenario, text = load(name), scenario_tables(name)
        assert all(one.what in text for one in scenario.expect)
        assert text.count("\n| day ") == len(scenario.timeline)
        assert f"scenarios/{name}.md" in catalogue_table()
        page = (ROOT / "docs" / "scenarios" / f"{name}.md").read_text(encoding="utf-8")
        assert f"<!-- generated: scenario-{name} -->" in page
