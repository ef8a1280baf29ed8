"""What changes while the server runs, and what waits for a restart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from peakline_server.configuration.loading import load
from peakline_server.configuration.running import RunningConfiguration
from peakline_server.reloading import Change, Reloader
from tests.peakline_server.configuration.conftest import Write
from vocabulary.pools import Pool
from vocabulary.services import ServiceBook

POOL = Pool("a", "m")
FIRST = "server: {port: 1}\nservices: [{service: a, tiers: {core: 1%}}]\n"
Running = tuple[RunningConfiguration, Reloader, list[ServiceBook], list[Change]]


@pytest.fixture
def running(write: Write) -> Callable[..., Running]:
    def start(**environment: str) -> Running:
        books: list[ServiceBook] = []
        changes: list[Change] = []
        configuration = RunningConfiguration(load(write(FIRST), environment), books.append)
        return configuration, Reloader(configuration.reloadables(), changes.append, lambda: 7), books, changes

    return start


def test_new_service_definitions_take_effect_at_once(running: Callable[..., Running], write: Write) -> None:
    configuration, reloader, books, changes = running()
    write(FIRST.replace("1%", "2%"))
    reloader.reload()
    assert [book.threshold(POOL, "core") for book in books] == [0.02]
    assert "0.02" in {row.name: row.value for row in configuration.rows()}["services"]
    assert [(change.subject, change.summary) for change in changes] == [("configuration", "configuration adopted")]


def test_other_settings_wait_for_a_restart_and_that_is_told(running: Callable[..., Running], write: Write) -> None:
    configuration, reloader, books, changes = running()
    path = write(FIRST.replace("port: 1", "port: 2"))
    reloader.reload()
    assert reloader.problems() == (f"server.port changed in {path}; restart to use it",)
    assert reloader.failing() == ()
    assert {row.name: row.value for row in configuration.rows()}["server.port"] == "1"
    assert books == []
    assert "restart to use it" in changes[0].summary
    write(FIRST)
    reloader.reload()
    assert reloader.problems() == ()


def test_what_a_variable_overrules_does_not_change(running: Callable[..., Running], write: Write) -> None:
    _, reloader, _, _ = running(PEAKLINE_SERVER_PORT="9")
    write(FIRST.replace("port: 1", "port: 2"))
    reloader.reload()
    assert reloader.problems() == ()


def test_a_file_with_mistakes_changes_nothing(running: Callable[..., Running], write: Write) -> None:
    configuration, reloader, books, changes = running()
    path = write("server: {port: many}\n")
    reloader.reload()
    assert reloader.problems() == (f"configuration: {path}:1: server.port: a whole number is wanted here",)
    assert reloader.failing() == ("configuration",)
    assert books == []
    assert not changes[0].is_adopted
    assert {row.name: row.value for row in configuration.rows()}["server.port"] == "1"


def test_without_a_file_nothing_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert RunningConfiguration(load(None, {}), lambda _book: None).reloadables() == ()


def test_what_changed_while_the_server_started_is_adopted(write: Write) -> None:
    books: list[ServiceBook] = []
    loaded = load(write(FIRST), {})
    write(FIRST.replace("1%", "2%"))
    reloader = Reloader(RunningConfiguration(loaded, books.append).reloadables(), lambda _change: None, lambda: 7)
    reloader.look()
    reloader.look()
    assert [book.threshold(POOL, "core") for book in books] == [0.02]
