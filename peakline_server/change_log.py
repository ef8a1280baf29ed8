"""What changed while the server ran, as change events in the store: for time axes, the API, the page of settings."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol
from uuid import uuid4

from peakline_server.reloading import Change
from vocabulary.changes import ChangeEvent, ChangeKind
from vocabulary.errors import PeaklineError
from vocabulary.pools import SECOND_NS, Window

ACTOR = "file"
"""Whoever may write the files that are watched."""

WAITING_MAX = 1000
_SHOWN_NS = 399 * 86_400 * SECOND_NS
_LOG = logging.getLogger(__name__)


class ChangeWriter(Protocol):
    """Appends change events; the same id twice counts once."""

    def append_changes(self, changes: Sequence[ChangeEvent]) -> None:
        """On disk when it returns."""


class ChangeReader(Protocol):
    """Reads them back."""

    def changes(self, window: Window, limit: int) -> Sequence[ChangeEvent]:
        """Newest first."""


class ChangeLog:
    """Keeps changes until the store has them. Thread-safe.

    new_id  of an event; the same one when it has to be written again
    """

    def __init__(
        self,
        writer: ChangeWriter,
        reader: ChangeReader,
        clock_ns: Callable[[], int],
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._clock_ns = clock_ns
        self._new_id = new_id
        self._lock = threading.Lock()
        self._waiting: deque[ChangeEvent] = deque(maxlen=WAITING_MAX)

    def note(self, change: Change) -> None:
        """Take a change in; written now, or with the next round where the store cannot take it. Raises nothing."""
        event = ChangeEvent(
            event_id=self._new_id(),
            at_ns=change.at_ns,
            kind=ChangeKind.CONFIGURATION,
            subject=change.subject,
            summary=change.summary,
            actor=ACTOR,
            before_digest=change.before_digest,
            after_digest=change.after_digest,
            detail={"adopted": change.is_adopted},
        )
        with self._lock:
            if len(self._waiting) == WAITING_MAX:
                _LOG.error("the change of %s is lost: the store took none for too long", self._waiting[0].subject)
            self._waiting.append(event)
        try:
            self.write()
        except PeaklineError as fault:
            _LOG.warning("a change of %s is not in the store yet: %s", change.subject, fault)

    def write(self) -> None:
        """Write what waits.

        raises  StoreUnavailableError; everything is kept for the next call then
        """
        with self._lock:
            if self._waiting:
                self._writer.append_changes(list(self._waiting))
                self._waiting.clear()

    def newest(self, limit: int) -> Sequence[ChangeEvent]:
        """The newest changes, newest first."""
        now_ns = self._clock_ns()
        return self._reader.changes(Window(now_ns - _SHOWN_NS, now_ns + SECOND_NS), limit)
