"""Which source wins, and that every mistake of every source is told at once."""

from pathlib import Path

import pytest

from peakline_server.configuration.given import Source
from peakline_server.configuration.loading import file_to_read, load
from peakline_server.configuration.mistakes import ConfigurationError
from tests.peakline_server.configuration.conftest import Complain, Read, Write

PORT = ("server", "port")


def test_an_option_is_stronger_than_a_variable_than_the_file_than_the_default(read: Read) -> None:
    text, variable, option = "server: {port: 1}", {"PEAKLINE_SERVER_PORT": "2"}, {"server.port": ("--port", 3)}
    for loaded, port, source in (
        (read(text, variable, option), 3, Source.OPTION),
        (read(text, variable), 2, Source.ENVIRONMENT),
        (read(text), 1, Source.FILE),
        (read(""), 8600, Source.DEFAULT),
    ):
        assert loaded.configuration.server.port == port
        assert loaded.origin(PORT).source is source


def test_where_a_value_comes_from_is_told_exactly(read: Read, tmp_path: Path) -> None:
    loaded = read("server:\n  port: 1\n", {"PEAKLINE_SERVER_HOST": "::1"}, {"server.role": ("--role", "all")})
    assert str(loaded.origin(PORT)) == f"{tmp_path}/peakline.yaml:2"
    assert str(loaded.origin(("server", "host"))) == "PEAKLINE_SERVER_HOST"
    assert str(loaded.origin(("server", "role"))) == "--role"
    assert str(loaded.origin(("server", "data"))) == "default"


def test_an_option_that_is_not_given_overrules_nothing(read: Read) -> None:
    assert read("server: {port: 1}", {}, {"server.port": ("--port", None)}).configuration.server.port == 1


def test_a_wrong_value_is_told_also_where_a_stronger_source_overrules_it(complaints: Complain) -> None:
    environment = {"PEAKLINE_SERVER_PORT": "8700"}
    assert complaints("server: {port: many}", environment) == ["1: server.port: a whole number is wanted here"]


def test_mistakes_of_all_sources_are_told_at_once(complaints: Complain) -> None:
    found = complaints("server: {prot: 1}", {"PEAKLINE_X_Y": "1"}, server__port=("--port", 70_000))
    assert [one.partition(": ")[0] for one in found] == ["--port", "PEAKLINE_X_Y", "1"]


def test_a_file_that_cannot_be_read_does_not_hide_mistakes_elsewhere(complaints: Complain) -> None:
    assert len(complaints("- a\n", {"PEAKLINE_X_Y": "1"})) == 2


def test_the_file_is_named_or_lies_in_the_working_folder(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_to_read(None, {}) is None
    path = write("server: {port: 1}\n")
    assert file_to_read(None, {}) == Path("peakline.yaml")
    assert file_to_read(None, {"PEAKLINE_CONFIG": ""}) == Path("peakline.yaml")
    assert file_to_read(None, {"PEAKLINE_CONFIG": str(path)}) == path
    assert file_to_read(Path("x"), {"PEAKLINE_CONFIG": str(path)}) == Path("x")
    assert str(load(None, {}).origin(PORT)) == "peakline.yaml:1"


def test_a_file_that_is_named_and_missing_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"absent\.yaml: cannot be read"):
        load(None, {"PEAKLINE_CONFIG": str(tmp_path / "absent.yaml")})


def test_the_same_sources_can_be_read_again(write: Write) -> None:
    loaded = load(write("server: {port: 1}"), {"PEAKLINE_SERVER_HOST": "::1"})
    write("server: {port: 2}")
    again = loaded.again()
    assert (again.configuration.server.port, again.configuration.server.host) == (2, "::1")
    assert again.file == loaded.file


def test_no_secret_is_in_a_representation_or_a_traceback(read: Read) -> None:
    text = "store: {control_url: 'postgres://u:hunter2@h/d'}\n"
    assert "hunter2" not in repr(read(text))
    with pytest.raises(ConfigurationError) as caught:
        read(text + "access: {oidc: {client_secret: [hunter2]}}\n")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_the_home_folder_of_nobody_is_a_mistake() -> None:
    with pytest.raises(ConfigurationError, match=r"^PEAKLINE_CONFIG: there is no such home folder"):
        load(None, {"PEAKLINE_CONFIG": "~nobody.of-that.name/a.yaml"})


def test_a_link_to_nowhere_is_a_mistake_and_not_an_absence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "peakline.yaml").symlink_to("absent")
    with pytest.raises(ConfigurationError, match=r"^peakline\.yaml: cannot be read"):
        load(None, {})
