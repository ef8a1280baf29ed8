from pathlib import Path

import pyarrow as pa
import pytest

from store.errors import MissingStoreError
from store.telemetry.incoming import FOLDER_NAME, Incoming

BATCH = pa.table({"n": [1, 2]})


def test_a_batch_lies_in_the_folder_while_it_is_inserted(tmp_path: Path) -> None:
    incoming = Incoming(tmp_path)
    with incoming.file("spans", BATCH) as path:
        assert path == f"'{tmp_path / FOLDER_NAME / 'spans.arrow'}'"
        assert pa.ipc.open_file(path.strip("'")).read_all() == BATCH
    assert list(incoming.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["d?x", "all*", "{a,b}"])
def test_a_folder_that_the_engine_would_take_for_a_pattern_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(MissingStoreError, match="rename the folder"):
        Incoming(tmp_path / name)


def test_a_failed_insert_leaves_nothing(tmp_path: Path) -> None:
    incoming = Incoming(tmp_path)
    with pytest.raises(RuntimeError), incoming.file("spans", BATCH):
        raise RuntimeError
    assert list(incoming.folder.iterdir()) == []


def test_what_a_kill_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    (Incoming(tmp_path).folder / "spans.arrow").write_bytes(b"half")
    assert list(Incoming(tmp_path).folder.iterdir()) == []


def test_a_path_with_quotes_is_one_text(tmp_path: Path) -> None:
    odd = tmp_path / "it's"
    odd.mkdir()
    with Incoming(odd).file("spans", BATCH) as path:
        assert path.endswith(f"it\\'s/{FOLDER_NAME}/spans.arrow'")
