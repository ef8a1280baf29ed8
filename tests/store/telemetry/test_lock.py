import os
from pathlib import Path

import pytest

from store.errors import MissingStoreError, StoreLockedError
from store.telemetry.lock import LOCK_NAME, FolderLock


def test_a_folder_has_one_owner_who_is_named(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "data")
    assert (tmp_path / "data" / LOCK_NAME).read_text(encoding="ascii") == f"{os.getpid()}\n"
    with pytest.raises(StoreLockedError, match=f"in use by another process \\(pid {os.getpid()}\\)"):
        FolderLock(tmp_path / "data")
    lock.release()
    FolderLock(tmp_path / "data").release()


def test_a_lock_file_that_a_crash_left_behind_locks_nobody_out(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_text("999999999\n", encoding="ascii")
    lock = FolderLock(tmp_path)
    assert (tmp_path / LOCK_NAME).read_text(encoding="ascii") == f"{os.getpid()}\n"
    lock.release()


def test_a_path_that_is_no_folder_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MissingStoreError, match=r"The data folder .*file cannot be used: .*\.$"):
        FolderLock(tmp_path / "file")
