"""The gateway's route to one model: admission, queue, time-out, and the router that picks the least loaded replica."""

from collections import deque
from collections.abc import Callable

from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.plan import ModelPlan
from loadtest.fleet.replica import Replica
from loadtest.fleet.request import End, Phase, Request


class Route:
    """All requests for one model pass here; `finish` is called once for each, with its end set."""

    def __init__(self, env: Environment, plan: ModelPlan, finish: Callable[[Request], None]) -> None:
        self.env = env
        self.plan = plan
        self.finish = finish
        self.replicas = [
            Replica(env, plan.engine, plan.context_window, self._engine_ended) for _ in range(plan.replicas)
        ]
        self.queue: deque[Request] = deque()
        self.queued = 0
        self.forwarded = 0
        self.arrived = 0
        self.ends: dict[End, int] = dict.fromkeys(End, 0)
        self._turn = 0

    @property
    def in_flight(self) -> int:
        """Requests inside: held by the gateway or forwarded."""
        return self.queued + self.forwarded

    def arrive(self, request: Request) -> None:
        """Admit, queue or refuse a request."""
        self.arrived += 1
        if request.prompt_tokens >= self.plan.context_window:
            self._end(request, End.CONTEXT_TOO_LONG)
        elif self.forwarded < self.plan.in_flight_max:
            self._watch(request)
            self._forward(request)
        elif self.queued < self.plan.queue_max:
            self._watch(request)
            request.phase = Phase.GATEWAY_QUEUE
            self.queue.append(request)
            self.queued += 1
        else:
            self._end(request, End.RATE_LIMITED)

    def _watch(self, request: Request) -> None:
        timeout = Timeout(self.env, self.plan.timeout_s, request)
        timeout.callbacks.append(self._time_out)
        if request.patience_s < self.plan.timeout_s:
            impatience = Timeout(self.env, request.patience_s, request)
            impatience.callbacks.append(self._lose_patience)

    def _time_out(self, event: Event) -> None:
        request = carried(event)
        if request.phase is not Phase.ENDED:
            self._give_up(request, End.TIMED_OUT)

    def _lose_patience(self, event: Event) -> None:
        request = carried(event)
        if request.phase is not Phase.ENDED and request.first_token_s < 0:
            self._give_up(request, End.CLIENT_GONE)

    def _give_up(self, request: Request, end: End) -> None:
        if request.phase is Phase.GATEWAY_QUEUE:
            self.queued -= 1
            self._end(request, end)
            return
        self.replicas[request.replica].abort(request)
        self._release(request, end)

    def _forward(self, request: Request) -> None:
        self.forwarded += 1
        request.forwarded_s = self.env.now
        request.replica = self._least_loaded()
        if not self.replicas[request.replica].submit(request):
            self._release(request, End.OVERLOADED)

    def _least_loaded(self) -> int:
        """Fewest requests in flight; among equals the next in turn, so that idle replicas share."""
        count = len(self.replicas)
        self._turn = (self._turn + 1) % count
        order = [(self._turn + step) % count for step in range(count)]
        return min(order, key=lambda index: self.replicas[index].in_flight)

    def _engine_ended(self, request: Request, end: End) -> None:
        self._release(request, end)

    def _release(self, request: Request, end: End) -> None:
        self.forwarded -= 1
        self._end(request, end)
        while self.queue and self.forwarded < self.plan.in_flight_max:
            following = self.queue.popleft()
            if following.phase is Phase.GATEWAY_QUEUE:
                self.queued -= 1
                self._forward(following)

    def _end(self, request: Request, end: End) -> None:
        request.phase = Phase.ENDED
        request.end = end
        request.ended_s = self.env.now
        self.ends[end] += 1
        self.finish(request)


def carried(event: Event) -> Request:
    """The request that an event is about."""
    request = event.value
    assert isinstance(request, Request)
    return request
