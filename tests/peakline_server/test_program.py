"""The program's own name in hints."""

from pathlib import Path

import pytest

from peakline_server.program import program


def test_an_environment_below_the_working_folder_is_named_shortly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / ".venv" / "bin" / "peakline"
    installed.parent.mkdir(parents=True)
    installed.touch()
    assert program(str(installed.parent / "python")) == str(installed)
    monkeypatch.chdir(tmp_path)
    assert program(str(installed.parent / "python")) == ".venv/bin/peakline"


def test_without_a_script_the_bare_name_is_said(tmp_path: Path) -> None:
    assert program(str(tmp_path / "python")) == "peakline"
