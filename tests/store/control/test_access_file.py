import os
from pathlib import Path

import pytest

from store.control.access_file import control_file, keep_private
from store.control.open import open_control
from store.errors import MissingStoreError


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_file_is_its_owner_s_alone_and_so_is_what_sqlite_puts_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "control.sqlite"
    keep_private(f"sqlite:///{file}")
    control = open_control(f"sqlite:///{file}")
    with control.engine.connect():
        assert {path.name: mode(path) for path in tmp_path.iterdir()} == {
            "control.sqlite": 0o600,
            "control.sqlite-shm": 0o600,
            "control.sqlite-wal": 0o600,
        }
    control.close()


def test_a_file_that_others_could_read_is_closed_to_them_while_it_is_open(tmp_path: Path) -> None:
    file = tmp_path / "control.sqlite"
    control = open_control(f"sqlite:///{file}")
    file.chmod(0o644)
    with control.engine.connect() as connection:
        connection.exec_driver_sql("INSERT INTO rollup_builds VALUES (1, 1, 1, 1)")
        (tmp_path / "control.sqlite-wal").chmod(0o644)
        keep_private(f"sqlite:///{file}")
        assert {mode(path) for path in tmp_path.iterdir()} == {0o600}
        connection.commit()
    assert control.builds.last().build == 1
    control.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files for others")
def test_what_root_makes_belongs_to_the_owner_of_the_folder(tmp_path: Path) -> None:
    os.chown(tmp_path, 1234, 2345)
    keep_private(f"sqlite:///{tmp_path / 'control.sqlite'}")
    found = (tmp_path / "control.sqlite").stat()
    assert (found.st_uid, found.st_gid, found.st_size) == (1234, 2345, 0)


def test_a_postgresql_has_no_file() -> None:
    assert control_file("postgresql://ann@127.0.0.1/db") is None
    keep_private("postgresql://ann@127.0.0.1/db")


def test_a_folder_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MissingStoreError, match=r"^The control store .* cannot be made: No such file or directory\.$"):
        keep_private(f"sqlite:///{tmp_path / 'no' / 'control.sqlite'}")
