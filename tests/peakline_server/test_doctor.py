"""The command as a person calls it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bench.harness.server import free_port
from peakline_server.doctor import as_text, doctor
from peakline_server.doctor_finding import ok, problem, skipped, warning


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration of this machine is looked at, and nothing listens."""
    monkeypatch.chdir(tmp_path)
    for variable, port in (("PEAKLINE_SERVER_PORT", free_port()), ("PEAKLINE_SERVER_OTLP_HTTP_PORT", free_port())):
        monkeypatch.setenv(variable, str(port))


def call(*arguments: str) -> Result:
    return CliRunner().invoke(doctor, arguments)


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "data").mkdir(mode=0o700)
    return str(tmp_path / "data")


def test_a_first_day_has_no_problem(data: str) -> None:
    result = call("--data", data)
    assert result.exit_code == 0, result.output
    assert "  ok data folder: " in result.output
    assert "0 problems" in result.output


def test_a_problem_ends_with_1_and_its_fix_below_it(tmp_path: Path) -> None:
    result = call("--data", str(tmp_path / "gone"))
    assert result.exit_code == 1
    assert f"   x data folder: {tmp_path}/gone does not exist.\n       `mkdir -m 700 {tmp_path}/gone`" in result.output
    assert "1 problem, " in result.output


def test_findings_are_available_as_json(data: str) -> None:
    told = json.loads(call("--data", data, "--json").output)
    assert (told["problems"], told["warnings"] >= 0, told["skipped"] > 0) == (0, True, True)
    assert {finding["state"] for finding in told["findings"]} <= {"ok", "warning", "problem", "skipped"}
    assert {"group": "This machine", "name": "data folder"}.items() <= told["findings"][4].items()


def test_a_running_server_is_asked(data: str, peakline: str) -> None:
    result = call("--data", data, "--server", peakline)
    assert f"A Peakline server answers at {peakline}." in result.output
    assert "  ok store: It answers, version 1.2.3" in result.output


def test_a_named_server_that_is_silent_is_a_problem(data: str) -> None:
    assert call("--data", data, "--server", f"http://127.0.0.1:{free_port()}").exit_code == 1


def test_wrong_usage_ends_with_2(tmp_path: Path) -> None:
    assert call("--server", "127.0.0.1:8600").exit_code == 2
    assert call("--token-file", str(tmp_path / "none")).exit_code == 2
    assert call("--nonsense").exit_code == 2


def test_nothing_is_made_in_the_data_folder(data: str) -> None:
    call("--data", data)
    assert list(Path(data).iterdir()) == []


def test_what_was_not_looked_at_for_one_reason_is_told_in_one_line() -> None:
    found = [
        ("A", ok("a", "Fine.")),
        ("B", skipped("b", "Dark.", "Light it.")),
        ("B", skipped("c", "Dark.", "Light it.")),
        ("B", warning("d", "Odd.")),
        ("B", problem("e", "Broken.")),
    ]
    assert as_text(found) == (
        "A\n  ok a: Fine.\n\nB\n   - b, c: Dark.\n       Light it.\n   ! d: Odd.\n   x e: Broken.\n\n"
        "1 problem, 1 warning, 2 not looked at"
    )
