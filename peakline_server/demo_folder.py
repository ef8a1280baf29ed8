"""The demo's folder: what an earlier demo left there, and who uses it now."""

import fcntl
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec

from loadtest.fleet.plan import FleetPlan
from loadtest.scenarios.demo_schedule import Schedule
from store.errors import StoreLockedError
from store.telemetry.lock import FolderLock
from vocabulary.errors import PeaklineError

_NOTE = "demo.json"
_RULES = """\
# The demo's warning line. A person wrote it down, so the dashboard labels it `fixed`.
rules:
  - id: demo-chat-load
    summary: Load per replica is above a usual weekday's peak
    metric: load
    over: {over}s
    pool: {{service: {service}, model: {model}}}
    line: {{kind: fixed, at: {line}, recovery: {recovery}}}
    for: {hold}s
    severity: warning
"""


class DemoFolderError(PeaklineError):
    """The folder cannot be used for a demo."""


class Note(msgspec.Struct, forbid_unknown_fields=True):
    """What a demo writes down, so that a later one can go on from there.

    sent_until_s  simulated second up to which everything is stored
    scenario      its name, '' for the demo's own story
    """

    seed: int
    origin_ns: int
    requests_per_day: float
    sent_until_s: float = 0.0
    scenario: str = ""


@dataclass
class DemoFolder:
    """A locked demo folder; the lock lives as long as the process or the server that inherited it."""

    path: Path
    lock: IO[str]
    note: Note | None

    @property
    def data(self) -> Path:
        """The server's data folder."""
        return self.path / "data"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.path / "server.log"

    @property
    def truth(self) -> Path:
        """What really happened in the simulated fleet; the server never looks there."""
        return self.path / "truth"

    @property
    def rules(self) -> Path:
        """The demo's alert rules."""
        return self.path / "rules.yaml"

    def tell_holder(self, process_id: int) -> None:
        """Write down which process holds the lock on when the demo itself is gone."""
        self.lock.truncate(0)
        self.lock.write(str(process_id))
        self.lock.flush()

    def write_note(self, note: Note) -> None:
        """Replace the note in one step."""
        self.note = note
        scratch = self.path / (_NOTE + ".new")
        scratch.write_bytes(msgspec.json.format(msgspec.json.encode(note)))
        scratch.replace(self.path / _NOTE)

    def write_rules(self, plan: FleetPlan, schedule: Schedule) -> None:
        """Write the rule file for this fleet and the pace of this run."""
        text = _RULES.format(
            over=schedule.over_s,
            service=plan.service,
            model=plan.models[0].name,
            line=schedule.line,
            recovery=schedule.recovery,
            hold=schedule.for_s,
        )
        self.rules.write_text(text, encoding="utf-8")

    def clear(self) -> None:
        """Remove what the last demo stored.

        raises  DemoFolderError when a server has its data open
        """
        if self.data.exists():
            try:
                lock = FolderLock(self.data)
            except StoreLockedError as fault:
                raise DemoFolderError(f"{fault} Stop that server, or name another folder with --data") from fault
            shutil.rmtree(self.data, ignore_errors=True)
            lock.release()
        shutil.rmtree(self.truth, ignore_errors=True)
        (self.path / _NOTE).unlink(missing_ok=True)
        self.note = None


def open_folder(path: Path) -> DemoFolder:
    """Create or reopen a demo folder and lock it.

    raises  DemoFolderError when it holds something else, or another demo uses it
    """
    note_file, lock_file = path / _NOTE, path / "demo.lock"
    if path.exists() and (not path.is_dir() or (any(path.iterdir()) and not lock_file.exists())):
        message = f"{path} exists and is no demo folder; name another with --data"
        raise DemoFolderError(message)
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = lock_file.open("a", encoding="utf-8")
    except OSError as fault:
        message = f"{path} cannot be used: {fault.strerror}"
        raise DemoFolderError(message) from fault
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        lock.close()
        message = f"another demo is running on {path}{_holder(lock_file)}; stop it, or name another folder with --data"
        raise DemoFolderError(message) from fault
    return DemoFolder(path, lock, _read_note(note_file))


def _holder(lock_file: Path) -> str:
    """What the lock's holder said of itself, for a person; a server that outlived its demo is found by it."""
    try:
        told = lock_file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    return f", its server is process {told}" if told.isascii() and told.isdigit() else ""


def _read_note(file: Path) -> Note | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Note)
    except (OSError, msgspec.MsgspecError):
        return None
