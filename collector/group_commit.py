"""Group commit: bodies wait a moment together, are stored as one, and are answered after that."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from vocabulary.errors import PeaklineError, StoreUnavailableError

_LOG = logging.getLogger(__name__)
Body = TypeVar("Body")
Answer = TypeVar("Answer")


class UnstorableError(PeaklineError):
    """The body itself breaks the commit; sending it again would break it again."""


@dataclass(frozen=True, slots=True)
class GroupLimits:
    """When a group is closed and how much may wait.

    bytes_max         bytes of bodies in a group
    linger_s          seconds a group waits for company
    queued_bytes_max  bytes of bodies that may wait; beyond it senders are asked to come back
    """

    bytes_max: int = 16 * 1024 * 1024
    linger_s: float = 0.1
    queued_bytes_max: int = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[Body, Answer]):
    body: Body
    size: int
    answer: "Future[Answer]"


class GroupCommitter(Generic[Body, Answer]):
    """A queue in front of one committing thread.

    commit   stores a group and returns one answer a body; raises StoreUnavailableError when it cannot
    limits   bounds
    """

    def __init__(
        self, commit: Callable[[Sequence[Body]], Sequence[Answer]], limits: GroupLimits | None = None
    ) -> None:
        self._commit = commit
        self._limits = limits or GroupLimits()
        self._queue: queue.Queue[_Waiting[Body, Answer] | None] = queue.Queue()
        self._lock = threading.Lock()
        self._queued_bytes = 0
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="committer", daemon=True)
        self._thread.start()

    @property
    def queued_bytes(self) -> int:
        """Bytes admitted and not answered yet."""
        return self._queued_bytes

    def admit(self, size: int) -> None:
        """Reserve room for a body of `size` bytes before it is decoded.

        raises  StoreUnavailableError when the room is taken or the committer is closing
        """
        with self._lock:
            if self._is_closed:
                message = "the server is stopping"
                raise StoreUnavailableError(message)
            if self._queued_bytes and self._queued_bytes + size > self._limits.queued_bytes_max:
                message = f"more than {self._limits.queued_bytes_max} bytes are waiting to be stored"
                raise StoreUnavailableError(message)
            self._queued_bytes += size

    def release(self, size: int) -> None:
        """Give back the room of a body that was not submitted."""
        with self._lock:
            self._queued_bytes -= size

    def submit(self, body: Body, size: int) -> "Future[Answer]":
        """Queue an admitted body; the future ends when it is stored. Its room is given back then."""
        answer: Future[Answer] = Future()
        self._queue.put(_Waiting(body, size, answer))
        return answer

    def close(self) -> None:
        """Refuse new bodies, store what waits, end the thread."""
        with self._lock:
            self._is_closed = True
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            group, is_open = self._gather()
            if group:
                self._store(group)

    def _gather(self) -> tuple[list[_Waiting[Body, Answer]], bool]:
        first = self._queue.get()
        if first is None:
            return [], False
        group, size = [first], first.size
        deadline = time.monotonic() + self._limits.linger_s
        while size < self._limits.bytes_max:
            try:
                following = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if following is None:
                return group, False
            group.append(following)
            size += following.size
        return group, True

    def _store(self, group: list[_Waiting[Body, Answer]]) -> None:
        try:
            answers = self._commit([waiting.body for waiting in group])
        except StoreUnavailableError as problem:
            self._fail(group, problem)
        except Exception as problem:
            _LOG.exception("a group of %d bodies could not be stored", len(group))
            self._store_apart(group, problem)
        else:
            for waiting, answer in zip(group, answers, strict=True):
                self.release(waiting.size)
                waiting.answer.set_result(answer)

    def _store_apart(self, group: list[_Waiting[Body, Answer]], problem: Exception) -> None:
        """One body that breaks the commit must not cost its neighbours: each gets a commit of its own."""
        if len(group) == 1:
            self._fail(group, UnstorableError(f"{type(problem).__name__} while storing this body"))
            return
        for waiting in group:
            self._store([waiting])

    def _fail(self, group: list[_Waiting[Body, Answer]], error: PeaklineError) -> None:
        for waiting in group:
            self.release(waiting.size)
            waiting.answer.set_exception(error)
