"""Engine errors in the house's words: try again later, ask for less, or a fault of ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from clickhouse_connect.driver.exceptions import ClickHouseError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from vocabulary.errors import RefusedReadError, StoreUnavailableError

TOO_MUCH: dict[int, str] = {
    158: "it reads too many rows",
    159: "it takes longer than 30 seconds",
    160: "it takes longer than 30 seconds",
    241: "it needs too much memory",
    307: "it reads too many bytes",
    396: "its answer has too many rows",
}
"""ClickHouse error codes of a read that met one of its bounds."""

FAULTS: frozenset[int] = frozenset({6, 10, 16, 27, 36, 42, 43, 46, 47, 53, 60, 62, 70, 81, 179, 184, 386})
"""ClickHouse error codes that mean a wrong statement or a wrong batch: the same input would fail again."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the driver raises into StoreUnavailableError or RefusedReadError; faults of ours pass through."""
    try:
        yield
    except ClickHouseError as error:
        raise _in_words(error, error) from error
    except DBAPIError as error:
        raise _in_words(error.orig, error) from error
    except (OSError, PoolTimeoutError) as error:
        message = f"The telemetry store is not available: {error}."
        raise StoreUnavailableError(message) from error


def _in_words(cause: BaseException | None, error: Exception) -> Exception:
    code = getattr(cause, "code", None)
    if code in TOO_MUCH:
        return RefusedReadError(f"The read was stopped because {TOO_MUCH[code]}; ask for a shorter window.")
    if code in FAULTS:
        return error
    if code == 243:  # noqa: PLR2004 (NOT_ENOUGH_SPACE)
        return StoreUnavailableError("The telemetry store has no disk space left; nothing was stored.")
    return StoreUnavailableError(f"The telemetry store is not available: {str(cause).splitlines()[0]}")
