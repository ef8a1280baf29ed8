"""Continuous batching in time: admission, prefill beside decode, and the alarm for what happens next.

Events per phase, none per token: loadtest/fleet/batch.py says how. Who holds what is in loadtest/fleet/slots.py.
"""

from collections.abc import Callable, Sequence
from heapq import heappop

from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.batch import TOKEN_TOLERANCE
from loadtest.fleet.fate import FateTable
from loadtest.fleet.plan import EnginePlan
from loadtest.fleet.request import End, Phase, Request
from loadtest.fleet.slots import Slots

_ADMISSION_SHARE = 0.99  # a prompt is admitted only below this share of the cache, or it would push others out at once
_SLOWER_PER_SEQUENCE = 0.02  # a prefill beside decoding sequences takes longer by this part, for each
_TIME_TOLERANCE_S = 1e-8
_NEVER = float("inf")
_NOBODY: Sequence[Request] = ()


class Engine(Slots):
    """What a serving process does with requests. `ended` is called when one leaves by itself, not when it was aborted.

    is_loading  weights are loaded beside the ones that serve: nothing is admitted
    started_s   when the present process began; counters begin anew with it
    busy_s      seconds of it with something to compute
    """

    __slots__ = (
        "_alarm",
        "_at_s",
        "_compute",
        "_exchange_per_sequence_s",
        "_exchange_s",
        "_is_busy",
        "_prefill_ends_s",
        "_prefill_left",
        "_prefill_s",
        "_tokens_per_s",
        "busy_s",
        "ended",
        "engine",
        "env",
        "fates",
        "is_loading",
        "started_s",
    )

    def __init__(
        self, env: Environment, engine: EnginePlan, fates: FateTable, ended: Callable[[Request, End], None]
    ) -> None:
        super().__init__(engine.kv_tokens, keeps_contexts=engine.prefix_cache)
        self.env = env
        self.engine = engine
        self.fates = fates
        self.ended = ended
        self._compute = 1.0
        self._exchange_s = engine.exchange_s
        self._exchange_per_sequence_s = engine.exchange_per_sequence_s
        self._prefill_s = 1.0 / engine.prefill_tokens_per_s
        self.begin_process(engine.kv_tokens)

    def begin_process(self, kv_tokens: int) -> None:
        """Empty, cold, and with fresh counters."""
        self.clear_books(kv_tokens)
        self.started_s = self._at_s = float(self.env.now)
        self.is_loading = False
        self.busy_s = 0.0
        self._prefill_left = 0.0
        self._prefill_ends_s = _NEVER
        self._tokens_per_s = 0.0
        self._alarm: Event | None = None
        self._is_busy = False

    @property
    def kv_usage(self) -> float:
        """Part of the KV cache that running sequences fill at this moment, 0..1."""
        kv = self.kv
        grown = (self.env.now - self._at_s) * self._tokens_per_s * len(self.batch.requests)
        return float(min((kv.used + grown) / max(kv.capacity, 1), 1.0))

    def tokens_now(self, request: Request) -> float:
        """Tokens that the request has produced by now; nothing is changed by looking."""
        if request not in self.batch.requests:
            return request.tokens
        clock = self.batch.clock + (self.env.now - self._at_s) * self._tokens_per_s
        return float(min(request.tokens + clock - request.joined_clock, request.target_tokens))

    def take(self, request: Request) -> bool:
        """Queue a request, and begin with it if there is room; False when the queue is full."""
        if len(self.waiting) >= self.engine.queue_max:
            self.admission_rejections += 1
            return False
        request.phase = Phase.ENGINE_QUEUE
        self.waiting.append(request)
        self.in_flight += 1
        if self.prefilling is None and len(self.waiting) == 1:  # otherwise nothing changes for those before it
            self._advance()
            if self._admit():
                self._pace()
        return True

    def abort(self, request: Request) -> None:
        """Drop a request that the gateway gave up: its slot and its cache are free at once, unless it hangs."""
        self._advance()
        self._withdraw(request)
        request.phase = Phase.ENDED
        self._turn()

    def lose_all(self) -> list[Request]:
        """What a process that ends at once leaves behind, oldest first; `begin_process` must follow."""
        self._advance()
        return self.leave_all()

    def set_speed(self, compute: float, slowness: float) -> None:
        """Factors on the speed of computing (0: it stalls) and on the time that cards wait for one another."""
        self._advance()
        plan, before_s = self.engine, self._prefill_s
        waits = plan.exchange_s / (plan.exchange_s + plan.step_s)
        self._compute = compute
        self._exchange_s = plan.exchange_s * slowness
        self._exchange_per_sequence_s = plan.exchange_per_sequence_s * slowness
        factor = (1.0 - waits) / compute + waits * slowness if compute > 0.0 else _NEVER
        self._prefill_s = factor / plan.prefill_tokens_per_s
        if self.prefilling is not None:
            if before_s < _NEVER:
                self._prefill_left = (self._prefill_ends_s - self._at_s) / before_s
            self._aim_prefill()
        self._pace()

    def resize_cache(self, kv_tokens: int) -> None:
        """Another capacity: contexts are evicted, then the youngest preempted, until it fits; hung ones stay."""
        self._advance()
        self._fit(kv_tokens)
        self._turn()

    def busy_changed(self) -> None:
        """It begins or ceases to work; others on the same links feel that."""

    def _advance(self) -> None:
        now = self.env.now
        passed_s = now - self._at_s
        if passed_s <= 0.0:
            return
        self._at_s = now
        if self._is_busy:
            self.busy_s += passed_s
            running = len(self.batch.requests)
            if running:
                grown = passed_s * self._tokens_per_s
                self.batch.clock += grown
                grown *= running
                self.generation_tokens_total += grown
                kv = self.kv
                kv.used = min(kv.used + grown, kv.capacity - kv.cached)  # by rounding only: the alarm comes in time

    def _turn(self) -> None:
        """After a change of state: admit, set the speed, and wake up at the next thing that happens."""
        if self.prefilling is None and self.waiting:
            self._admit()
        self._pace()

    def _pace(self) -> None:
        running, is_prefilling = len(self.batch.requests), self.prefilling is not None
        delay_s, speed = self._prefill_ends_s - self._at_s if is_prefilling else _NEVER, 0.0
        if running and self._compute > 0.0:
            plan, kv, further = self.engine, self.kv, running - 1
            step_s = plan.step_s + plan.step_per_sequence_s * further + plan.step_per_kv_token_s * kv.used
            step_s = step_s / self._compute + self._exchange_s + self._exchange_per_sequence_s * further
            speed = (1.0 - plan.prefill_share if is_prefilling else 1.0) / step_s
            if speed > 0.0:
                room = (kv.capacity - kv.used - kv.cached) / running
                order = self.batch.order
                while order[0][2] != order[0][3].epoch:
                    heappop(order)  # it left before its end
                delay_s = min(delay_s, (order[0][0] - self.batch.clock) / speed, room / speed)
        self._tokens_per_s = speed
        if delay_s == _NEVER:
            self._alarm = None
        else:
            self._alarm = alarm = Timeout(self.env, max(delay_s, 0.0))
            alarm.callbacks.append(self._wake)
        if (is_prefilling or running > 0) is not self._is_busy:
            self._is_busy = not self._is_busy
            self.busy_changed()

    def _wake(self, alarm: Event) -> None:
        if alarm is not self._alarm:
            return  # something happened in between and set another alarm
        self._advance()
        if self.prefilling is not None and self._prefill_ends_s <= self._at_s + _TIME_TOLERANCE_S:
            self._end_prefill(self.prefilling)
        kv, batch = self.kv, self.batch
        order = batch.order
        finished = self._take_finished() if order and order[0][0] <= batch.clock + TOKEN_TOLERANCE else _NOBODY
        if kv.capacity - kv.used - kv.cached <= TOKEN_TOLERANCE and batch.requests:
            self._make_room()
        if self.prefilling is None and self.waiting:
            self._admit()
        self._pace()
        for request in finished:  # told last: the gateway forwards the next one at once
            self.ended(request, End.ENGINE_ERROR if request.fails else End.COMPLETED)

    def _admit(self) -> bool:
        """Begin with the first in the queue, if there is room for it."""
        request, kv = self.waiting[0], self.kv
        if self.is_loading or len(self.batch.requests) + self._stuck_slots >= self.engine.batch_max:
            return False
        need = request.prompt_tokens + request.tokens
        fits = need + 1.0 <= kv.capacity
        if fits and kv.used > 0.0 and kv.used + need > kv.capacity * _ADMISSION_SHARE:
            return False
        self.waiting.popleft()
        is_first = request.scheduled_s < 0.0
        if is_first:
            request.scheduled_s = self._at_s
        if fits:
            left = need - self._start(request, need, is_first=is_first)
            self._begin_prefill(request, left * (1.0 + _SLOWER_PER_SEQUENCE * len(self.batch.requests)))
        else:
            self._refuse(request)
        return True

    def _refuse(self, request: Request) -> None:
        """It is longer than the whole cache: scheduled, and failed at once."""
        request.fails, request.is_base, request.is_cut = True, False, False
        request.target_tokens = request.tokens
        request.kv_at_join = 0.0
        self._begin_prefill(request, 0.0)

    def _begin_prefill(self, request: Request, tokens: float) -> None:
        request.phase = Phase.PREFILL
        self.prefilling = request
        self._prefill_left = tokens
        self._aim_prefill()

    def _aim_prefill(self) -> None:
        # Nothing left of a stalled prefill is still never: 0 * infinity would be no number.
        is_stalled = self._prefill_s == _NEVER
        self._prefill_ends_s = _NEVER if is_stalled else self._at_s + self._prefill_left * self._prefill_s

    def _end_prefill(self, request: Request) -> None:
        """The first token is there (or none, if that is its fate); the rest is decoded in the batch."""
        self.prefilling = None
        if request.target_tokens < 0.0:
            self.fates.draw(request)
            self.prompt_tokens_total += request.prompt_tokens
        if request.first_token_s < 0.0 and not (request.fails and request.target_tokens < 1.0):
            request.first_token_s = self._at_s
            request.tokens = min(1.0, request.target_tokens)
            self.generation_tokens_total += request.tokens
        request.phase = Phase.DECODE
        if request.hangs and request.tokens < request.target_tokens:
            self._hang(request)
        else:
            self.batch.join(request)
