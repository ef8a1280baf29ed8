"""The load of a pool, read from what the telemetry store counted by outcome time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from vocabulary.pools import SECOND_NS, Pool, Window


@dataclass(frozen=True, slots=True)
class Reading:
    """One value of a metric with what it rests on.

    value     requests per second and ready replica, None without data
    requests  production requests that ended in the window
    replicas  replicas ready at its end
    """

    value: float | None
    requests: int
    replicas: int


class Arrivals(Protocol):
    """The one question to the telemetry store."""

    def arrivals(self, pool: Pool | None, window: Window) -> tuple[int, int]:
        """(requests that ended in the window, replicas ready at its end, at least 1 with requests); production only."""


class LoadReader:
    """Reads the load now. A window in which nothing ended is no data: whether the callers or the telemetry fell
    silent cannot be told from here.
    """

    def __init__(self, store: Arrivals, clock_ns: Callable[[], int]) -> None:
        self._store = store
        self._clock_ns = clock_ns

    def __call__(self, pool: Pool, window_s: int) -> Reading:
        """Load over the last `window_s` seconds (<= 900)."""
        now_ns = self._clock_ns()
        requests, replicas = self._store.arrivals(pool, Window(now_ns - window_s * SECOND_NS, now_ns))
        if not requests:
            return Reading(None, requests, replicas)
        return Reading(requests / window_s / replicas, requests, replicas)
