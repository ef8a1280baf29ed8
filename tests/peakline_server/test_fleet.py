"""The fleet commands, as a person calls them."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from bench.harness.server import free_port
from loadtest.scenarios.catalogue import names
from peakline_server.fleet import fleet


def called(*arguments: str) -> Result:
    return CliRunner().invoke(fleet, list(arguments))


def test_the_list_names_every_scenario_with_its_title() -> None:
    said = called("list")
    assert said.exit_code == 0
    assert all(name in said.output for name in names())
    assert "One bad replica" in said.output


def test_a_scenario_that_does_not_exist_is_one_sentence_and_exit_code_2() -> None:
    said = called("run", "noon")
    assert said.exit_code == 2
    assert said.stderr.startswith("peakline: there is no scenario 'noon'; there are quiet, peak")
    assert len(said.stderr.strip().splitlines()) == 1


def test_a_receiver_that_does_not_answer_is_one_sentence_and_exit_code_2() -> None:
    said = called("run", "quiet", "--days", "0.02", "--to", f"http://127.0.0.1:{free_port()}", "--json")
    assert said.exit_code == 2
    assert "no Peakline server answers" in said.stderr


def test_live_traffic_needs_a_receiver(tmp_path: Path) -> None:
    said = called("run", "quiet", "--out", str(tmp_path / "out"), "--live", "5")
    assert said.exit_code == 2
    assert said.stderr == "peakline: --live needs a receiver; leave out --out, or --live\n"


def test_a_run_into_a_folder_ends_with_0_and_its_truth_can_be_told(tmp_path: Path) -> None:
    out, truth = str(tmp_path / "out"), str(tmp_path / "truth")
    told = called("run", "quiet", "--days", "0.05", "--origin", "2026-01-05", "--out", out, "--truth", truth, "--json")
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["requests"] > 100
    said = called("truth", truth)
    assert said.exit_code == 0
    assert "balances" in said.output


def test_no_truth_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    said = called("truth", str(tmp_path))
    assert said.exit_code == 2
    assert said.stderr == f"peakline: {tmp_path} holds no truth.json; it is written when the run ends\n"


def test_help_names_the_exit_codes() -> None:
    assert all("Exit code 0" in called(command, "--help").output for command in ("list", "run", "truth"))
