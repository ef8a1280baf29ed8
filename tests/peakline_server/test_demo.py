"""The demo command, as a person calls it."""

import socket
from pathlib import Path

from click.testing import CliRunner

from peakline_server.demo import demo


def test_what_is_wrong_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(demo, ["--data", str(tmp_path / "demo"), "--port", port])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"peakline: port {port} cannot be used")
    assert len(result.stderr.strip().splitlines()) == 1
    assert [one.name for one in (tmp_path / "demo").iterdir()] == ["demo.lock"]


def test_help_names_the_exit_codes() -> None:
    assert "Exit code 0" in CliRunner().invoke(demo, ["--help"]).output


def test_nonsense_is_refused_before_anything_starts(tmp_path: Path) -> None:
    assert CliRunner().invoke(demo, ["--days", "0", "--data", str(tmp_path)]).exit_code == 2
