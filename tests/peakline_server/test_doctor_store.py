"""The stores as the server tells of them, and the control database as a copy."""

import hashlib
from pathlib import Path

import pytest
from sqlalchemy import text

from peakline_server import doctor_store
from peakline_server.doctor_store import NoCopyError, copied, database, store, works
from store.control.open import open_control
from store.telemetry.lock import FolderLock
from tests.api.conftest import Switchboard
from tests.peakline_server.examined_place import asked, only, place


def test_a_healthy_server_is_told_with_its_version(peakline: str) -> None:
    here = place(server=asked(peakline))
    assert only(store(here)).sentence == "It answers, version 1.2.3, 0 minutes not counted yet."
    assert only(works(here)).state == only(database(here)).state == "ok"


def test_what_fails_in_the_server_is_a_problem(peakline: str, board: Switchboard) -> None:
    board.failing, board.pending = ["rollup"], 500
    assert only(works(place(server=asked(peakline)))).sentence == "This fails now: rollup."
    assert only(store(place(server=asked(peakline)))).state == "warning"
    board.healthy = False
    assert only(store(place(server=asked(peakline)))).state == "problem"


def test_without_a_server_its_state_is_not_looked_at() -> None:
    assert {only(check(place())).state for check in (store, works, database)} == {"skipped"}


def made(folder: Path) -> Path:
    open_control(f"sqlite:///{folder / 'control.sqlite'}").close()
    return folder / "control.sqlite"


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_a_control_database_is_looked_at_and_not_touched(tmp_path: Path) -> None:
    made(tmp_path)
    before = digests(tmp_path)
    found = only(database(place(data=tmp_path)))
    assert (found.state, "can be used by this version" in found.sentence) == ("ok", True)
    assert digests(tmp_path) == before


def test_rows_that_are_only_in_the_log_are_seen(tmp_path: Path) -> None:
    made(tmp_path)
    control = open_control(f"sqlite:///{tmp_path / 'control.sqlite'}")
    with control.engine.connect() as held:
        held.execute(text("SELECT 1"))
        with control.engine.begin() as connection:
            connection.execute(text("CREATE TABLE late (at INTEGER)"))
        assert (tmp_path / "control.sqlite-wal").stat().st_size > 0
        with copied(place(data=tmp_path)) as copy, copy.engine.connect() as reading:
            assert reading.execute(text("SELECT count(*) FROM late")).scalar() == 0
    control.close()


def test_a_database_of_a_newer_version_is_a_problem(tmp_path: Path) -> None:
    made(tmp_path)
    control = open_control(f"sqlite:///{tmp_path / 'control.sqlite'}")
    with control.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'c9999'"))
    control.close()
    found = only(database(place(data=tmp_path)))
    assert (found.state, "newer version of Peakline" in found.sentence) == ("problem", True)


def test_a_file_that_is_no_database_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "control.sqlite").write_bytes(b"this is a letter" * 1000)
    assert only(database(place(data=tmp_path))).state == "problem"


def test_the_database_of_a_running_server_is_left_alone(tmp_path: Path) -> None:
    made(tmp_path)
    lock = FolderLock(tmp_path)
    found = only(database(place(data=tmp_path)))
    lock.release()
    assert (found.state, "open, but does not answer" in found.sentence) == ("skipped", True)


def test_a_server_of_another_folder_does_not_vouch_for_this_database(peakline: str, tmp_path: Path) -> None:
    assert only(database(place(server=asked(peakline), data=tmp_path))).state == "skipped"
    made(tmp_path)
    found = only(database(place(server=asked(peakline), data=tmp_path)))
    assert "can be used by this version" in found.sentence
    lock = FolderLock(tmp_path)
    assert only(database(place(server=asked(peakline), data=tmp_path))).sentence == "The running server uses it."
    lock.release()


def test_where_there_is_nothing_to_copy_the_reason_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for here, said in (
        (place(), "No data folder"),
        (place(data=tmp_path), "There is no"),
        (place(data=tmp_path, control="postgresql+psycopg://u:planted@h/db"), "in a database server"),
    ):
        with pytest.raises(NoCopyError, match=said) as reason, copied(here):
            pass
        assert "planted" not in str(reason.value)
    made(tmp_path)
    monkeypatch.setattr(doctor_store, "COPY_BYTES_MAX", 10)
    assert "too large" in only(database(place(data=tmp_path))).sentence
