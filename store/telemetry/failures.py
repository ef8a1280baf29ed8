"""Engine errors in the house's words: try again later, ask for less, or a fault of ours.

Only a read for a screen can be refused: its asker can ask for less. What ingestion writes and reads back
is not to be had smaller, so the same condition means there that a later try may work.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from clickhouse_connect.driver.exceptions import ClickHouseError, OperationalError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from vocabulary.errors import RefusedReadError, StoreUnavailableError

TOO_MUCH: dict[int, str] = {
    158: "it reads too many rows",
    159: "it takes too long",
    160: "it takes too long",
    241: "it needs too much memory",
    307: "it reads too many bytes",
    396: "its answer has too many rows",
}
"""ClickHouse error codes of a statement that met one of its bounds."""

FAULTS: frozenset[int] = frozenset({6, 10, 16, 27, 36, 42, 43, 46, 47, 53, 60, 62, 70, 81, 179, 184, 386})
"""ClickHouse error codes that mean a wrong statement or a wrong batch: the same input would fail again."""


NOT_AVAILABLE = "The telemetry store is not available: "
NO_SPACE = 243
UNREACHED = "it does not answer"
"""What is said where no answer came: the driver's own words are about sockets and connection pools."""


class Use(StrEnum):
    """What a connection is for, and so what becomes of a statement that meets a bound.

    SCREEN  answers people: refused, a smaller question would be answered
    INGEST  writes and reads what was acknowledged or must be: not possible now, to be tried again
    """

    SCREEN = "screen"
    INGEST = "ingest"


@contextmanager
def translated(use: Use) -> Iterator[None]:
    """Turn what the driver raises into StoreUnavailableError or RefusedReadError; faults of ours pass through."""
    try:
        yield
    except ClickHouseError as error:
        raise _in_words(error, error, use) from error
    except DBAPIError as error:
        raise _in_words(error.orig, error, use) from error
    except (OSError, PoolTimeoutError) as error:
        message = f"{NOT_AVAILABLE}{error}."
        raise StoreUnavailableError(message) from error


def _in_words(cause: BaseException | None, error: Exception, use: Use) -> Exception:
    code = getattr(cause, "code", None)
    if code in TOO_MUCH:
        if use is Use.SCREEN:
            return RefusedReadError(f"The read was stopped because {TOO_MUCH[code]}; ask for a shorter window.")
        return StoreUnavailableError(f"The telemetry store stopped the work because {TOO_MUCH[code]}.")
    if code in FAULTS:
        return error
    if code == NO_SPACE:
        return StoreUnavailableError("The telemetry store has no disk space left; nothing was stored.")
    told = UNREACHED if code is None and isinstance(cause, OperationalError) else str(cause).splitlines()[0]
    return StoreUnavailableError(f"{NOT_AVAILABLE}{told.rstrip('.')}.")
