"""What a gateway asks before it forwards: a cache, a vector database, a queue; each may fail over."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import log
from random import Random

import numpy as np
from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.chance import DEPENDENCY, portion
from loadtest.fleet.events import carried
from loadtest.fleet.plan import DependencyPlan, Lengths
from loadtest.fleet.request import Call, Request

QUEUE_PACE_PER_S = 20.0  # a queue that is back hands out what has gathered at this pace
_MS = 1e-3
_DRAWS = 1024


@dataclass(slots=True)
class _Waiting:
    """A call without an answer; `is_ok` is what its alarm will tell."""

    start_s: float
    is_ok: bool = True
    hangs: bool = False
    alarm: Event | None = None


class Dependency:
    """Calls take their healthy latency, or hang while it fails; `answered` gets (request, index, is_ok) once each.

    batch_tenants  indices of the tenants whose requests wait in a queue
    """

    def __init__(
        self,
        env: Environment,
        plan: DependencyPlan,
        index: int,
        *,
        batch_tenants: frozenset[int],
        rng: Random,
        answered: Callable[[Request, int, bool], None],
    ) -> None:
        self.env = env
        self.plan = plan
        self.index = index
        self.answered = answered
        self.exposure = 0
        self.is_failing = False
        self.calls_total = 0
        self.failures_total = 0
        self.last_latency_ms: float | None = None  # nobody knows before the first answer
        self._batch_tenants = batch_tenants
        self._rng = rng
        self._latencies_s = _latencies_s(plan.latency_ms, rng.getrandbits(64))
        self._is_queue = plan.kind == "queue"
        self._fails_at_once = 0.0
        self._waiting: dict[Request, _Waiting] = {}
        self._handed_out_s = -1.0

    @property
    def in_flight(self) -> int:
        """Calls that have no answer yet."""
        return len(self._waiting)

    def concerns(self, request: Request) -> bool:
        """Whether this request asks it: by its tier, its session, or by chance that hangs on its number."""
        if self._is_queue:
            return request.tenant in self._batch_tenants
        if self.plan.kind == "cache":
            return request.session >= 0 and request.prefix_tokens > 0
        return portion(request.number, DEPENDENCY + self.index) < self.plan.share

    def call(self, request: Request) -> None:
        """Ask for a request; it is told by `answered`, never before this returns."""
        self.calls_total += 1
        request.exposure |= self.exposure
        waiting = self._waiting[request] = _Waiting(self.env.now)
        if self.is_failing:
            self._hang(request, waiting)
        else:
            self._answer_after(request, waiting, self._wait_s() if self._is_queue else next(self._latencies_s))

    def present(self) -> Iterable[Request]:
        """Requests that wait for an answer."""
        return self._waiting

    def abandon(self, request: Request) -> bool:
        """The gateway gave the request up; False when it was not waiting here."""
        waiting = self._waiting.pop(request, None)
        if waiting is None:
            return False
        self.failures_total += 1
        request.exposure |= self.exposure
        request.calls.append(Call(self.index, waiting.start_s, self.env.now, is_ok=False))
        return True

    def fail(self, fails_at_once: float) -> None:
        """From now on calls hang, those on their way too, and this share of them fails at once."""
        self._fails_at_once = fails_at_once
        if self.is_failing:
            return
        self.is_failing = True
        for request, waiting in self._waiting.items():
            self._hang(request, waiting)

    def recover(self) -> None:
        """It is back: calls that hang are answered now, those in a queue one after the other."""
        self.is_failing = False
        for request, waiting in self._waiting.items():
            if waiting.hangs:
                waiting.is_ok, waiting.hangs = True, False
                self._answer_after(request, waiting, self._wait_s(gathered=True))

    def _hang(self, request: Request, waiting: _Waiting) -> None:
        waiting.is_ok = False
        if self._rng.random() < self._fails_at_once:
            self._answer_after(request, waiting, next(self._latencies_s))
            return
        waiting.hangs = True
        if self._is_queue:
            waiting.alarm = None  # what is in a queue stays there until it is back or the request is given up
        else:
            left_s = waiting.start_s + self.plan.timeout_s - self.env.now
            self._answer_after(request, waiting, max(left_s, 0.0))

    def _wait_s(self, *, gathered: bool = False) -> float:
        """Seconds to the answer. What is in a queue comes out in order, so newcomers wait behind what has gathered."""
        now = self.env.now
        if self._is_queue and (gathered or self._handed_out_s > now):
            self._handed_out_s = max(self._handed_out_s, now) + 1.0 / QUEUE_PACE_PER_S
            return self._handed_out_s - now
        return next(self._latencies_s)

    def _answer_after(self, request: Request, waiting: _Waiting, delay_s: float) -> None:
        waiting.alarm = alarm = Timeout(self.env, delay_s, request)
        alarm.callbacks.append(self._answer)

    def _answer(self, alarm: Event) -> None:
        request = carried(alarm)
        waiting = self._waiting.get(request)
        if waiting is None or waiting.alarm is not alarm:
            return  # given up, or its fate has changed since
        del self._waiting[request]
        now = self.env.now
        self.last_latency_ms = (now - waiting.start_s) / _MS
        self.failures_total += not waiting.is_ok
        request.exposure |= self.exposure
        request.calls.append(Call(self.index, waiting.start_s, now, waiting.is_ok))
        self.answered(request, self.index, waiting.is_ok)


def _latencies_s(latency_ms: Lengths, seed: int) -> Iterator[float]:
    """Seconds of healthy calls, drawn many at once: one at a time would cost more than the event."""
    rng = np.random.default_rng(seed)
    while True:
        drawn = np.exp(log(latency_ms.median) + latency_ms.spread * rng.normal(size=_DRAWS))
        yield from (np.minimum(drawn, latency_ms.largest) * _MS).tolist()
