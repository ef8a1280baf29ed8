"""One replica with continuous batching: slots, a KV budget with preemption, prefill beside decode.

Between two events every running sequence gets tokens at the same speed. A token clock per replica adds
these tokens up, so a sequence that joins at clock c with n tokens to go ends at clock c + n, whatever the
speed does meanwhile: one event per phase, none per token.
"""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush

from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.plan import EnginePlan
from loadtest.fleet.request import End, Phase, Request

_TOKEN_TOLERANCE = 1e-6
_ADMISSION_SHARE = 0.99  # a prompt is admitted only below this share of the cache, or it would push others out at once
_NEVER = float("inf")


class Replica:
    """A vLLM-like engine. `ended` is called when a request leaves it by itself, not when it was aborted."""

    def __init__(
        self, env: Environment, plan: EnginePlan, context_window: int, ended: Callable[[Request, End], None]
    ) -> None:
        assert plan.kv_tokens * _ADMISSION_SHARE >= context_window, "one request at the context window must fit"
        self.env = env
        self.plan = plan
        self.ended = ended
        self.speed = 1.0
        self.error_probability = plan.error_probability
        self.empty_probability = plan.empty_probability
        self.waiting: deque[Request] = deque()
        self.waiting_count = 0
        self.prefilling: Request | None = None
        self.prefill_ends_s = _NEVER
        self.batch: dict[Request, None] = {}
        self.kv_used = 0.0
        self.kv_highest = 0.0
        self.preemptions = 0
        self._finish_order: list[tuple[float, int, int, Request]] = []
        self._clock = 0.0
        self._tokens_per_s = 0.0
        self._at_s = env.now
        self._alarm: Event | None = None

    @property
    def in_flight(self) -> int:
        """Running and waiting requests: what the router looks at."""
        return self.waiting_count + len(self.batch) + (self.prefilling is not None)

    def submit(self, request: Request) -> bool:
        """Take a request, or say False when the queue is full."""
        if self.waiting_count >= self.plan.queue_max:
            return False
        request.phase = Phase.ENGINE_QUEUE
        self.waiting.append(request)
        self.waiting_count += 1
        if self.prefilling is None:
            self._advance()
            self._turn()
        return True

    def abort(self, request: Request) -> None:
        """Drop a request that the gateway gave up: its slot and its cache are free at once."""
        self._advance()
        if request.phase is Phase.ENGINE_QUEUE:
            self.waiting_count -= 1
        elif request.phase is Phase.PREFILL:
            self._stop_prefill(request)
        else:
            self._leave_batch(request)
        request.phase = Phase.ENDED
        self._turn()

    def change(self, *, speed: float, error_probability: float, empty_probability: float) -> None:
        """From now on compute at another speed and fail with other probabilities."""
        self._advance()
        self.speed, self.error_probability, self.empty_probability = speed, error_probability, empty_probability
        self._turn()

    def _advance(self) -> None:
        now = self.env.now
        grown = (now - self._at_s) * self._tokens_per_s
        self._clock += grown
        self.kv_used += grown * len(self.batch)
        self._at_s = now

    def _turn(self) -> None:
        """After a change of state: admit, set the speed, and wake up at the next thing that happens."""
        if self.prefilling is None and self.waiting:
            self._admit()
        plan, running = self.plan, len(self.batch)
        step_s = plan.step_s + plan.step_per_sequence_s * (running - 1) + plan.step_per_kv_token_s * self.kv_used
        share = 1.0 if self.prefilling is None else 1.0 - plan.prefill_share
        self._tokens_per_s = self.speed * share / step_s if running else 0.0
        self.kv_highest = max(self.kv_highest, self.kv_used)
        self._set_alarm(running)

    def _set_alarm(self, running: int) -> None:
        order = self._finish_order
        while order and order[0][2] != order[0][3].epoch:
            heappop(order)
        delay_s = self.prefill_ends_s - self._at_s
        if running:
            left = order[0][0] - self._clock
            if running > 1 or self.prefilling is not None:
                left = min(left, (self.plan.kv_tokens - self.kv_used) / running)
            delay_s = min(delay_s, max(left, 0.0) / self._tokens_per_s)
        if delay_s == _NEVER:
            self._alarm = None
            return
        self._alarm = alarm = Timeout(self.env, max(delay_s, 0.0))
        alarm.callbacks.append(self._wake)

    def _wake(self, alarm: Event) -> None:
        if alarm is not self._alarm:
            return  # something happened in between and set another alarm
        self._advance()
        if self.prefill_ends_s <= self._at_s + 1e-9 and self.prefilling is not None:
            self._end_prefill(self.prefilling)
        finished = self._take_finished()
        if self.kv_used >= self.plan.kv_tokens - _TOKEN_TOLERANCE:
            self._preempt_youngest()
        self._turn()
        for request in finished:  # told last: the gateway forwards the next one at once
            self.ended(request, End.ENGINE_ERROR if request.fails else End.COMPLETED)

    def _admit(self) -> None:
        waiting = self.waiting
        while waiting and waiting[0].phase is Phase.ENDED:
            waiting.popleft()
        if not waiting or len(self.batch) >= self.plan.batch_max:
            return
        request = waiting[0]
        need = request.prompt_tokens + request.tokens
        if self.batch and self.kv_used + need > self.plan.kv_tokens * _ADMISSION_SHARE:
            return
        waiting.popleft()
        self.waiting_count -= 1
        self._start_prefill(request, need)

    def _start_prefill(self, request: Request, need: float) -> None:
        request.phase = Phase.PREFILL
        if request.scheduled_s < 0:
            request.scheduled_s = self._at_s
        request.kv_at_join = need
        self.kv_used += need
        self.prefilling = request
        slowdown = 1.0 + 0.02 * len(self.batch)
        self.prefill_ends_s = self._at_s + need * slowdown / (self.plan.prefill_tokens_per_s * self.speed)

    def _stop_prefill(self, request: Request) -> None:
        self.kv_used -= request.kv_at_join
        self.prefilling, self.prefill_ends_s = None, _NEVER

    def _end_prefill(self, request: Request) -> None:
        """The first token is there (or none, if that is its fate); the rest is decoded in the batch."""
        self.prefilling, self.prefill_ends_s = None, _NEVER
        if request.target_tokens < 0:
            self._draw_fate(request)
        if request.first_token_s < 0:
            request.first_token_s = self._at_s
            request.tokens = min(1.0, request.target_tokens)
        request.phase = Phase.DECODE
        request.joined_clock = self._clock
        self.batch[request] = None
        ends_at = self._clock + max(request.target_tokens - request.tokens, 0.0)
        heappush(self._finish_order, (ends_at, request.number, request.epoch, request))

    def _draw_fate(self, request: Request) -> None:
        request.target_tokens = float(request.output_tokens)
        if request.luck < self.error_probability:
            request.fails = True
            request.target_tokens = float(int(request.when * request.output_tokens))
        elif request.luck < self.error_probability + self.empty_probability:
            request.target_tokens = 0.0

    def _take_finished(self) -> list[Request]:
        finished: list[Request] = []
        order, due = self._finish_order, self._clock + _TOKEN_TOLERANCE
        while order and order[0][0] <= due:
            _, _, epoch, request = heappop(order)
            if epoch != request.epoch:
                continue
            self._leave_batch(request)
            request.tokens = request.target_tokens
            request.phase = Phase.ENDED
            finished.append(request)
        return finished

    def _leave_batch(self, request: Request) -> None:
        decoded = self._clock - request.joined_clock
        self.kv_used -= request.kv_at_join + decoded
        request.tokens += decoded
        request.epoch += 1
        del self.batch[request]
        if not self.batch and self.prefilling is None:
            self.kv_used = 0.0  # the sums above round; an empty replica holds nothing

    def _preempt_youngest(self) -> None:
        """The youngest sequence gives its cache back and is computed again later, as vLLM does."""
        request = self.prefilling
        if request is not None:
            self._stop_prefill(request)
        elif len(self.batch) > 1:
            request = next(reversed(self.batch))
            self._leave_batch(request)
        else:
            return
        request.phase = Phase.ENGINE_QUEUE
        request.preemptions += 1
        self.preemptions += 1
        self.waiting.appendleft(request)
        self.waiting_count += 1
