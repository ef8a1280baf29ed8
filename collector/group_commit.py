"""Group commit: bodies wait a moment together, are stored as one, and are answered after that.

Two threads: one gathers a group and prepares it while the other one stores the group before.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from vocabulary.errors import PeaklineError, StoreUnavailableError

_LOG = logging.getLogger(__name__)
Body = TypeVar("Body")
Ready = TypeVar("Ready")
Answer = TypeVar("Answer")
Body_contra = TypeVar("Body_contra", contravariant=True)
Answer_co = TypeVar("Answer_co", covariant=True)


class Work(Protocol[Body_contra, Ready, Answer_co]):
    """What is done with a group, in two steps that may overlap with the next group's."""

    def prepare(self, bodies: Sequence[Body_contra]) -> Ready:
        """Everything that needs no store. Thread-safe."""

    def commit(self, ready: Ready) -> Sequence[Answer_co]:
        """Store; returns one answer a body. Called by one thread at a time.

        raises  StoreUnavailableError when the store cannot take it now
        """


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


_Group = list[_Waiting[Body, Answer]]


class GroupCommitter(Generic[Body, Ready, Answer]):
    """A queue in front of a preparing and a committing thread.

    work    what is done with a group
    limits  bounds
    """

    def __init__(self, work: Work[Body, Ready, Answer], limits: GroupLimits | None = None) -> None:
        self._work = work
        self._limits = limits or GroupLimits()
        self._queue: queue.Queue[_Waiting[Body, Answer] | None] = queue.Queue()
        self._ready: queue.Queue[tuple[_Group[Body, Answer], Ready] | None] = queue.Queue(maxsize=1)
        self._lock = threading.Lock()
        self._queued_bytes = 0
        self._is_closed = False
        self._threads = [
            threading.Thread(target=target, name=name, daemon=True)
            for name, target in (("gatherer", self._gather_groups), ("committer", self._commit_groups))
        ]
        for thread in self._threads:
            thread.start()

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
        """Refuse new bodies, store what waits, end the threads."""
        with self._lock:
            self._is_closed = True
        self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _gather_groups(self) -> None:
        is_open = True
        while is_open:
            group, is_open = self._gather()
            if group:
                self._prepare(group)
        self._ready.put(None)

    def _gather(self) -> tuple[_Group[Body, Answer], bool]:
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

    def _prepare(self, group: _Group[Body, Answer]) -> None:
        try:
            ready = self._work.prepare([waiting.body for waiting in group])
        except Exception as problem:  # noqa: BLE001 - told apart below; a sender gets an answer whatever broke
            self._one_by_one(group, problem, self._prepare)
        else:
            self._ready.put((group, ready))

    def _commit_groups(self) -> None:
        while (found := self._ready.get()) is not None:
            self._commit(*found)

    def _commit(self, group: _Group[Body, Answer], ready: Ready) -> None:
        try:
            answers = self._work.commit(ready)
            assert len(answers) == len(group), "an answer for every body"
        except StoreUnavailableError as problem:
            self._fail(group, problem)
        except Exception as problem:  # noqa: BLE001 - as in _prepare
            self._one_by_one(group, problem, self._prepare_and_commit)
        else:
            for waiting, answer in zip(group, answers, strict=True):
                self.release(waiting.size)
                waiting.answer.set_result(answer)

    def _prepare_and_commit(self, group: _Group[Body, Answer]) -> None:
        try:
            ready = self._work.prepare([waiting.body for waiting in group])
        except Exception as problem:  # noqa: BLE001 - as in _prepare
            self._one_by_one(group, problem, self._prepare_and_commit)
        else:
            self._commit(group, ready)

    def _one_by_one(
        self, group: _Group[Body, Answer], problem: Exception, again: Callable[[_Group[Body, Answer]], None]
    ) -> None:
        """One body that breaks the group must not cost its neighbours: each is tried alone."""
        if len(group) == 1:
            self._fail(group, _told(problem))
            return
        for waiting in group:
            again([waiting])

    def _fail(self, group: _Group[Body, Answer], error: PeaklineError) -> None:
        for waiting in group:
            self.release(waiting.size)
            waiting.answer.set_exception(error)


def _told(problem: Exception) -> PeaklineError:
    """What a sender is told of a body that cannot be stored; a fault of ours is logged with its place."""
    if isinstance(problem, PeaklineError):
        return problem
    _LOG.error("a body could not be stored", exc_info=problem)
    return UnstorableError(f"{type(problem).__name__} while storing this body")
