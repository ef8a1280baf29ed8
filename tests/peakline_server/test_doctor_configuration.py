"""What a server would be told is what is looked at."""

from pathlib import Path

import pytest

from peakline_server.client_token import Credentials
from peakline_server.doctor_configuration import Told, place_of, rules
from peakline_server.doctor_finding import Finding, Place
from tests.peakline_server.examined_place import NOW_NS, only, place, states

FILE = """\
server:
  data: kept
  host: 0.0.0.0
  port: 9600
  otlp_http_port: 0
  public_url: https://peakline.example
access:
  enabled: true
"""


def looked(file: Path | None, environment: dict[str, str] | None = None, **told: object) -> tuple[Place, list[Finding]]:
    data, server = told.get("data"), str(told.get("server", ""))
    assert data is None or isinstance(data, Path)
    return place_of(Told(file, data, server, Credentials()), environment or {}, lambda: NOW_NS)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "peakline.yaml").write_text(FILE)
    return tmp_path / "peakline.yaml"


def test_the_file_says_where_to_look(file: Path) -> None:
    here, found = looked(file)
    assert states(found) == ["ok"]
    assert (here.data, here.ports, here.access_enabled) == (file.parent / "kept", {"main": 9600}, True)
    assert (here.server.url, here.is_named, here.configuration_is_read) == ("https://peakline.example", False, True)
    assert here.server.other is not None
    assert (here.server.other.url, here.server.other.host) == ("http://127.0.0.1:9600", "")


def test_a_server_that_answers_to_some_names_is_asked_by_one_of_them(file: Path) -> None:
    file.write_text(FILE.replace("  public_url: https://peakline.example\n", "  hosts: [a.example, b.example]\n"))
    here, _ = looked(file)
    assert (here.server.url, here.server.host, here.server.other) == ("http://127.0.0.1:9600", "a.example", None)
    file.write_text(FILE.replace("access:", "  hosts: [a.example]\naccess:"))
    here, _ = looked(file)
    assert here.server.other is not None
    assert here.server.other.host == "peakline.example"


def test_a_token_goes_to_this_machine_before_it_goes_unencrypted_to_another(file: Path) -> None:
    file.write_text(FILE.replace("https:", "http:"))
    told = Told(file, None, "", Credentials("pkl_a"))
    here, _ = place_of(told, {}, lambda: NOW_NS)
    assert here.server.url == "http://127.0.0.1:9600"
    assert looked(file)[0].server.url == "http://peakline.example"


def test_options_and_variables_are_stronger(file: Path, tmp_path: Path) -> None:
    here, _ = looked(
        file, {"PEAKLINE_SERVER_PORT": "9700"}, data=tmp_path / "other", server="https://peakline.example:1"
    )
    assert (here.data, here.ports) == (tmp_path / "other", {"main": 9700})
    assert (here.server.url, here.is_named) == ("https://peakline.example:1", True)


def test_without_a_file_the_defaults_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here, found = looked(None)
    assert "There is no file" in only(found).sentence
    assert (here.data, here.ports) == (None, {"main": 8600, "OTLP/HTTP": 4318})


def test_every_mistake_is_a_problem_and_the_rest_is_looked_at(file: Path, tmp_path: Path) -> None:
    file.write_text(FILE.replace("9600", "many") + "acess: {}\n")
    here, found = looked(file, {"PEAKLINE_SERVER_PROT": "1"}, data=tmp_path)
    assert states(found) == ["problem", "problem", "problem", "skipped"]
    told = "\n".join(finding.sentence for finding in found)
    assert "peakline.yaml:4: server.port" in told
    assert "did you mean" in told
    assert "PEAKLINE_SERVER_PROT" in told
    assert (here.data, here.configuration_is_read) == (tmp_path, False)


def test_a_password_of_a_database_is_not_told(file: Path) -> None:
    variables = {"PEAKLINE_STORE_CONTROL_URL": "postgresql+psycopg://u:planted@h/db"}
    here, found = looked(file, variables)
    assert "planted" in here.control
    assert "planted" not in f"{here} {found}"


def test_alert_rules_are_read(tmp_path: Path) -> None:
    assert only(rules(place())).state == "skipped"
    assert only(rules(place(rules=tmp_path / "none.yaml"))).state == "problem"
    (tmp_path / "bad.yaml").write_text("rules: 7\n")
    assert "bad.yaml" in only(rules(place(rules=tmp_path / "bad.yaml"))).sentence
    good = next((Path(__file__).parents[2] / "docs" / "examples").glob("*rules*.yaml"))
    assert only(rules(place(rules=good))).state == "ok"
