"""The truth, told."""

import json
from pathlib import Path

import pytest

from loadtest.scenarios.truth import TruthError
from peakline_server.fleet_truth import print_truth
from tests.factories.plays import DAY_S, HOUR_S, stretch


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("truth")
    start_s = 2 * DAY_S + 10 * HOUR_S
    stretch("bad-replica", start_s, start_s + 1200).truth.write(path)
    return path


def test_it_tells_what_happened_to_whom_and_whether_all_is_accounted_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_truth(folder, is_json=False)
    said = capsys.readouterr().out
    assert said.startswith("bad-replica, seed 1, 2025-11-24T00:00:00.000Z to 2025-11-26T10:20:00.000Z")
    assert "2025-11-26T10:00  2025-11-26T18:00  behave  meridian-70b-instruct-" in said
    assert "in flight: balances" in said


def test_json_is_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_truth(folder, is_json=True)
    assert json.loads(capsys.readouterr().out) == json.loads((folder / "truth.json").read_text())


def test_many_pods_are_counted_and_a_book_that_does_not_balance_is_a_finding(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads((folder / "truth.json").read_text())
    document["timeline"][0]["pods"] = [f"pod-{number}" for number in range(9)]
    document["conservation"]["holds"] = False
    (tmp_path / "truth.json").write_text(json.dumps(document))
    assert not print_truth(tmp_path, is_json=False)
    said = capsys.readouterr().out
    assert "pod-3 and 5 more" in said
    assert "DOES NOT BALANCE" in said


def test_a_folder_without_a_truth_says_when_it_is_written(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match=r"holds no truth\.json; it is written when the run ends"):
        print_truth(tmp_path, is_json=False)


@pytest.mark.parametrize("is_json", [True, False])
@pytest.mark.parametrize("rest", ["", ', "conservation": 3', ', "conservation": {}'])
def test_a_damaged_truth_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rest: str, *, is_json: bool
) -> None:
    (tmp_path / "truth.json").write_text(f'{{"format": 1{rest}}}', encoding="utf-8")
    with pytest.raises(TruthError, match=r"truth\.json is damaged; play the scenario again"):
        print_truth(tmp_path, is_json=is_json)
    assert not capsys.readouterr().out
