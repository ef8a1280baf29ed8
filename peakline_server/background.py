"""Work that repeats beside the requests: one thread each, an error is logged and the next round tried."""

import logging
import threading
import time
from collections.abc import Callable

_LOG = logging.getLogger(__name__)
RESTS = 4


class Repeating:
    """Calls `work` every `every_s` seconds until closed; a round never overlaps the next.

    After a long round it rests RESTS times as long, so that it never takes more than a fifth of the time.

    name     thread name, and what the log calls it
    failing  True while the last round raised
    """

    def __init__(self, name: str, every_s: float, work: Callable[[], object]) -> None:
        self.failing = False
        self._name = name
        self._every_s = every_s
        self._work = work
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

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
                if not self.failing:
                    _LOG.exception("%s failed; trying again every %s s", self._name, self._every_s)
                self.failing = True
            else:
                self.failing = False
            rest_s = max(self._every_s, RESTS * (time.monotonic() - start))
