from pathlib import Path

import pytest

from alerts.document import RuleFileError
from alerts.rules import load_rules
from alerts.scenario import failures, read_scenario

RULES = load_rules(Path(__file__).resolve().parents[2] / "docs" / "examples" / "rules.yaml")
SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.txt"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(path: Path) -> None:
    assert failures(read_scenario(path), RULES) == []


def written(folder: Path, text: str) -> Path:
    path = folder / "scenario.txt"
    path.write_text(text)
    return path


def test_an_expectation_that_is_not_met_is_told_with_file_and_line(tmp_path: Path) -> None:
    path = written(tmp_path, "load 10s 1 1\neval at 10s: firing, no data\n")
    assert failures(read_scenario(path), RULES) == [f"{path}:2: expected firing, no data, is inactive"]


def test_an_expectation_outside_the_load_is_not_met(tmp_path: Path) -> None:
    path = written(tmp_path, "load 10s 1 1\neval at 15s: inactive\n")
    assert failures(read_scenario(path), RULES) == [f"{path}:2: the load has no reading at that time"]


def test_an_expectation_of_an_unknown_rule_is_not_met(tmp_path: Path) -> None:
    path = written(tmp_path, "load 10s 1 1\neval at 10s load-near-line: inactive\neval at 10s other: inactive\n")
    assert len(failures(read_scenario(path), RULES)) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("load 10s 1\nlaod 10s 1", ":2: neither `load"),
        ("load 10s 1 two", ":1: could not convert"),
        ("load 10 1", ":1: '10' is no duration"),
        ("load 10s 1\nload 10s 2", ":2: a second `load`"),
        ("load 10s 1\neval at 0s: burning", ":2: 'burning' is not a valid AlertState"),
        ("load 10s 1", ":1: a scenario needs"),
    ],
)
def test_a_scenario_that_cannot_be_read_says_where(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(RuleFileError, match=complaint):
        read_scenario(written(tmp_path, text))
