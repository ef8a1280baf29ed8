"""Scenarios for people and for programs."""

import json

import pytest

from loadtest.scenarios.catalogue import names
from peakline_server.fleet_list import print_scenarios, print_schema


def test_json_tells_all_of_a_scenario_that_is_needed_to_choose_one(capsys: pytest.CaptureFixture[str]) -> None:
    print_scenarios(is_json=True)
    told = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in told] == list(names())
    large = told[-1]
    assert (large["fleet"], large["replicas"], large["days"]) == ("large", 32, 7)
    assert large["title_zh"]
    assert large["expect"][0].keys() == {"what", "where", "when"}


def test_the_table_has_a_row_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    print_scenarios(is_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(names())
    assert lines[-1].split()[-1] == "130,000"


def test_the_schema_is_one_of_scenario_files(capsys: pytest.CaptureFixture[str]) -> None:
    print_schema()
    document = json.loads(capsys.readouterr().out)
    assert document["$ref"].endswith("ScenarioFile")
    assert {"timeline", "live", "change", "expect"} <= document["$defs"]["ScenarioFile"]["properties"].keys()
