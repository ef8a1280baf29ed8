"""Work that repeats beside the requests: one thread each, an error is logged and the next round tried."""

import logging
import threading
import time
from collections.abc import Callable, Iterable

_LOG = logging.getLogger(__name__)
RESTS, REST_MAX_S = 4, 15.0


class Repeating:
    """Calls `work` every `every_s` seconds until closed; a round never overlaps the next.

    After a long round it rests RESTS times as long, REST_MAX_S at most, so that it leaves time to others.

    name  thread name, and what the log and the health answer call it
    """

    def __init__(self, name: str, every_s: float, work: Callable[[], object]) -> None:
        self._name = name
        self._every_s = every_s
        self._work = work
        self._has_failed = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """What people know it as: rollup, evaluator."""
        return self._name

    @property
    def failing(self) -> bool:
        """Whether the last round raised, or no round will follow although nobody closed it."""
        return self._has_failed or not (self._thread.is_alive() or self._stop.is_set())

    def close(self) -> None:
        """End after the round under way."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        rest_s = self._every_s
        while not self._stop.wait(rest_s):
            start = time.monotonic()
            try:
                self._work()
            except Exception:  # noqa: BLE001 - the next round must be tried whatever broke
                if not self._has_failed:
                    _LOG.exception("%s failed; trying again every %s s", self._name, self._every_s)
                self._has_failed = True
            else:
                self._has_failed = False
            rest_s = max(self._every_s, min(RESTS * (time.monotonic() - start), REST_MAX_S))


def failing_names(works: Iterable[Repeating]) -> tuple[str, ...]:
    """Names of the works that fail now, in their order."""
    return tuple(work.name for work in works if work.failing)
