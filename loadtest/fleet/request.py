"""One simulated request, from the client's draw to its end."""

from dataclasses import dataclass
from enum import Enum, IntEnum


class Phase(IntEnum):
    """Where the request is."""

    NEW = 0
    GATEWAY_QUEUE = 1
    ENGINE_QUEUE = 2
    PREFILL = 3
    DECODE = 4
    ENDED = 5


class End(Enum):
    """How it ended; each value is the HTTP status of a request whose answer had not begun."""

    COMPLETED = 200
    CONTEXT_TOO_LONG = 400
    RATE_LIMITED = 429
    CLIENT_GONE = 499
    ENGINE_ERROR = 500
    OVERLOADED = 503
    TIMED_OUT = 504


@dataclass(slots=True, eq=False)
class Request:
    """Mutable state of one request; times are simulated seconds, -1 while unknown.

    output_tokens   tokens it will produce: its natural length, cut at max_tokens and at the context window
    is_cut          whether that cut happened, so that it finishes with reason `length`
    luck, when      uniform draws: does the engine fail it, and after which part of its tokens
    tokens          tokens produced so far
    epoch           counts the times it left a batch, so that a stale place in the finish order is known
    """

    number: int
    arrival_s: float
    model: int
    tenant: int
    prompt_tokens: int
    output_tokens: int
    max_tokens: int
    is_cut: bool
    is_streamed: bool
    temperature: float
    patience_s: float
    luck: float
    when: float
    phase: Phase = Phase.NEW
    end: End = End.COMPLETED
    forwarded_s: float = -1.0
    scheduled_s: float = -1.0
    first_token_s: float = -1.0
    ended_s: float = -1.0
    tokens: float = 0.0
    target_tokens: float = -1.0
    fails: bool = False
    joined_clock: float = 0.0
    kv_at_join: float = 0.0
    epoch: int = 0
    preemptions: int = 0
    replica: int = -1
