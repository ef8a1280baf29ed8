"""OTLP/HTTP bodies to a server: gzip, bounded retries that honour Retry-After, partial success."""

import email.utils
import gzip
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

import httpx
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from peakline_server.client_token import NO_CREDENTIALS, Credentials
from peakline_server.program import program
from vocabulary.access import Role
from vocabulary.errors import PeaklineError

RETRYABLE = frozenset({429, 502, 503, 504})
"""Statuses after which the same body may be sent again; source: OTLP/HTTP, Retryable Response Codes."""

_BACKOFF_S = (0.5, 1.0, 2.0, 4.0, 8.0)
_WAIT_MAX_S = 30.0
_TIMEOUT = httpx.Timeout(120.0, connect=5.0)
_HEADERS = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}


class DeliveryError(PeaklineError):
    """A body was not accepted; the message is one sentence for a person."""


class Payload(Protocol):
    """What can be delivered: `payload` is a serialised export; `signal`, where there is one, says of what."""

    @property
    def payload(self) -> bytes:
        """The bytes before compression."""


Sent = TypeVar("Sent", bound=Payload)


class Delivery:
    """Sends bodies to one endpoint. Thread-safe.

    endpoint    http://host:port, with or without /v1/traces
    patience_s  seconds that one body is tried again after refusals or lost connections, waiting for answers included
    stop        once it is set, a body that was not taken is not tried again
    may_lack    signals that the receiver may not know: a 404 there is remembered in `absent` and raises nothing
    credentials token that goes with every body; authority of an https receiver, and what it is shown
    """

    def __init__(
        self,
        endpoint: str,
        *,
        patience_s: float = 120.0,
        may_lack: Collection[str] = (),
        credentials: Credentials = NO_CREDENTIALS,
        stop: threading.Event | None = None,
        sleep: Callable[[float], object] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.endpoint = endpoint.rstrip("/").removesuffix("/v1/traces").rstrip("/")
        self.url = self.endpoint + "/v1/traces"
        self.retries = 0
        self.absent: set[str] = set()
        self._may_lack = frozenset(may_lack)
        self._patience_s = patience_s
        self._stop = stop or threading.Event()
        self._sleep = sleep or self._stop.wait
        # Proxy settings of the environment are not for a server that is most often on this machine.
        self._client = httpx.Client(timeout=_TIMEOUT, transport=transport, trust_env=False, verify=credentials.verify())
        self._credentials = credentials
        self._headers = _HEADERS | credentials.headers()
        self._reached = False

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def post(self, payload: bytes, signal: str = "traces") -> int:
        """Deliver one body; returns the number of spans or data points that the server rejected.

        signal  traces or metrics; nothing is sent of a signal that the receiver lacks
        raises  DeliveryError when the server refuses the body, or does not take it in time or until the stop
        """
        if signal in self.absent:
            return 0
        packed = gzip.compress(payload, 1)
        url = f"{self.endpoint}/v1/{signal}"
        waited_s = 0.0
        for attempt in range(1 << 30):
            began_s = time.monotonic()
            problem, wait_s = self._attempt(url, signal, packed, attempt)
            if problem is None:
                return int(wait_s)
            waited_s += time.monotonic() - began_s
            if self._stop.is_set():
                raise DeliveryError(f"stopped while {url} did not take a body: {problem}")
            if waited_s + wait_s > self._patience_s:
                message = f"{url} did not take a body within {self._patience_s:g} s: {problem}"
                raise DeliveryError(message)
            self.retries += 1
            self._sleep(wait_s)
            waited_s += wait_s
        raise AssertionError

    def post_all(self, bodies: Iterable[Sent], in_flight: int) -> Iterator[tuple[Sent, int]]:
        """Deliver bodies with up to `in_flight` under way; yields each with what was rejected of it, in order.

        The next body is asked for only when there is room, so a slow server slows the source down.
        """
        with ThreadPoolExecutor(in_flight, thread_name_prefix="delivery") as pool:
            under_way: deque[tuple[Sent, Future[int]]] = deque()
            for body in bodies:
                under_way.append((body, pool.submit(self.post, body.payload, getattr(body, "signal", "traces"))))
                if len(under_way) >= in_flight:
                    sent, rejected = under_way.popleft()
                    yield sent, rejected.result()
            for sent, rejected in under_way:
                yield sent, rejected.result()

    def _attempt(self, url: str, signal: str, packed: bytes, attempt: int) -> tuple[str | None, float]:
        """(None, rejected) when it was taken, else (problem, seconds to wait)."""
        backoff_s = _BACKOFF_S[min(attempt, len(_BACKOFF_S) - 1)]
        try:
            answer = self._client.post(url, content=packed, headers=self._headers)
        except httpx.TransportError as fault:
            if not self._reached and (not_met := self._credentials.not_met(url, fault)):
                raise DeliveryError(not_met) from fault
            if isinstance(fault, httpx.ConnectError):
                if not self._reached:
                    raise DeliveryError(_nobody_there(url)) from fault
                return "the connection was lost", backoff_s
            return f"the connection was lost ({type(fault).__name__})", backoff_s
        self._reached = True
        if answer.status_code == httpx.codes.OK:
            return None, _rejected(url, answer.content)
        if answer.status_code in RETRYABLE:
            return f"it answered {answer.status_code}", _retry_after_s(answer, backoff_s)
        if answer.status_code == httpx.codes.NOT_FOUND and signal in self._may_lack:
            self.absent.add(signal)
            return None, 0
        told = _reason(answer.content)
        refused = self._credentials.refused(self.endpoint, answer.status_code, told, Role.INGEST)
        raise DeliveryError(refused or f"{url} refused a body with {answer.status_code}: {told}")


def _nobody_there(url: str) -> str:
    return f"no Peakline server answers at {url}; start one with `{program()} serve --data DIR`"


def _rejected(url: str, content: bytes) -> int:
    """Of either signal: both responses keep their number in the same field."""
    try:
        return max(0, int(ExportTraceServiceResponse.FromString(content).partial_success.rejected_spans))
    except DecodeError as fault:
        message = f"what answers at {url} speaks no OTLP: it said 200 with a body that is no ExportTraceServiceResponse"
        raise DeliveryError(message) from fault


def _retry_after_s(answer: httpx.Response, default_s: float) -> float:
    """Seconds of a Retry-After header, a number or a date; bounded."""
    text = answer.headers.get("Retry-After", "")
    try:
        wait_s = float(text)
    except ValueError:
        try:
            wait_s = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
            wait_s = default_s
    return default_s if math.isnan(wait_s) else min(max(wait_s, 0.05), _WAIT_MAX_S)


def _reason(content: bytes) -> str:
    """The message of a google.rpc.Status; OTLP's own Status keeps its message in the same field."""
    try:
        return str(Status.FromString(content).message) or "no reason given"
    except DecodeError:
        return content[:200].decode("utf-8", "replace").strip() or "no reason given"
