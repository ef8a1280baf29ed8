"""One simulated request, from the client's draw to its end."""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple


class Phase(IntEnum):
    """Where the request is."""

    NEW = 0
    DEPENDENCY = 1
    GATEWAY_QUEUE = 2
    ENGINE_QUEUE = 3
    PREFILL = 4
    DECODE = 5
    BACKOFF = 6
    ENDED = 7


class End(Enum):
    """How an attempt or a request ended; `status` is the HTTP status of an answer that had not begun.

    NEVER_CONNECTED is what no gateway saw: the connection was refused, so there is no telemetry of it.
    """

    COMPLETED = "completed"
    CONTEXT_TOO_LONG = "context_too_long"
    RATE_LIMITED = "rate_limited"
    QUEUE_FULL = "queue_full"
    CLIENT_GONE = "client_gone"
    ENGINE_ERROR = "engine_error"
    DEPENDENCY_FAILED = "dependency_failed"
    NO_CONNECTION = "no_connection"
    REPLICA_LOST = "replica_lost"
    OVERLOADED = "overloaded"
    NO_REPLICA = "no_replica"
    TIMED_OUT = "timed_out"
    NEVER_CONNECTED = "never_connected"

    @property
    def status(self) -> int:
        """HTTP status; 0 where nobody answered."""
        return _STATUS[self]


_STATUS = {
    End.COMPLETED: 200,
    End.CONTEXT_TOO_LONG: 400,
    End.RATE_LIMITED: 429,
    End.QUEUE_FULL: 429,
    End.CLIENT_GONE: 499,
    End.ENGINE_ERROR: 500,
    End.DEPENDENCY_FAILED: 500,
    End.NO_CONNECTION: 502,
    End.REPLICA_LOST: 502,
    End.OVERLOADED: 503,
    End.NO_REPLICA: 503,
    End.TIMED_OUT: 504,
    End.NEVER_CONNECTED: 0,
}


class Identity(NamedTuple):
    """A replica between two starts: what it is and what its telemetry says of itself.

    place        index of the replica in its pool
    incarnation  0 for the first process, counted up at each restart: pod name and instance id change with it
    """

    model: int
    place: int
    incarnation: int
    revision: str
    quantization: str
    dtype: str
    engine_version: str
    cards: int
    rack: int


class Call(NamedTuple):
    """One call of a dependency."""

    dependency: int
    start_s: float
    end_s: float
    is_ok: bool


class Attempt(NamedTuple):
    """An earlier attempt at an engine, kept when the gateway tries again; fields as in Request."""

    identity: Identity
    end: End
    forwarded_s: float
    scheduled_s: float
    first_token_s: float
    ended_s: float
    tokens: float
    cached_tokens: int
    skew_ns: int


@dataclass(slots=True, eq=False)
class Request:
    """Mutable state of one request; times are simulated seconds, -1 while unknown.

    number           unique in a run; ids are a hash of it
    session          number of the conversation, -1: none
    prefix_tokens    part of the prompt that earlier turns of the session left
    forgotten_tokens what `prefix_tokens` was before a cache that failed could not tell it
    natural_tokens   length of the answer that would end by itself on weights as planned
    limit_tokens     most tokens of this answer: the smaller of max_tokens and the room in the context window
    max_tokens       what the client asked for, 0: nothing
    luck, when       uniform draws: does the engine fail it, and after which part of its tokens
    client_attempt   0 for a first try, 1 for the client's first repetition …; `first_number` then names the first try
    tokens           tokens produced so far
    target_tokens    tokens at which the current attempt ends, -1 before it is known
    is_cut           it finishes with reason `length`
    cached_tokens    prompt tokens that the current attempt found in the cache
    exposure         bits of the timeline's happenings that touched it (bit i: happening i)
    epoch            counts the times it left a batch, so that a stale place in the finish order is known
    gateway, gateway_incarnation  process at which it arrived: index, and 0 for the first one, 1 after a restart …
    gateway_ready_s  when the gateway wanted to forward it first: dependencies answered, its queue begins
    """

    number: int
    arrival_s: float
    model: int
    tenant: int
    session: int
    prefix_tokens: int
    prompt_tokens: int
    natural_tokens: int
    limit_tokens: int
    max_tokens: int
    is_streamed: bool
    temperature: float
    patience_s: float
    luck: float
    when: float
    client_attempt: int = 0
    first_number: int = -1
    gateway: int = 0
    gateway_incarnation: int = 0
    phase: Phase = Phase.NEW
    end: End = End.COMPLETED
    gateway_ready_s: float = -1.0
    forwarded_s: float = -1.0
    scheduled_s: float = -1.0
    first_token_s: float = -1.0
    ended_s: float = -1.0
    tokens: float = 0.0
    target_tokens: float = -1.0
    is_cut: bool = False
    fails: bool = False
    hangs: bool = False
    is_base: bool = False
    cached_tokens: int = 0
    forgotten_tokens: int = 0
    joined_clock: float = 0.0
    kv_at_join: float = 0.0
    epoch: int = 0
    preemptions: int = 0
    exposure: int = 0
    place: int = -1
    identity: Identity | None = None
    skew_ns: int = 0
    calls: list[Call] = field(default_factory=list)
    earlier: list[Attempt] = field(default_factory=list)
