import json
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from access.administration import AccessAdministration
from access.contract import AccessError
from peakline_server.access_command import control_url, on_book, print_table, refuse, tenants_of, told_tenants
from vocabulary.errors import StoreUnavailableError


@click.command()
@on_book()
def ask(administration: AccessAdministration, *, is_json: bool) -> None:
    click.echo(f"{len(administration.users())} users, {is_json}")


@click.command()
@on_book(may_create=True)
def make(administration: AccessAdministration, *, is_json: bool) -> None:
    click.echo(f"{len(administration.users())} users, {is_json}")


@click.command()
@on_book(may_create=True)
def fail(_administration: AccessAdministration, *, is_json: bool) -> None:
    assert not is_json
    fault = StoreUnavailableError("The control database cannot be used now.")
    cause = RuntimeError("driver")
    cause.orig = "database is locked"  # type: ignore[attr-defined]  # as SQLAlchemy's errors have it
    raise fault from cause


def run(command: click.Command, *words: str, **environment: str) -> Result:
    cleared = {"PEAKLINE_SERVER_DATA": None, "PEAKLINE_STORE_CONTROL_URL": None}
    return CliRunner(env={**cleared, **environment}).invoke(command, [*words])


def test_a_database_is_made_in_an_empty_folder_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "control.sqlite"
    result = run(make, "--data", str(tmp_path))
    assert (result.exit_code, result.stdout) == (0, "0 users, False\n")
    assert result.stderr == f"There is no control database yet; making {file}.\n"
    assert file.stat().st_mode & 0o777 == 0o600
    again = run(ask, "--data", str(tmp_path), "--json")
    assert (again.exit_code, again.output) == (0, "0 users, True\n")


def test_a_database_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    run(make, "--data", str(tmp_path))
    (tmp_path / "control.sqlite").chmod(0o644)
    run(ask, "--data", str(tmp_path))
    assert (tmp_path / "control.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_missing_folder_is_told_and_never_made(tmp_path: Path) -> None:
    folder = tmp_path / "mistyped"
    for command in (ask, make):
        result = run(command, "--data", str(folder))
        assert result.exit_code == 2
        assert result.output == (
            f"peakline: The data folder {folder} does not exist; make it with `mkdir -m 700 {folder}`.\n"
        )
    assert not folder.exists()


def test_a_missing_database_is_told_and_never_made_to_be_asked(tmp_path: Path) -> None:
    result = run(ask, "--data", str(tmp_path), "--json")
    assert result.exit_code == 2
    assert "There is no control database" in json.loads(result.output)["error"]
    assert "users create NAME --role admin" in json.loads(result.output)["error"]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_other_files_gets_no_database(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    result = run(make, "--data", str(tmp_path))
    assert result.exit_code == 2
    assert "holds other files (thesis.tex, ...)" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_that_a_server_made_or_that_holds_its_configuration_gets_one(tmp_path: Path) -> None:
    for name in ("content.salt", "peakline.lock", "peakline.yaml"):
        (tmp_path / name).touch()
    assert run(make, "--data", str(tmp_path)).exit_code == 0


def test_the_database_comes_from_the_options_or_else_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PEAKLINE_SERVER_DATA", raising=False)
    monkeypatch.delenv("PEAKLINE_STORE_CONTROL_URL", raising=False)
    with pytest.raises(AccessError, match="--data DIR, PEAKLINE_SERVER_DATA or --config"):
        control_url(None, "")
    monkeypatch.setenv("PEAKLINE_SERVER_DATA", "~/there")
    assert control_url(None, "") == f"sqlite:///{Path.home()}/there/control.sqlite"
    monkeypatch.setenv("PEAKLINE_STORE_CONTROL_URL", "postgresql://ann@db/there")
    assert control_url(None, "") == "postgresql://ann@db/there"
    assert control_url(Path("here"), "") == "sqlite:///here/control.sqlite"
    assert control_url(Path("here"), "postgresql://ann@db/here") == "postgresql://ann@db/here"


def test_the_configuration_names_the_folder_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "peakline.yaml").write_text("server: {data: kept}\n")
    (tmp_path / "other.yaml").write_text("server: {data: elsewhere}\n")
    assert control_url(None, "") == "sqlite:///kept/control.sqlite"
    assert control_url(None, "", tmp_path / "other.yaml") == f"sqlite:///{tmp_path}/elsewhere/control.sqlite"
    assert control_url(Path("here"), "", tmp_path / "other.yaml") == "sqlite:///here/control.sqlite"


def test_a_configuration_with_mistakes_is_told_and_not_needed_where_the_folder_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "peakline.yaml").write_text("sever: {}\n")
    (tmp_path / "kept").mkdir()
    told = run(make)
    assert told.exit_code == 2
    assert "peakline.yaml:1: sever" in told.output
    assert run(make, "--data", "kept").exit_code == 0


def test_the_environment_names_the_folder(tmp_path: Path) -> None:
    assert run(make, PEAKLINE_SERVER_DATA=str(tmp_path)).exit_code == 0
    assert run(ask, PEAKLINE_SERVER_DATA=str(tmp_path)).output == "0 users, False\n"


def test_a_postgresql_is_used_by_its_url(postgresql_url: str) -> None:
    result = run(ask, "--control", postgresql_url)
    assert (result.exit_code, result.output.endswith("users, False\n")) == (0, True)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://ann:hunter2@127.0.0.1:1/db", "no server answers there"),
        ("mysql://ann:hunter2@h/db", "no database it can use"),
        ("sqlite:////no/where/control.sqlite", "/no/where does not exist"),
    ],
)
def test_a_url_that_cannot_be_used_is_told_without_its_password(url: str, reason: str) -> None:
    result = run(ask, "--control", url)
    assert result.exit_code == 2
    assert reason in result.output
    assert "hunter2" not in result.output
    assert result.output.count("\n") == 1


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "control.sqlite").write_text("no database " * 100, encoding="utf-8")
    result = run(ask, "--data", str(tmp_path))
    assert result.exit_code == 2
    assert "file is not a database" in result.output


def test_the_driver_s_words_are_told_on_the_command_line(tmp_path: Path) -> None:
    result = run(fail, "--data", str(tmp_path))
    assert result.exit_code == 2
    assert result.stderr.endswith("peakline: The control database cannot be used now. (database is locked)\n")


def test_a_refusal_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        refuse("No.", is_json=False)
    assert (end.value.code, capsys.readouterr().err) == (2, "peakline: No.\n")


def test_a_table_is_not_cut_and_takes_names_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "role"), [("[bold]x[/]" + "y" * 90, "viewer")])
    assert capsys.readouterr().out.splitlines()[1].split() == ["[bold]x[/]" + "y" * 90, "viewer"]


@pytest.mark.parametrize(
    ("given", "tenants", "words"),
    [((), None, "all"), (("b", "a", "b"), frozenset({"a", "b"}), "a, b")],
)
def test_tenants_are_told_as_they_were_given(given: Sequence[str], tenants: frozenset[str] | None, words: str) -> None:
    assert tenants_of(given) == tenants
    assert told_tenants(tenants) == words
    assert told_tenants(frozenset()) == "none"
