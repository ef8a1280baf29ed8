"""The disk below the data folder: is there room, can it be written, will it be there tomorrow?"""

import os
from pathlib import Path
from typing import NamedTuple

from peakline_server.doctor_finding import Finding, Place, ok, problem, skipped, warning
from peakline_server.doctor_folder import NAME_IT, NO_FOLDER

ROOM, KIND = "disk", "file system"
GIB = 1 << 30
_LEAST_BYTES, _LOW_BYTES = GIB, 10 * GIB
_LEAST_FILES = 10_000
_FLEETING = {"tmpfs", "ramfs"}
_LAYERED = {"overlay", "aufs"}
_REMOTE = {"nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"}


class Room(NamedTuple):
    """What a file system has left; `files` None where it does not count them."""

    bytes_free: int
    files: int | None
    is_read_only: bool


def room(place: Place) -> list[Finding]:
    """Free bytes and files, and whether anything can be written."""
    if place.data is None:
        return [skipped(ROOM, NO_FOLDER, NAME_IT)]
    path = _nearest(place.data)
    return judged(path, room_of(path))


def room_of(path: Path) -> Room:
    """What the file system below a path has left for this user."""
    found = os.statvfs(path)
    files = found.f_favail if found.f_files else None
    return Room(found.f_bavail * found.f_frsize, files, bool(found.f_flag & os.ST_RDONLY))


def judged(path: Path, left: Room) -> list[Finding]:
    """What that means for a server."""
    if left.is_read_only:
        return [problem(ROOM, f"{path} is mounted read-only.", "Mount it for writing, or move server.data.")]
    free = f"{left.bytes_free / GIB:,.1f} GiB are free at {path}"
    fix = "Make room, or move server.data to a larger disk."
    if left.files is not None and left.files < _LEAST_FILES:
        return [problem(ROOM, f"Only {left.files:,} more files fit at {path}.", fix)]
    if left.bytes_free < _LEAST_BYTES:
        return [problem(ROOM, f"Only {free}; when it is full, senders are turned away.", fix)]
    if left.bytes_free < _LOW_BYTES:
        return [warning(ROOM, f"Only {free}.", fix)]
    return [ok(ROOM, f"{free}.")]


def kind(place: Place) -> list[Finding]:
    """Whether what is written stays."""
    if place.data is None:
        return [skipped(KIND, NO_FOLDER, NAME_IT)]
    path = _nearest(place.data)
    found = type_of(path)
    if found in _FLEETING:
        return [warning(KIND, f"{path} is in memory ({found}): a restart of the machine loses everything.", _MOVE)]
    if found in _LAYERED:
        said = f"{path} is a layer of a container ({found}): it goes with the container."
        return [warning(KIND, said, "Mount a volume there.")]
    if found in _REMOTE:
        said = f"{path} is on another machine ({found}), whose locks and syncs the databases cannot rely on."
        return [warning(KIND, said, _MOVE)]
    return [ok(KIND, f"{path} is on {found}.") if found else skipped(KIND, "This system does not tell its mounts.")]


_MOVE = "Move server.data to a local disk."


def type_of(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """Type of the file system that holds a path, '' when that cannot be told."""
    try:
        lines = mounts.read_text().splitlines()
    except OSError:
        return ""
    found = ""
    deepest, wanted = -1, path.resolve()
    for line in lines:
        before, _, after = line.partition(" - ")
        point = Path(before.split()[4].encode().decode("unicode_escape"))
        if wanted.is_relative_to(point) and len(point.parts) >= deepest:
            deepest, found = len(point.parts), after.split()[0]
    return found


def _nearest(path: Path) -> Path:
    """The path, or what is above it where it does not exist yet."""
    return next(one for one in (path, *path.absolute().parents) if one.exists())
