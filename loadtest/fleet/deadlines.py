"""When requests are given up: the gateway's time-out, and the client's patience for the first thing that it sees.

One heap and one event for all of them. Most requests end long before; they are dropped when their turn comes.
"""

from collections.abc import Callable
from heapq import heappop, heappush

from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.request import End, Phase, Request

_ROUNDING_S = 1e-9
_NEVER = float("inf")


class Deadlines:
    """Calls `give_up` for requests that are still there at their deadline; `timeouts_s` is indexed by model."""

    def __init__(
        self, env: Environment, timeouts_s: tuple[float, ...], give_up: Callable[[Request, End], None]
    ) -> None:
        self.env = env
        self.timeouts_s = timeouts_s
        self.give_up = give_up
        self._heap: list[tuple[float, int, Request]] = []
        self._alarm: Event | None = None
        self._alarm_s = _NEVER

    def watch(self, request: Request) -> None:
        """From its arrival on; both run over all attempts."""
        self._push(request, min(self.timeouts_s[request.model], request.patience_s))

    def _push(self, request: Request, after_s: float) -> None:
        at_s = request.arrival_s + after_s
        heappush(self._heap, (at_s, request.number, request))
        if at_s < self._alarm_s:
            self._set_alarm(at_s)

    def _set_alarm(self, at_s: float) -> None:
        self._alarm_s = at_s
        self._alarm = alarm = Timeout(self.env, max(at_s - self.env.now, 0.0))
        alarm.callbacks.append(self._wake)

    def _wake(self, alarm: Event) -> None:
        if alarm is not self._alarm:
            return  # an earlier one was set in between
        self._alarm_s = -_NEVER  # nothing that happens in here sets another one
        heap, due_s = self._heap, self.env.now + _ROUNDING_S
        while heap and (heap[0][0] <= due_s or heap[0][2].phase is Phase.ENDED):
            request = heappop(heap)[2]
            if request.phase is not Phase.ENDED:
                self._expire(request, due_s)
        self._alarm_s = _NEVER
        if heap:
            self._set_alarm(heap[0][0])

    def _expire(self, request: Request, due_s: float) -> None:
        timeout_s = self.timeouts_s[request.model]
        if request.arrival_s + timeout_s <= due_s:
            self.give_up(request, End.TIMED_OUT)
        elif request.first_token_s < 0 or not request.is_streamed:
            self.give_up(request, End.CLIENT_GONE)
        else:
            self._push(request, timeout_s)
