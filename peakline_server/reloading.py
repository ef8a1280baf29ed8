"""Files that are read again while the server runs: what is good is adopted, what is not leaves everything as it was.

A file counts as changed when two looks find the same new content, so that nothing half written is taken for a whole.
"""

import hashlib
import logging
import os
import stat
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from documents.yaml_file import BYTES_MAX
from vocabulary.errors import PeaklineError

_LOG = logging.getLogger(__name__)
LOOK_EVERY_S = 2.0
Content = TypeVar("Content")
Stamp = tuple[tuple[int, ...], ...]
"""What tells without reading that a file was not touched."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something was adopted or refused.

    subject        name of the thing: alert rules, alias table, configuration
    summary        one sentence for a person, without secrets
    before_digest  SHA-256 of the files as they hold, in hex
    after_digest   of the files as they are now
    at_ns          when, nanoseconds since the epoch
    is_adopted     False: the old ones go on
    """

    subject: str
    summary: str
    before_digest: str
    after_digest: str
    at_ns: int
    is_adopted: bool


@dataclass(frozen=True, slots=True)
class Reloadable(Generic[Content]):
    """Something that comes from files and can be swapped while the server runs.

    name   what people know it as
    files  that are watched; all of them are read by `load`
    load   reads and checks; raises PeaklineError with one sentence or more
    adopt  swaps it in; returns what a person must know about it, for example that something waits for a restart
    holds  digest of the files when they were read at the start, '' where that was just now
    """

    name: str
    files: tuple[Path, ...]
    load: Callable[[], Content]
    adopt: Callable[[Content], Sequence[str]]
    holds: str = ""


class Reloader:
    """Watches; call `look` every LOOK_EVERY_S seconds, and `reload` when somebody asks for it. Thread-safe.

    on_change  is told of everything that was adopted or refused, each once; it must not raise
    """

    def __init__(
        self,
        things: Sequence[Reloadable[Any]],
        on_change: Callable[[Change], None],
        clock_ns: Callable[[], int],
    ) -> None:
        self._lock = threading.Lock()
        self._watches = [Watch(thing, on_change, clock_ns) for thing in things]

    def look(self) -> None:
        """One round; what is found changed now is read when the next round finds it the same."""
        with self._lock:
            for watch in self._watches:
                watch.look()

    def reload(self) -> None:
        """Read everything that changed now: somebody says that it is whole."""
        with self._lock:
            for watch in self._watches:
                watch.look(is_whole=True)

    def failing(self) -> tuple[str, ...]:
        """Names of the things whose files are refused now."""
        return tuple(watch.name for watch in self._watches if watch.refusal)

    def problems(self) -> tuple[str, ...]:
        """Sentences: why files are refused, and what waits for a restart."""
        return tuple(sentence for watch in self._watches for sentence in watch.sentences())


class Watch:
    """One thing and what its files held when they were looked at last."""

    def __init__(
        self, thing: Reloadable[Any], on_change: Callable[[Change], None], clock_ns: Callable[[], int]
    ) -> None:
        self.name = thing.name
        self.refusal = ""
        self._thing = thing
        self._on_change = on_change
        self._clock_ns = clock_ns
        self._remarks: tuple[str, ...] = ()
        self._stamp = stamp(thing.files)
        self._seen = digest(thing.files)
        self._adopted = self._judged = thing.holds or self._seen

    def sentences(self) -> tuple[str, ...]:
        """What a person must know now."""
        return (*(f"{self.name}: {line}" for line in self.refusal.splitlines()), *self._remarks)

    def look(self, *, is_whole: bool = False) -> None:
        """Read the files again if they changed, or as long as they are refused: what mends them may be elsewhere.

        is_whole  do not wait for another look that finds the same
        """
        now = stamp(self._thing.files)
        if now == self._stamp and self._seen == self._judged and not self.refusal and not is_whole:
            return
        self._stamp = now
        found = digest(self._thing.files)
        is_settled = is_whole or found == self._seen
        self._seen = found
        if is_settled and (found != self._judged or self.refusal):
            self._judge(found)

    def _judge(self, found: str) -> None:
        content, reason = None, _odd(self._thing.files)
        try:
            content = None if reason else self._thing.load()
        except PeaklineError as fault:
            reason = str(fault)
        if digest(self._thing.files) != found:
            return  # written to while it was read: the next look tells
        if reason:
            self._refuse(reason, found)
        elif found == self._adopted:
            self._mended("as it was before")
        else:
            self._adopt(content, found)
        self._judged = found

    def _mended(self, how: str) -> None:
        """The log's last word about files must not be a refusal that holds no more."""
        if self.refusal:
            _LOG.warning("%s is usable again, %s", self.name, how)
        self.refusal = ""

    def _refuse(self, reason: str, found: str) -> None:
        is_known = (reason, found) == (self.refusal, self._judged)
        self.refusal = reason
        if not is_known:
            told = "; ".join(reason.splitlines())
            _LOG.warning("%s not adopted, the old one goes on: %s", self.name, told)
            self._tell(f"{self.name} not adopted: {told}", found, is_adopted=False)

    def _adopt(self, content: object, found: str) -> None:
        self._remarks = tuple(self._thing.adopt(content))
        self._mended("and adopted")
        for remark in self._remarks:
            _LOG.warning("%s", remark)
        _LOG.info("%s adopted", self.name)
        self._tell("; ".join((f"{self.name} adopted", *self._remarks)), found, is_adopted=True)
        self._adopted = found

    def _tell(self, summary: str, found: str, *, is_adopted: bool) -> None:
        self._on_change(Change(self.name, summary, self._adopted, found, self._clock_ns(), is_adopted))


def stamp(files: Sequence[Path]) -> Stamp:
    """Which file it is, when it was changed, how long it is; nothing for one that is not there."""
    return tuple(_stamp(path) for path in files)


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)


def digest(files: Sequence[Path]) -> str:
    """SHA-256 of what the files hold, in hex; a file that cannot be read is part of it as such.

    Pipes are not waited for, and of a file that is too long for what it should be only the beginning counts.
    """
    whole = hashlib.sha256()
    for path in files:
        try:
            with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                whole.update(hashlib.sha256(file.read(BYTES_MAX + 1) if is_file else b"no file").digest())
        except OSError:
            whole.update(b"unreadable")
    return whole.hexdigest()


def _odd(files: Sequence[Path]) -> str:
    """A sentence about a pipe where a file should be: reading it might never end. '' where there is none."""
    return next((f"{path} is a pipe and no file" for path in files if path.is_fifo()), "")
