"""How a request ended, and what was wrong with it."""

from enum import IntFlag, StrEnum


class Outcome(StrEnum):
    """Terminal state of a request row; `unknown` is an import that tells no outcome."""

    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    ABORTED = "aborted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


class DefectKind(IntFlag):
    """Kinds of defect, as bits of the `defects` column; a request counts once however many bits are set."""

    ERROR = 1
    REJECTED = 2
    TIMEOUT = 4
    ABORTED = 8
    TRUNCATED = 16
    EMPTY = 32
    INVALID = 64
    SLOW = 128
    LOST = 256
    MISMATCH = 512


DEFECT_NAMES: tuple[str, ...] = tuple(str(kind.name).lower() for kind in DefectKind)
"""Lower-case names of the kinds, in bit order; columns and JSON keys use them."""


def defect_names(bits: int) -> list[str]:
    """Names of the kinds set in `bits`, in bit order."""
    return [name for position, name in enumerate(DEFECT_NAMES) if bits >> position & 1]


class TruncationCause(StrEnum):
    """Why an answer stopped before its natural end."""

    CONTEXT = "context"
    TIMEOUT = "timeout"
    ENGINE = "engine"


class ErrorClass(StrEnum):
    """What `error_type` may hold after normalising; source: reference mapping, row error_type."""

    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    CONTEXT_LENGTH = "context_length"
    INVALID_REQUEST = "invalid_request"
    AUTH = "auth"
    NOT_FOUND = "not_found"
    CANCELLED = "cancelled"
    ENGINE_ERROR = "engine_error"
    KV_TRANSFER = "kv_transfer"
    UNKNOWN = "unknown"
