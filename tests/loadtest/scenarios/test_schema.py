"""The form of a scenario file."""

import re

import msgspec
import pytest

from loadtest.scenarios.schema import ScenarioFile, json_schema

LEAST = {"name": "mine", "title": "Mine", "title_zh": "我的", "summary": "A try.", "days": 1}


def test_a_scenario_needs_a_name_titles_a_summary_and_days_only() -> None:
    scenario = msgspec.convert(LEAST, ScenarioFile)
    assert (scenario.fleet, scenario.timeline, scenario.live, scenario.rise) == ("standard", (), (), None)
    for key in LEAST:
        with pytest.raises(msgspec.ValidationError, match=key):
            msgspec.convert({name: value for name, value in LEAST.items() if name != key}, ScenarioFile)


def test_days_are_positive() -> None:
    with pytest.raises(msgspec.ValidationError, match="days"):
        msgspec.convert(LEAST | {"days": 0}, ScenarioFile)


def test_the_schema_can_be_published() -> None:
    document = msgspec.json.schema(ScenarioFile)
    assert "ScenarioFile" in document["$defs"]
    assert "Behave" in document["$defs"]


def test_the_published_schema_takes_times_as_numbers_and_as_text() -> None:
    kinds = json_schema()["$defs"]
    for kind, key in (("Burst", "at_s"), ("Burst", "for_s"), ("RisePlan", "rise_s"), ("ScenarioFile", "live_s")):
        number, text = kinds[kind]["properties"][key]["anyOf"]
        assert "number" in str(number)
        assert re.search(text["pattern"], "1d 12h 30m")
        assert not re.search(text["pattern"], "1:30")
    assert "anyOf" not in kinds["Burst"]["properties"]["factor"]
