"""Which spans reach the receiver: consistent probability sampling of traces, and spans that are lost on the way."""

from functools import lru_cache
from hashlib import blake2b

from loadtest.emission import wire

_RANDOM_BITS = 56
_ALL = 1 << _RANDOM_BITS
_TRACE_STATE = 3


def rejection_threshold(share: float) -> int:
    """Traces whose random value is below it are not sampled; 0 samples all of them.

    source  OpenTelemetry, TraceState: Probability Sampling (`th`)
    """
    return _ALL - round(share * _ALL)


def is_sampled(trace_id: bytes, threshold: int) -> bool:
    """The decision every process takes alike: the random value is the last 56 bits of the trace id."""
    return int.from_bytes(trace_id[9:], "big") >= threshold


@lru_cache(maxsize=64)
def trace_state(threshold: int) -> bytes:
    """`ot=th:…` as the trace state field of Span: the threshold in hexadecimal digits without its last zeros."""
    digits = f"{threshold:014x}".rstrip("0") or "0"
    return wire.delimited(_TRACE_STATE, f"ot=th:{digits}".encode())


def is_lost(span_id: bytes, share: float) -> bool:
    """Whether a span is among the lost ones.

    A hash decides, not the id itself: the ids that arrive must not tell which others did not.
    """
    draw = blake2b(span_id, digest_size=8, person=b"lost").digest()
    return int.from_bytes(draw, "big") < share * 2.0**64
