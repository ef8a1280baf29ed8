"""The gate's verbs block on a database and on hashing: they run in threads, and log-ins cannot take all of them."""

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from vocabulary.errors import PeaklineError

_T = TypeVar("_T")
LOOK_UPS_AT_ONCE = 16
LOG_INS_AT_ONCE = 2
LOG_INS_WAITING_MAX = 32


class BusyError(PeaklineError):
    """More people log in at the same time than can be served; trying again in some seconds works."""

    permanent = False


class GateThreads:
    """One for each server: threads for look-ups, fewer for log-ins, because a password costs much memory and time."""

    def __init__(self) -> None:
        self._look_ups = CapacityLimiter(LOOK_UPS_AT_ONCE)
        self._log_ins = CapacityLimiter(LOG_INS_AT_ONCE)

    async def look_up(self, ask: Callable[[], _T]) -> _T:
        """Run what asks the database."""
        return await run_sync(ask, limiter=self._look_ups)

    async def log_in(self, ask: Callable[[], _T]) -> _T:
        """Run what hashes a password.

        raises  BusyError when too many wait already
        """
        if self._log_ins.statistics().tasks_waiting >= LOG_INS_WAITING_MAX:
            message = "Too many people are logging in at the moment; try again in some seconds."
            raise BusyError(message)
        return await run_sync(ask, limiter=self._log_ins)
