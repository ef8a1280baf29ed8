"""The data folder is used only when it is really there."""

import os
from pathlib import Path

import pytest

from peakline_server.parts import DataFolderError, prepare_folder


def test_a_missing_folder_is_not_made_silently(tmp_path: Path) -> None:
    with pytest.raises(DataFolderError, match="does not exist; make it, or add --init"):
        prepare_folder(tmp_path / "typo", create=False)


def test_init_makes_the_folder_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    prepare_folder(folder, create=True)
    prepare_folder(folder, create=True)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_file_in_the_way_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataFolderError, match="cannot be made"):
        prepare_folder(tmp_path / "file", create=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_of_someone_else_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(DataFolderError, match="not writable"):
        prepare_folder(tmp_path, create=False)
