"""Real folders with real permissions."""

import os
from pathlib import Path

import pytest

from peakline_server import doctor_folder
from peakline_server.doctor_folder import folder, is_held, owner, secrets
from peakline_server.salt import content_salt
from store.telemetry.lock import FolderLock
from tests.peakline_server.examined_place import only, place, states

IS_ROOT = os.geteuid() == 0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir(mode=0o700)
    return tmp_path / "data"


def test_a_private_folder_of_ours_is_fine(data: Path) -> None:
    assert states(folder(place(data=data))) == ["ok"]


def test_a_folder_that_nobody_named_is_not_looked_at() -> None:
    assert "--data" in only(folder(place())).fix
    assert states(secrets(place())) == ["skipped"]


def test_a_missing_folder_says_how_to_make_it(data: Path) -> None:
    found = only(folder(place(data=data / "gone")))
    assert (found.state, f"mkdir -m 700 {data}/gone" in found.fix) == ("problem", True)


def test_a_file_is_no_folder(data: Path) -> None:
    (data / "file").touch()
    assert "is no folder" in only(folder(place(data=data / "file"))).sentence
    assert "cannot be looked at" in only(folder(place(data=data / "file" / "below"))).sentence


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701])
def test_a_folder_that_others_can_enter_is_told(data: Path, mode: int) -> None:
    data.chmod(mode)
    found = only(folder(place(data=data)))
    assert (found.state, found.fix) == ("warning", f"`chmod 700 {data}`")
    assert f"mode {mode:04o}" in found.sentence


@pytest.mark.skipif(IS_ROOT, reason="root may read and write everything")
def test_a_folder_that_cannot_be_written_is_a_problem(data: Path) -> None:
    data.chmod(0o500)
    found = only(folder(place(data=data)))
    data.chmod(0o700)
    assert (found.state, "cannot be read and written" in found.sentence) == ("problem", True)


@pytest.mark.skipif(not IS_ROOT, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_told(data: Path) -> None:
    os.chown(data, 54_321, 54_321)
    found = only(folder(place(data=data)))
    assert (found.state, "belongs to user 54321" in found.sentence) == ("warning", True)


def test_secrets_that_only_their_owner_reads_are_fine(data: Path) -> None:
    assert states(secrets(place(data=data))) == ["skipped"]
    content_salt(data)
    assert only(secrets(place(data=data))).sentence == "content.salt can be read by its owner only."
    (data / "control.sqlite").touch(mode=0o600)
    assert only(secrets(place(data=data))).sentence == "content.salt, control.sqlite can be read by their owner only."


@pytest.mark.parametrize("name", ["content.salt", "control.sqlite", "control.sqlite-wal"])
def test_a_secret_that_others_read_is_a_problem(data: Path, name: str) -> None:
    (data / name).touch(mode=0o600)
    content_salt(data)
    (data / name).chmod(0o640)
    found = only(secrets(place(data=data)))
    assert (found.state, found.fix) == ("problem", f"`chmod 600 {data}/{name}`")


def test_the_process_that_has_a_folder_is_known_while_it_has_it(data: Path) -> None:
    assert owner(data) is None
    lock = FolderLock(data)
    assert owner(data) == os.getpid()
    lock.release()
    assert owner(data) is None
    assert owner(data, data / "no-locks") is None


def test_a_folder_is_held_while_somebody_has_it_even_where_nobody_lists_who(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_held(data) is False
    assert list(data.iterdir()) == []
    for listed in (lambda _: 7, lambda _: None):
        lock = FolderLock(data)
        with monkeypatch.context() as patched:
            patched.setattr(doctor_folder, "owner", listed)
            assert is_held(data) is True
        lock.release()
    assert is_held(data) is False
    FolderLock(data).release()


def test_whether_a_folder_is_held_cannot_be_told_where_its_lock_is_no_file(data: Path) -> None:
    (data / "file").touch()
    assert is_held(data / "file") is None


def test_looking_for_the_owner_locks_nothing(data: Path) -> None:
    FolderLock(data).release()
    before = (data / "peakline.lock").stat()
    assert owner(data) is None
    assert (data / "peakline.lock").stat().st_mtime_ns == before.st_mtime_ns
