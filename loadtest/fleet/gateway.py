"""One gateway process: accepts, limits, asks dependencies, queues, forwards, tries again, gives up."""

from collections.abc import Callable, Iterable

from simpy.events import Event, Timeout

from loadtest.fleet.attempts import ENGINES_FAULT, has_answered, set_aside, tried
from loadtest.fleet.breaker import Breakers, Standing
from loadtest.fleet.chance import GATEWAY_RETRY, portion
from loadtest.fleet.clients import backoff_s
from loadtest.fleet.events import carried
from loadtest.fleet.lane import Lane, Surroundings
from loadtest.fleet.limits import Descriptors
from loadtest.fleet.request import End, Phase, Request

_NOBODY: frozenset[int] = frozenset()


class Gateway:
    """Every request that arrives here ends here once, whatever becomes of it in between.

    incarnation   0 for the first process, counted up at each restart
    started_s     when the present process began; counters begin anew with it
    """

    def __init__(self, around: Surroundings, index: int) -> None:
        plan = around.plan
        self.index = index
        self.incarnation = -1
        self.exposure = 0
        self.held: dict[Request, None] = {}
        self.descriptors = Descriptors(plan.gateway)
        self.forwarded = 0
        self.lanes = [
            Lane(model, router, plan.gateway.count, Breakers(plan.gateway.breaker, self._note_breaker(number)))
            for number, (model, router) in enumerate(zip(plan.models, around.routers, strict=True))
        ]
        self._around = around
        self._env = around.env
        self._retries = plan.gateway.retries
        self._begin_process()

    def _begin_process(self) -> None:
        self.incarnation += 1
        self.started_s = float(self._env.now)
        self.retries_total = 0
        self._ends = dict.fromkeys(End, 0)
        self._completed = 0  # counted apart: hashing an enum member costs more than the sum

    def present(self) -> Iterable[Request]:
        """Requests that arrived and have not ended."""
        return self.held

    @property
    def in_flight(self) -> int:
        """Requests that arrived and have not ended."""
        return len(self.held)

    @property
    def queued(self) -> int:
        """Requests that wait for a place."""
        return sum(lane.queued for lane in self.lanes)

    @property
    def fd_limit(self) -> int:
        """Open files that the process may have."""
        return self.descriptors.limit

    @property
    def fds_used(self) -> int:
        """Open files that it has."""
        return self.descriptors.used(self._env.now)

    @property
    def open_breakers(self) -> int:
        """Replicas that it leaves alone at the moment."""
        return sum(lane.breakers.open_count for lane in self.lanes)

    @property
    def ends(self) -> dict[End, int]:
        """How many requests ended in each way."""
        return {**self._ends, End.COMPLETED: self._completed}

    @property
    def rate_limited_total(self) -> int:
        """Requests over their tenant's limit."""
        return self._ends[End.RATE_LIMITED]

    @property
    def refused_total(self) -> int:
        """Requests for which the queue had no room."""
        return self._ends[End.QUEUE_FULL]

    def arrive(self, request: Request) -> None:
        """A client opens a connection and asks."""
        around, descriptors, now = self._around, self.descriptors, self._env.now
        request.gateway_incarnation = self.incarnation
        request.exposure |= self.exposure | around.exposure[request.tenant]
        was_exhausted = descriptors.open >= descriptors.surely_free and descriptors.is_exhausted(now)
        descriptors.open += 1
        self.held[request] = None
        bucket = around.buckets[request.tenant]
        if was_exhausted:
            self._end(request, End.NEVER_CONNECTED)
        elif bucket is not None and not bucket.take(now):
            self._end(request, End.RATE_LIMITED)
        elif request.prompt_tokens >= self.lanes[request.model].window:
            self._end(request, End.CONTEXT_TOO_LONG)
        else:
            around.watch(request)
            self._ask(request, 0)

    def dependency_answered(self, request: Request, index: int, *, is_ok: bool) -> None:
        """Go on with what comes next, or without what a dependency could not give."""
        plan = self._around.plan.dependencies[index]
        if not is_ok and plan.is_needed:
            self._end(request, End.DEPENDENCY_FAILED)
            return
        if not is_ok and plan.kind == "cache":
            # Nobody knows that the context is the same, so all of it is computed; a repetition asks again.
            request.forgotten_tokens, request.prefix_tokens = request.prefix_tokens, 0
        self._ask(request, index + 1)

    def engine_ended(self, request: Request, end: End) -> None:
        """A replica is done with a request."""
        self.forwarded -= 1
        self.descriptors.open -= 1
        lane = self.lanes[request.model]
        if end is not End.COMPLETED:
            self._attempt_failed(request, lane, end)
            return
        if lane.breakers.states:
            lane.breakers.succeeded(request.place)
        self._end(request, end)
        self._release(lane)

    def give_up(self, request: Request, end: End) -> None:
        """Stop a request wherever it is."""
        lane, phase = self.lanes[request.model], request.phase
        if phase is Phase.GATEWAY_QUEUE:
            lane.queued -= 1
            self._end(request, end)
        elif phase is Phase.DEPENDENCY:
            for dependency in self._around.dependencies:
                if dependency.abandon(request):
                    break
            self._end(request, end)
        else:
            if phase is not Phase.BACKOFF:
                self._abort(request, lane, end)
            self._end(request, end)
            self._release(lane)

    def restart(self) -> None:
        """The process is replaced: what was in flight in it is lost, its descriptors are free."""
        for lane in self.lanes:
            lane.is_pulling = True  # a place that becomes free is nobody's while the process dies
        for request in list(self.held):
            self.give_up(request, End.NO_CONNECTION)
        for lane in self.lanes:
            lane.queue.clear()
            lane.is_pulling = False
            lane.breakers.forget()
        self._begin_process()
        self.descriptors.renew(self._env.now)
        self._around.note("gateway_restarted", f"gateway/{self.index}")

    def _ask(self, request: Request, index: int) -> None:
        """Ask the dependencies from `index` on, one after the other; then the request wants its place."""
        dependencies = self._around.dependencies
        while index < len(dependencies):
            if dependencies[index].concerns(request):
                request.phase = Phase.DEPENDENCY
                dependencies[index].call(request)
                return
            index += 1
        request.gateway_ready_s = self._env.now
        lane = self.lanes[request.model]
        if lane.taken < lane.places:
            lane.taken += 1
            self._forward(request, lane)
        elif lane.queued < lane.queue_max:
            request.phase = Phase.GATEWAY_QUEUE
            lane.wait(request)
        else:
            self._end(request, End.QUEUE_FULL)

    def _forward(self, request: Request, lane: Lane) -> None:
        now, descriptors, breakers = self._env.now, self.descriptors, lane.breakers
        if descriptors.open >= descriptors.surely_free and descriptors.is_exhausted(now):
            self._end_at_its_place(request, lane, End.NO_CONNECTION)
            return
        shut = breakers.shut(now) if breakers.states else _NOBODY
        replica = lane.router.choose(request, shut | tried(request)) if request.earlier else None
        if replica is None:
            replica = lane.router.choose(request, shut)
        if replica is None:
            self._end_at_its_place(request, lane, End.NO_REPLICA)
            return
        if breakers.states:
            breakers.asked(replica.place, request.number)
        request.forwarded_s = now
        self.forwarded += 1
        descriptors.open += 1
        if not replica.submit(request):
            self.engine_ended(request, End.OVERLOADED)

    def _attempt_failed(self, request: Request, lane: Lane, end: End) -> None:
        lane.breakers.failed(request.place, self._env.now)
        if self._may_try_again(request, end):
            self._back_off(request, end)
        else:
            self._end_at_its_place(request, lane, end)

    def _may_try_again(self, request: Request, end: End) -> bool:
        return (
            end in ENGINES_FAULT
            and not has_answered(request)
            and len(request.earlier) + 1 < self._retries.attempts_max
            and portion(request.number, GATEWAY_RETRY) < self._retries.share
        )

    def _back_off(self, request: Request, end: End) -> None:
        """The request keeps its place meanwhile, so a pool that fails holds more of them."""
        attempt = len(request.earlier)
        set_aside(request, end, self._env.now)
        self.retries_total += 1
        wait = Timeout(self._env, backoff_s(self._retries, attempt, self._around.rng.random()), request)
        wait.callbacks.append(self._try_again)

    def _try_again(self, event: Event) -> None:
        request = carried(event)
        if request.phase is Phase.BACKOFF:
            self._forward(request, self.lanes[request.model])

    def _abort(self, request: Request, lane: Lane, end: End) -> None:
        lane.router.pool.replicas[request.place].abort(request)
        self.forwarded -= 1
        self.descriptors.open -= 1
        if end is End.TIMED_OUT:
            lane.breakers.failed(request.place, self._env.now)
        elif lane.breakers.states:
            lane.breakers.withdrawn(request.place, request.number)

    def _end_at_its_place(self, request: Request, lane: Lane, end: End) -> None:
        self._end(request, end)
        self._release(lane)

    def _release(self, lane: Lane) -> None:
        """A place is free: the next in the queue takes it. A loop, not a recursion: those may end at once, too."""
        lane.taken -= 1
        if lane.is_pulling or not lane.queue:
            return
        lane.is_pulling = True
        while lane.queue and lane.taken < lane.places:
            following = lane.queue.popleft()
            if following.phase is Phase.GATEWAY_QUEUE:
                lane.queued -= 1
                lane.taken += 1
                self._forward(following, lane)
        lane.is_pulling = False

    def _end(self, request: Request, end: End) -> None:
        del self.held[request]
        self.descriptors.open -= 1
        request.exposure |= self.exposure | self._around.exposure[request.tenant]
        request.phase = Phase.ENDED
        request.end = end
        request.ended_s = self._env.now
        if end is End.COMPLETED:
            self._completed += 1
        else:
            self._ends[end] += 1
        self._around.finish(request)

    def _note_breaker(self, model: int) -> Callable[[int, Standing], None]:
        def changed(place: int, standing: Standing) -> None:
            self._around.note(standing.value, f"gateway/{self.index} model/{model}/{place}")

        return changed
