"""The demo's folder: never somebody else's, never two demos at once."""

from pathlib import Path

import pytest

from alerts.rules import load_rules
from loadtest.scenarios.demo_schedule import demo_schedule
from peakline_server.demo_folder import DemoFolderError, Note, open_folder
from store.telemetry.lock import FolderLock
from tests.factories.fleets import fleet_plan
from vocabulary.pools import SECOND_NS, Pool

NOTE = Note(seed=1, origin_ns=2, requests_per_day=3.0, sent_until_s=4.0)


def test_a_fresh_folder_has_no_note(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "a" / "demo")
    assert folder.note is None
    folder.lock.close()


def test_a_note_is_found_again(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "demo")
    folder.write_note(NOTE)
    folder.lock.close()
    again = open_folder(tmp_path / "demo")
    assert again.note == NOTE
    again.lock.close()


def test_a_folder_of_somebody_else_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(DemoFolderError, match="is no demo folder"):
        open_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DemoFolderError, match="is no demo folder"):
        open_folder(tmp_path / "file")


def test_a_second_demo_on_the_folder_is_refused(tmp_path: Path) -> None:
    first = open_folder(tmp_path / "demo")
    with pytest.raises(DemoFolderError, match=r"another demo is running on .*demo; stop it"):
        open_folder(tmp_path / "demo")
    first.tell_holder(1234)
    with pytest.raises(DemoFolderError, match="demo, its server is process 1234; stop it"):
        open_folder(tmp_path / "demo")
    first.lock.close()
    open_folder(tmp_path / "demo").lock.close()


def test_clearing_removes_data_and_note_and_nothing_else(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "demo")
    folder.write_note(NOTE)
    folder.data.mkdir()
    (folder.data / "part").touch()
    (folder.path / "mine.txt").touch()
    folder.clear()
    assert sorted(path.name for path in folder.path.iterdir()) == ["demo.lock", "mine.txt"]
    folder.lock.close()


def test_a_note_that_cannot_be_read_is_no_note(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "demo")
    (folder.path / "demo.json").write_text("{", encoding="utf-8")
    folder.lock.close()
    again = open_folder(tmp_path / "demo")
    assert again.note is None
    again.lock.close()


def test_the_rules_are_rules_that_the_server_reads(tmp_path: Path) -> None:
    folder, plan = open_folder(tmp_path / "demo"), fleet_plan()
    schedule = demo_schedule(plan, 60)
    folder.write_rules(plan, schedule)
    folder.lock.close()
    [rule] = load_rules(folder.rules)
    assert rule.pool == Pool(plan.service, plan.models[0].name)
    assert (rule.line.at, rule.line.recovery) == (schedule.line, schedule.recovery)
    assert (rule.over_s, rule.for_ns) == (20, 5 * SECOND_NS)


def test_data_that_a_server_has_open_are_not_removed(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "demo")
    server = FolderLock(folder.data)
    (folder.data / "precious").touch()
    with pytest.raises(DemoFolderError, match=r"in use by another process \(pid \d+\).*--data"):
        folder.clear()
    assert (folder.data / "precious").exists()
    server.release()
    folder.clear()
    assert not folder.data.exists()
    folder.lock.close()
