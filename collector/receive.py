"""OTLP/HTTP: POST /v1/traces. A body is bounded, checked, stored in a group, and only then answered."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from collector import answers
from collector.group_commit import GroupCommitter
from collector.otlp.decode import DecodeError, check_traces
from collector.otlp.inflate import TooLargeError, UnsupportedEncodingError, inflate
from collector.trace_commit import Delivery, Ready, Rejected
from vocabulary.errors import PeaklineError, StoreUnavailableError

_PROTOBUF_TYPES = frozenset({"application/x-protobuf", "application/protobuf"})
_RETRY_AFTER_S = 1
HOLLOW_MAX = 100_000


class StalledError(PeaklineError):
    """The sender fell silent in the middle of a body."""


class HollowError(PeaklineError):
    """A body of empty messages: no telemetry, but costly to decode."""


Committer = GroupCommitter[Delivery, Ready, Rejected]
_REFUSALS: dict[type[PeaklineError], tuple[str, int]] = {
    TooLargeError: ("too_large", 413),
    UnsupportedEncodingError: ("unsupported_encoding", 415),
    DecodeError: ("undecodable", 400),
    HollowError: ("hollow", 400),
    StalledError: ("stalled", 408),
}
"""What the ledger calls a refused body, and the HTTP status of the answer."""


@dataclass(slots=True)
class Receiver:
    """The OTLP trace endpoint.

    workers          inflate and check here, so that the event loop stays free
    body_bytes_max   limit of a body before and after inflating
    silence_max_s    seconds without a byte after which a body is given up
    """

    committer: Committer
    workers: Executor
    clock_ns: Callable[[], int]
    body_bytes_max: int = 64 * 1024 * 1024
    silence_max_s: float = 10.0
    _refused: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def routes(self) -> list[Route]:
        """The routes of the signals that are received."""
        return [Route("/v1/traces", self.traces, methods=["POST"], name="otlp_traces")]

    async def traces(self, request: Request) -> Response:
        """Answer one export as the OTLP specification says."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type not in _PROTOBUF_TYPES:
            return self._unsupported_type(media_type)
        try:
            rejected = await self._take_in(request)
        except ClientDisconnect:
            return self._refuse("client_disconnected", 400, "the sender left before the body was whole")
        except StoreUnavailableError as problem:
            return answers.refused(503, str(problem), retry_after_s=_RETRY_AFTER_S)
        except PeaklineError as problem:
            reason, status = _REFUSALS.get(type(problem), ("unstorable", 500))
            return self._refuse(reason, status, str(problem))
        return answers.accepted(rejected)

    def count_refused(self, reason: str) -> None:
        """Count a body that was refused before it came here: without it, nobody would learn why data are missing."""
        self._count(reason)

    def _refuse(self, reason: str, status: int, sentence: str) -> Response:
        self._count(reason)
        return answers.refused(status, sentence)

    def _unsupported_type(self, media_type: str) -> Response:
        self._count("unsupported_media_type")
        sentence = f"Content-Type {media_type or '(none)'} is not received here; send application/x-protobuf"
        return answers.refused(415, sentence, answers.JSON if media_type == answers.JSON else answers.PROTOBUF)

    def _count(self, reason: str) -> None:
        with self._lock:
            self._refused[reason] += 1

    def enter_refused(self) -> None:
        """Put bodies refused so far into the ledger; a body that could not be read counts as one record.

        raises  StoreUnavailableError; the counts are kept for the next call then
        """
        with self._lock:
            counts, self._refused = self._refused, Counter()
        if not counts:
            return
        try:
            self.committer.submit(Delivery(None, self.clock_ns(), counts), 0).result()
        except PeaklineError:
            with self._lock:
                self._refused.update(counts)
            raise

    async def _take_in(self, request: Request) -> Rejected:
        """Read, check, store; room in the queue is taken as bytes arrive, so that many slow senders are bounded too."""
        room = _Room(self.committer)
        try:
            body = await self._read(request, room)
            encoding = request.headers.get("content-encoding", "").strip().lower()
            loop = asyncio.get_running_loop()
            delivery = await loop.run_in_executor(self.workers, self._check, body, encoding, room)
        except BaseException:
            room.give_back()
            raise
        return await asyncio.shield(asyncio.wrap_future(self.committer.submit(delivery, room.size)))

    async def _read(self, request: Request, room: "_Room") -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in self._chunks(request):
            size += len(chunk)
            if size > self.body_bytes_max:
                message = f"the body is larger than {self.body_bytes_max} bytes"
                raise TooLargeError(message)
            room.take(len(chunk))
            chunks.append(chunk)
        return b"".join(chunks)

    async def _chunks(self, request: Request) -> AsyncIterator[bytes]:
        """The body piece by piece; a sender that falls silent is given up, for others wait for its room."""
        stream = request.stream().__aiter__()
        while True:
            try:
                async with asyncio.timeout(self.silence_max_s):
                    chunk = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError as problem:
                message = f"no byte of the body came for {self.silence_max_s:g} s"
                raise StalledError(message) from problem
            yield chunk

    def _check(self, body: bytes, encoding: str, room: "_Room") -> Delivery:
        inflated = inflate(body, encoding, self.body_bytes_max)
        room.take(len(inflated) - len(body))
        refuse_hollow(inflated)
        check_traces(inflated)
        return Delivery(inflated, self.clock_ns())


@dataclass(slots=True)
class _Room:
    """Room in the committer's queue that one body holds: its bytes as sent, then as inflated."""

    committer: Committer
    size: int = 0

    def take(self, more: int) -> None:
        if more > 0:
            self.committer.admit(more)
            self.size += more

    def give_back(self) -> None:
        self.committer.release(self.size)
        self.size = 0


def refuse_hollow(body: bytes) -> None:
    """Bound the empty messages of a body, each of which costs two bytes on the wire and a hundred in memory.

    raises  HollowError for more than HOLLOW_MAX; bodies too small to hold many are not looked at
    """
    if len(body) <= 4 * HOLLOW_MAX:
        return
    if body.count(b"\x0a\x00") + body.count(b"\x12\x00") > HOLLOW_MAX:
        message = f"the body holds more than {HOLLOW_MAX} empty messages"
        raise HollowError(message)
