"""`peakline config`: exit codes, sentences, JSON."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from peakline_server.config import config

OIDC = """\
access:
  enabled: true
  oidc: {issuer: https://l, client_id: c, client_secret: hunter2, default_role: viewer}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(config, arguments, env=environment)


def test_a_usable_file_is_told_with_the_number_of_its_settings(folder: Path) -> None:
    (folder / "peakline.yaml").write_text("server: {port: 1}\n")
    assert run("check").output == "peakline.yaml: 1 setting, usable\n"
    told = json.loads(run("check", "--json").output)
    assert told == {"file": "peakline.yaml", "settings": 1, "mistakes": []}


def test_without_a_file_the_environment_is_checked(folder: Path) -> None:
    assert run("check").output == "no file, environment variables: 0 settings, usable\n"
    found = run("check", PEAKLINE_SERVR_PORT="1")
    assert (found.exit_code, "did you mean PEAKLINE_SERVER_PORT?" in found.stderr) == (2, True)


def test_every_mistake_is_a_line_and_an_entry(folder: Path) -> None:
    (folder / "a.yaml").write_text("server:\n  prot: 1\nserver: 2\n")
    found = run("check", "a.yaml")
    assert found.exit_code == 2
    assert found.stderr.splitlines() == [
        "a.yaml:2: server.prot: unknown key; did you mean 'port'?",
        "a.yaml:3: 'server' stands here twice",
    ]
    first, _ = json.loads(run("check", "a.yaml", "--json").output)["mistakes"]
    assert (first["line"], first["setting"], first["where"]) == (2, "server.prot", "a.yaml:2")


def test_the_files_that_are_named_are_checked_too(folder: Path) -> None:
    (folder / "peakline.yaml").write_text("alerts: {rules_file: rules.yaml}\n")
    (folder / "rules.yaml").write_text("rules: 7\n")
    found = run("check")
    assert found.exit_code == 2
    assert found.stderr.startswith("peakline.yaml:1: alerts.rules_file: rules.yaml:1: 'rules' wants a list")


def test_show_tells_what_holds_and_where_it_comes_from(folder: Path) -> None:
    path = folder / "peakline.yaml"
    path.write_text(OIDC)
    path.chmod(0o600)
    environment = {"PEAKLINE_SERVER_PUBLIC_URL": "https://p", "PEAKLINE_STORE_CONTROL_URL": "postgres://u:hunter2@h/d"}
    lines = run("show", "--changed", **environment).output.splitlines()
    told = {line.split()[0]: line.split()[1:] for line in lines}
    assert told["access.oidc.client_secret"] == ["set", "peakline.yaml:3"]
    assert told["store.control_url"] == ["postgres://h/d", "PEAKLINE_STORE_CONTROL_URL"]
    assert "server.port" not in told
    rows = json.loads(run("show", "--json", **environment).output)["settings"]
    assert {row["name"]: row["value"] for row in rows}["server.port"] == "8600"
    for arguments in (["show"], ["show", "--json"], ["check"], ["check", "--json"]):
        assert "hunter2" not in run(*arguments, **environment).output


def test_show_of_an_unusable_configuration_is_refused(folder: Path) -> None:
    assert run("show", "--config", "absent.yaml").exit_code == 2
    assert "cannot be read" in run("show", "--config", "absent.yaml", "--json").output


def test_the_example_passes_the_check(folder: Path) -> None:
    (folder / "peakline.yaml").write_text(run("example").output)
    assert run("check").exit_code == 0


def test_the_table_and_the_schema_are_printed(folder: Path) -> None:
    assert run("docs").output.startswith("| setting | type | default | unit | meaning |\n")
    assert json.loads(run("schema").output)["title"] == "peakline.yaml"
