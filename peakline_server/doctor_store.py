"""The stores: what the running server says of them, or the control database as it lies there."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from peakline_server.doctor_finding import Finding, Place, ok, problem, skipped, warning
from peakline_server.doctor_folder import NAME_IT, NO_FOLDER, owner
from peakline_server.doctor_server import is_of_another_folder, unanswered
from peakline_server.settings import sqlite_url
from vocabulary.access import Role
from vocabulary.errors import PeaklineError

if TYPE_CHECKING:
    from store.control.open import Control

STORE, WORKS, DATABASE = "store", "background work", "control database"
_PENDING_MANY = 120
COPY_BYTES_MAX = 256 << 20
_FILE = "control.sqlite"


class NoCopyError(PeaklineError):
    """There is no control database that could be looked at here; the message says why."""


def store(place: Place) -> list[Finding]:
    """Whether the store of the running server answers, and how far rollups are behind."""
    reply = place.server.get("/api/v1/health")
    if not reply.is_answer:
        return [unanswered(STORE, place, reply, Role.VIEWER)]
    health = reply.body
    if health["store"] != "ok":
        fix = "Look at the server's log, and at the disk or the ClickHouse behind it."
        return [problem(STORE, "The telemetry store does not answer.", fix)]
    if health["pending_minutes"] > _PENDING_MANY:
        said = f"{health['pending_minutes']:,} minutes are not counted yet, so reports lag behind."
        return [warning(STORE, said, "Wait, or give the server more CPU, if the number does not fall.")]
    return [ok(STORE, f"It answers, version {health['version']}, {health['pending_minutes']} minutes not counted yet.")]


def works(place: Place) -> list[Finding]:
    """Whether rollups and alert evaluation go on."""
    reply = place.server.get("/api/v1/health")
    if not reply.is_answer:
        return [unanswered(WORKS, place, reply, Role.VIEWER)]
    failing = reply.body["failing"]
    if failing:
        return [problem(WORKS, f"This fails now: {', '.join(failing)}.", "The server's log says why.")]
    return [ok(WORKS, "Everything goes on.")]


def database(place: Place) -> list[Finding]:
    """Whether this version can use the control database; a copy is opened, never the file itself."""
    if place.server.is_peakline() and not is_of_another_folder(place):
        return [ok(DATABASE, "The running server uses it.")]
    try:
        with copied(place):
            return [ok(DATABASE, f"{place.data}/{_FILE} can be used by this version.")]
    except NoCopyError as reason:
        return [skipped(DATABASE, str(reason))]
    except PeaklineError as fault:
        return [problem(DATABASE, str(fault), "Restore a backup, or use the version that wrote it.")]


@contextmanager
def copied(place: Place) -> Iterator["Control"]:
    """The control database, opened from a private copy that is removed after.

    Opening brings a database to the newest schema, and the doctor changes nothing.

    raises  NoCopyError when there is none here, else what opening raises
    """
    source = _source(place)
    from store.control.open import open_control

    with tempfile.TemporaryDirectory(prefix="peakline-doctor-") as folder:
        copy = Path(folder) / _FILE
        try:
            for ending in ("", "-wal"):
                if (written := source.with_name(_FILE + ending)).exists():
                    shutil.copyfile(written, copy.with_name(_FILE + ending))
        except OSError as fault:
            message = f"{source} cannot be read: {fault.strerror}."
            raise NoCopyError(message) from fault
        control = open_control(sqlite_url(copy))
        try:
            yield control
        finally:
            control.close()


def _source(place: Place) -> Path:
    if place.control:
        raise NoCopyError("It is in a database server; only a running Peakline server can tell.")
    if place.data is None:
        raise NoCopyError(f"{NO_FOLDER} {NAME_IT}")
    source = place.data / _FILE
    try:
        size = source.stat().st_size
    except OSError as fault:
        raise NoCopyError(f"There is no {source} yet.") from fault
    if (pid := owner(place.data)) is not None:
        raise NoCopyError(f"A server (pid {pid}) has {place.data} open, but does not answer.")
    if size > COPY_BYTES_MAX:
        raise NoCopyError(f"{source} is too large to be copied for a look.")
    return source
