"""The books of a serving process: who waits, runs or hangs in it, and how much of the cache each holds. No clock."""

from collections import deque

from loadtest.fleet.batch import TOKEN_TOLERANCE, Batch
from loadtest.fleet.kv_cache import KvCache
from loadtest.fleet.request import Phase, Request


class Slots:
    """Requests of one process, and its counters; a new process begins with `clear_books`.

    in_flight  running and waiting requests, and hung ones that nobody waits for any more
    exposure   bits of the happenings that touch it now
    finished, preemptions, admission_rejections, *_total, kv.queries, kv.hits, kv.evictions
               counters of the present process
    """

    __slots__ = (
        "_hung",
        "_keeps_contexts",
        "_stuck_kv",
        "_stuck_slots",
        "admission_rejections",
        "batch",
        "exposure",
        "finished",
        "generation_tokens_total",
        "in_flight",
        "kv",
        "preemptions",
        "prefilling",
        "prompt_tokens_total",
        "waiting",
    )

    def __init__(self, kv_tokens: int, *, keeps_contexts: bool) -> None:
        self._keeps_contexts = keeps_contexts
        self.exposure = 0
        self.clear_books(kv_tokens)

    def clear_books(self, kv_tokens: int) -> None:
        """Nobody is there, nothing was counted."""
        self.waiting: deque[Request] = deque()
        self.batch = Batch()
        self.prefilling: Request | None = None
        self.kv = KvCache(kv_tokens)
        self.in_flight = 0
        self.prompt_tokens_total = 0
        self.generation_tokens_total = 0.0
        self.finished = dict.fromkeys(("stop", "length", "abort", "error"), 0)
        self.preemptions = 0
        self.admission_rejections = 0
        self._hung: dict[Request, None] = {}
        self._stuck_slots = 0
        self._stuck_kv = 0.0

    @property
    def running(self) -> int:
        """Requests that hold a slot: in prefill, in decode, or hung."""
        return self.in_flight - len(self.waiting)

    @property
    def waiting_count(self) -> int:
        """Requests in the engine's queue."""
        return len(self.waiting)

    def holds(self, session: int) -> bool:
        """Whether the context of the session's last turn is in the cache."""
        return session in self.kv.contexts

    def leave_all(self) -> list[Request]:
        """Everybody, oldest first, with the tokens that they have by now; `clear_books` must follow."""
        prefilling = [] if self.prefilling is None else [self.prefilling]
        everybody = [*self._hung, *self.batch.requests, *prefilling, *self.waiting]
        for request in list(self.batch.requests):
            self.batch.leave(request)
        for request in everybody:
            request.exposure |= self.exposure
            request.phase = Phase.ENDED
        return everybody

    def _start(self, request: Request, need: float, *, is_first: bool) -> int:
        """Give a request from the queue its cache; tokens of its context that are there already."""
        kv, found = self.kv, 0
        if request.prefix_tokens and request.session >= 0:
            found = kv.reuse(request.session, min(request.prefix_tokens, request.prompt_tokens - 1))
        if is_first:  # what is computed again after a preemption is not asked for again
            request.cached_tokens = found
            kv.queries += request.prompt_tokens
            kv.hits += found
        kv.take(need)
        request.kv_at_join = need
        return found

    def _withdraw(self, request: Request) -> None:
        """Take out a request that nobody wants any more; a hung one keeps what it has."""
        request.exposure |= self.exposure
        if request in self._hung:
            del self._hung[request]  # the engine does not notice
            return
        if request.phase is Phase.ENGINE_QUEUE:
            self.waiting.remove(request)
        elif request is self.prefilling:
            self._leave_prefill()
        else:
            self._leave_batch(request)
        self.in_flight -= 1
        self.finished["abort"] += 1

    def _hang(self, request: Request) -> None:
        self._hung[request] = None
        self._stuck_slots += 1
        self._stuck_kv += request.kv_at_join

    def _take_finished(self) -> list[Request]:
        """All whose last token is there."""
        finished: list[Request] = []
        due = self.batch.due
        while (request := due()) is not None:
            held = self._leave_batch(request)
            request.tokens = request.target_tokens
            request.phase = Phase.ENDED
            request.exposure |= self.exposure
            self.in_flight -= 1
            if request.fails:
                self.finished["error"] += 1
            else:
                self.finished["length" if request.is_cut else "stop"] += 1
                if request.session >= 0 and self._keeps_contexts:
                    self.kv.keep(request.session, int(held))
            finished.append(request)
        return finished

    def _leave_batch(self, request: Request) -> float:
        held = request.kv_at_join + self.batch.leave(request)
        self._give_back(held)
        return held

    def _leave_prefill(self) -> None:
        request, self.prefilling = self.prefilling, None
        if request is not None:
            self._give_back(request.kv_at_join)

    def _give_back(self, tokens: float) -> None:
        self.kv.give_back(tokens)
        if self.prefilling is None and not self.batch.requests:
            self.kv.used = self._stuck_kv  # sums round; an empty engine holds what hangs, exactly

    def _make_room(self) -> None:
        """The cache is full and the batch wants to grow: contexts go first, then the youngest sequence."""
        self.kv.evict_to(float(len(self.batch.requests)))
        if self.kv.room <= TOKEN_TOLERANCE:
            self._preempt_youngest()

    def _fit(self, kv_tokens: int) -> None:
        """Another capacity: contexts are evicted, then the youngest preempted, until it fits; hung ones stay."""
        kv = self.kv
        kv.capacity = kv_tokens
        kv.evict_to(0.0)
        while kv.used > kv_tokens and (self.prefilling is not None or self.batch.requests):
            self._preempt_youngest()
        if kv.used > kv_tokens:
            kv.capacity = int(-(-kv.used // 1))

    def _preempt_youngest(self) -> None:
        """The youngest sequence gives its cache back and is computed again later, as vLLM does."""
        request = self.prefilling
        if request is not None:
            self._leave_prefill()
        else:
            request = self.batch.youngest()
            self._leave_batch(request)
        request.phase = Phase.ENGINE_QUEUE
        request.preemptions += 1
        self.preemptions += 1
        self.waiting.appendleft(request)
