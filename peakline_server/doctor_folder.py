"""The data folder: is it there, ours, closed to others, and are its secrets?"""

import fcntl
import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path

from peakline_server.doctor_finding import Finding, Place, ok, problem, skipped, warning
from peakline_server.program import program
from store.telemetry.lock import LOCK_NAME

FOLDER, SECRETS = "data folder", "secrets"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_SECRET_FILES = ("content.salt", "control.sqlite", "control.sqlite-wal", "control.sqlite-shm")
NO_FOLDER = "No data folder is named."
NAME_IT = "Give --data DIR, or set server.data."


def folder(place: Place) -> list[Finding]:
    """Whether the server can use its folder and nobody else can read it."""
    path = place.data
    if path is None:
        return [skipped(FOLDER, NO_FOLDER, NAME_IT)]
    try:
        found = path.stat()
    except OSError as fault:
        return [_not_there(path, fault)]
    if not stat.S_ISDIR(found.st_mode):
        return [problem(FOLDER, f"{path} is no folder.", "Name another with server.data.")]
    findings = [*_whose(path, found), *_how_open(path, found)]
    return findings or [ok(FOLDER, f"{path} is ours, and closed to others.")]


def _not_there(path: Path, fault: OSError) -> Finding:
    if isinstance(fault, FileNotFoundError):
        return problem(FOLDER, f"{path} does not exist.", f"`mkdir -m 700 {path}`, or `{program()} serve --init`.")
    return problem(FOLDER, f"{path} cannot be looked at: {fault.strerror}.", "Run as the user of the server.")


def _whose(path: Path, found: os.stat_result) -> list[Finding]:
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        return [
            problem(FOLDER, f"{path} cannot be read and written by this user.", f"`chown {_name(os.getuid())} {path}`")
        ]
    if found.st_uid == os.geteuid():
        return []
    said = f"{path} belongs to {_name(found.st_uid)}, and this is {_name(os.geteuid())}."
    return [warning(FOLDER, said, f"Run the server, and this, as {_name(found.st_uid)}.")]


def _how_open(path: Path, found: os.stat_result) -> list[Finding]:
    mode = stat.S_IMODE(found.st_mode)
    if not mode & _OTHERS:
        return []
    said = f"{path} is open to other users (mode {mode:04o})."
    return [warning(FOLDER, said, f"`chmod 700 {path}`")]


def _name(user: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(user).pw_name
    return f"user {user}"


def owner(path: Path, locks: Path = Path("/proc/locks")) -> int | None:
    """Process that has the folder at this moment, None when nobody has it or nobody can tell.

    Nothing is locked to find out: for an instant that would keep a server from starting.
    """
    lock = path / LOCK_NAME
    with suppress(OSError, ValueError):
        inode = str(lock.stat().st_ino)
        held = (line.split() for line in locks.read_text().splitlines() if " FLOCK " in line and " -> " not in line)
        if any(fields[5].rpartition(":")[2] == inode for fields in held):
            return int(lock.read_text(encoding="ascii"))
    return None


def is_held(path: Path) -> bool | None:
    """Whether somebody has the folder open, None when that cannot be told.

    A lock that the system lists is believed. Else a shared one is tried for an instant: the holder may be in a
    container, whose processes are not listed.
    """
    if owner(path) is not None:
        return True
    try:
        descriptor = os.open(path / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as fault:
        return False if isinstance(fault, FileNotFoundError) else None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as fault:
        return True if isinstance(fault, BlockingIOError) else None
    finally:
        os.close(descriptor)
    return False


def secrets(place: Place) -> list[Finding]:
    """Whether files that hold hashes and salts can be read by their owner only."""
    if place.data is None:
        return [skipped(SECRETS, NO_FOLDER, NAME_IT)]
    found = [finding for name in _SECRET_FILES for finding in _secret(place.data / name)]
    there = [name for name in _SECRET_FILES if (place.data / name).exists()]
    if not there:
        return [skipped(SECRETS, f"{place.data} holds none yet.")]
    return found or [
        ok(SECRETS, f"{', '.join(there)} can be read by {'its' if len(there) == 1 else 'their'} owner only.")
    ]


def _secret(path: Path) -> list[Finding]:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return []
    if not mode & _OTHERS:
        return []
    return [problem(SECRETS, f"{path} can be read or changed by other users (mode {mode:04o}).", f"`chmod 600 {path}`")]
