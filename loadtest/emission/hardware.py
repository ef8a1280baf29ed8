"""What cards and links would tell: utilisation, memory, bytes exchanged, as they follow from what the engines did."""

from typing import NamedTuple, Protocol

from loadtest.emission.metric_series import Cache
from loadtest.fleet.chance import portion
from loadtest.fleet.plan import EnginePlan

WEIGHTS_SHARE, CACHE_SHARE, RUNTIME_SHARE = 0.36, 0.50, 0.03  # of a card's memory; two sets of weights just fit
EXCHANGE_BYTES = 2_600_000  # per token: an all-reduce of 8,192 halves, twice in each of 80 layers
PLAIN_BYTES = 4_000  # per token, where cards need not wait for one another
_NOISE = 0.02  # of a card: what its owner's own jobs take while no training runs
_EVICTING_JOB = 0.97
_NOISE_PURPOSE = 9


class Worker(Protocol):
    """What is read of a replica."""

    engine: EnginePlan
    cards: int
    is_loading: bool
    started_s: float
    busy_s: float
    training_share: float
    prompt_tokens_total: int
    generation_tokens_total: float

    @property
    def kv(self) -> Cache: ...


class Done(NamedTuple):
    """What a process had done at some moment."""

    started_s: float = -1.0
    busy_s: float = 0.0
    tokens: float = 0.0

    def since(self, earlier: "Done") -> tuple[float, float]:
        """Busy seconds and computed tokens since then; all of them where the process is another one."""
        if earlier.started_s != self.started_s:
            return self.busy_s, self.tokens
        return self.busy_s - earlier.busy_s, self.tokens - earlier.tokens


def done_by(worker: Worker) -> Done:
    """Tokens found in the prefix cache were not computed."""
    computed = worker.prompt_tokens_total - worker.kv.hits + worker.generation_tokens_total
    return Done(worker.started_s, worker.busy_s, max(computed, 0.0))


def inference_share(worker: Worker, busy_share: float) -> float:
    """Part of the card's time that the engine computes."""
    return min(busy_share, 1.0) * min(worker.training_share, 1.0)


def training_share(worker: Worker, *, is_evicted: bool, moment: int) -> float:
    """Part of the card's time that other jobs take; `moment` varies the noise."""
    if is_evicted:
        return _EVICTING_JOB
    noise = _NOISE * portion(moment, _NOISE_PURPOSE)
    return min(1.0 - min(worker.training_share, 1.0) + noise, 1.0)


def memory_used(worker: Worker, *, is_up: bool) -> int:
    """Bytes; weights that load beside the serving ones are there twice, and the cache gives up half of its room."""
    if not is_up:
        return 0
    weights, cache = (2 * WEIGHTS_SHARE, CACHE_SHARE / 2) if worker.is_loading else (WEIGHTS_SHARE, CACHE_SHARE)
    return int((weights + cache + RUNTIME_SHARE) * memory_limit(worker))


def memory_limit(worker: Worker) -> int:
    """Bytes of all cards that it spans at the moment."""
    return worker.engine.memory_bytes * worker.cards


def exchanged_bytes(worker: Worker, tokens: float) -> int:
    """Bytes that went over the links for so many tokens."""
    return int(tokens * (EXCHANGE_BYTES if worker.engine.exchange_s else PLAIN_BYTES))
