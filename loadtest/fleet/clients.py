"""Clients that try again after a failure; each further try is a request of its own."""

from collections.abc import Callable
from random import Random

from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.chance import CLIENT_RETRY, portion
from loadtest.fleet.events import carried
from loadtest.fleet.plan import Retries
from loadtest.fleet.request import End, Request

FIRST_REPETITION = 1 << 60
_FINAL = frozenset({End.COMPLETED, End.CONTEXT_TOO_LONG, End.CLIENT_GONE})  # nothing to try again, or nobody


def backoff_s(retries: Retries, attempt: int, chance: float) -> float:
    """Wait after attempt 0, 1, 2 …, doubled each time; half of it is `chance`, uniform in 0..1, so the mean is met."""
    return float(retries.backoff_s * 2.0**attempt * (0.5 + chance))


class Clients:
    """Sends repetitions to `arrive`. Whether a sender repeats at all is its own nature: a hash of its first try."""

    def __init__(self, env: Environment, retries: Retries, rng: Random, arrive: Callable[[Request], None]) -> None:
        self.env = env
        self.retries = retries
        self.rng = rng
        self.arrive = arrive
        self.waiting = 0
        self._number = FIRST_REPETITION

    def ended(self, request: Request) -> None:
        """Look at how a request ended; perhaps its client tries again later."""
        if request.end in _FINAL or request.client_attempt + 1 >= self.retries.attempts_max:
            return
        first = request.first_number if request.first_number >= 0 else request.number
        if portion(first, CLIENT_RETRY) >= self.retries.share:
            return
        wait_s = backoff_s(self.retries, request.client_attempt, self.rng.random())
        again = Timeout(self.env, wait_s, self._repetition(request, first, self.env.now + wait_s))
        again.callbacks.append(self._send)
        self.waiting += 1

    def _send(self, event: Event) -> None:
        self.waiting -= 1
        self.arrive(carried(event))

    def _repetition(self, request: Request, first: int, arrival_s: float) -> Request:
        self._number += 1
        return Request(
            number=self._number - 1,
            arrival_s=arrival_s,
            model=request.model,
            tenant=request.tenant,
            session=request.session,
            prefix_tokens=request.prefix_tokens + request.forgotten_tokens,
            prompt_tokens=request.prompt_tokens,
            natural_tokens=request.natural_tokens,
            limit_tokens=request.limit_tokens,
            max_tokens=request.max_tokens,
            is_streamed=request.is_streamed,
            temperature=request.temperature,
            patience_s=request.patience_s,
            luck=self.rng.random(),
            when=self.rng.random(),
            client_attempt=request.client_attempt + 1,
            first_number=first,
        )
