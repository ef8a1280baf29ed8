import json
from pathlib import Path

from click.testing import CliRunner

from peakline_server.rules import rules

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = str(ROOT / "docs" / "examples" / "rules.yaml")
SCENARIO = str(ROOT / "tests" / "alerts" / "scenarios" / "fires_and_resolves.txt")


def test_check_says_every_rule_in_words() -> None:
    result = CliRunner().invoke(rules, ["check", EXAMPLE])
    assert result.exit_code == 0
    assert "load of every pool over 60 s at or above 4 (fixed line) for 30 s, until at or below 3.4" in result.output
    assert result.output.endswith("1 rule, usable\n")


def test_check_speaks_json() -> None:
    result = CliRunner().invoke(rules, ["check", EXAMPLE, "--json"])
    (rule,) = json.loads(result.output)["rules"]
    assert rule["line"] == {"kind": "fixed", "at": 4.0, "recovery": 3.4}


def test_check_refuses_an_unusable_file_with_one_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("rules: 7\n")
    result = CliRunner().invoke(rules, ["check", str(broken)])
    assert result.exit_code == 2
    assert result.stderr == f"{broken}:1: 'rules' wants a list, each entry starting with `- `\n"
    told = CliRunner().invoke(rules, ["check", str(broken), "--json"])
    assert told.exit_code == 2
    assert "wants a list" in json.loads(told.output)["error"]


def test_a_scenario_that_is_met_passes() -> None:
    result = CliRunner().invoke(rules, ["test", EXAMPLE, SCENARIO])
    assert (result.exit_code, result.output) == (0, "1 scenarios, 0 expectations not met\n")


def test_a_scenario_that_is_not_met_is_a_finding(tmp_path: Path) -> None:
    scenario = tmp_path / "wrong.txt"
    scenario.write_text("load 10s 1\neval at 0s: firing\n")
    result = CliRunner().invoke(rules, ["test", EXAMPLE, str(scenario), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.output)["failures"] == [f"{scenario}:2: expected firing, is inactive"]


def test_a_scenario_that_cannot_be_read_is_a_usage_error(tmp_path: Path) -> None:
    scenario = tmp_path / "wrong.txt"
    scenario.write_text("hello\n")
    assert CliRunner().invoke(rules, ["test", EXAMPLE, str(scenario)]).exit_code == 2
