from pathlib import Path

import pytest

from peakline_server.doctor_disk import GIB, Room, judged, kind, room, room_of, type_of
from tests.peakline_server.examined_place import only, place, states

MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
23 22 0:20 / /run rw - tmpfs tmpfs rw
24 22 0:21 / /srv/with\\040blank rw - nfs4 host:/x rw
25 22 0:22 / /srv/layer rw - overlay overlay rw
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    (tmp_path / "mountinfo").write_text(MOUNTS)
    return tmp_path / "mountinfo"


def test_the_disk_of_a_real_folder_is_measured(tmp_path: Path) -> None:
    left = room_of(tmp_path)
    assert left.bytes_free > 0
    assert not left.is_read_only
    assert "GiB" in only(room(place(data=tmp_path / "not" / "made" / "yet"))).sentence
    assert states(room(place())) == states(kind(place())) == ["skipped"]


@pytest.mark.parametrize(
    ("left", "state", "said"),
    [
        (Room(100 * GIB, None, is_read_only=False), "ok", "100.0 GiB are free"),
        (Room(100 * GIB, 50_000, is_read_only=False), "ok", "100.0 GiB are free"),
        (Room(5 * GIB, 50_000, is_read_only=False), "warning", "Only 5.0 GiB"),
        (Room(GIB // 2, 50_000, is_read_only=False), "problem", "Only 0.5 GiB"),
        (Room(100 * GIB, 12, is_read_only=False), "problem", "Only 12 more files"),
        (Room(100 * GIB, 50_000, is_read_only=True), "problem", "mounted read-only"),
    ],
)
def test_what_is_left_decides(left: Room, state: str, said: str) -> None:
    found = only(judged(Path("/data"), left))
    assert (found.state, said in found.sentence, bool(found.fix)) == (state, True, state != "ok")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/home/x", "ext4"),
        ("/run/x", "tmpfs"),
        ("/running", "ext4"),
        ("/srv/with blank/x", "nfs4"),
        ("/srv/layer", "overlay"),
    ],
)
def test_the_deepest_mount_holds_a_path(mounts: Path, path: str, found: str) -> None:
    assert type_of(Path(path), mounts) == found


def test_a_system_without_a_list_of_mounts_tells_nothing(tmp_path: Path) -> None:
    assert type_of(tmp_path, tmp_path / "none") == ""


def test_a_folder_in_memory_is_told() -> None:
    memory = Path("/dev/shm")  # noqa: S108 - looked at, nothing is put there
    if type_of(memory) != "tmpfs":
        pytest.skip("this system has no /dev/shm in memory")
    found = only(kind(place(data=memory / "peakline")))
    assert (found.state, "loses everything" in found.sentence) == ("warning", True)
