"""A gateway's further attempts at an engine: what is kept of one that failed, and what must be forgotten."""

from loadtest.fleet.request import Attempt, End, Phase, Request

ENGINES_FAULT = frozenset({End.ENGINE_ERROR, End.OVERLOADED, End.REPLICA_LOST})


def has_answered(request: Request) -> bool:
    """Whether the client has seen a part of the answer, so that no other replica can begin it again."""
    return request.is_streamed and request.first_token_s >= 0


def tried(request: Request) -> frozenset[int]:
    """Places where attempts failed: another one may know better."""
    return frozenset(attempt.identity.place for attempt in request.earlier)


def set_aside(request: Request, end: End, now_s: float) -> None:
    """Keep the failed attempt in `earlier`; nothing of it may look like the next one's, which perhaps never comes."""
    assert request.identity is not None, "an attempt has been at a replica"
    request.earlier.append(
        Attempt(
            request.identity,
            end,
            forwarded_s=request.forwarded_s,
            scheduled_s=request.scheduled_s,
            first_token_s=request.first_token_s,
            ended_s=now_s,
            tokens=request.tokens,
            cached_tokens=request.cached_tokens,
            skew_ns=request.skew_ns,
        )
    )
    request.phase = Phase.BACKOFF
    request.forwarded_s = request.scheduled_s = request.first_token_s = -1.0
    request.tokens, request.target_tokens, request.cached_tokens = 0.0, -1.0, 0
    request.is_cut = request.fails = request.hangs = request.is_base = False
    request.place, request.identity, request.skew_ns = -1, None, 0
