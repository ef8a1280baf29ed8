"""When something was last used, written now and then instead of at every request."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from vocabulary.errors import StoreUnavailableError

_KEYS_MAX = 10_000


class LastUse:
    """Writes a use at most once in `every_ns` and key, by this process. Thread-safe.

    A write that fails is forgotten until the next is due: who has been let in is not refused for it, and a locked
    database is not asked again by every request.
    """

    def __init__(self, every_ns: int, write: Callable[[str, int], None]) -> None:
        self._every_ns = every_ns
        self._write = write
        self._tried_ns: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, key: str, last_ns: int | None, now_ns: int) -> None:
        """Note a use now.

        last_ns  the last use as the database has it, None for none
        """
        if not (self._is_due(last_ns, now_ns) and self._claimed(key, now_ns)):
            return
        with suppress(StoreUnavailableError):
            self._write(key, now_ns)

    def _claimed(self, key: str, now_ns: int) -> bool:
        with self._lock:
            if not self._is_due(self._tried_ns.get(key), now_ns):
                return False
            self._tried_ns[key] = now_ns
            self._tried_ns.move_to_end(key)
            if len(self._tried_ns) > _KEYS_MAX:
                self._tried_ns.popitem(last=False)
        return True

    def _is_due(self, last_ns: int | None, now_ns: int) -> bool:
        return last_ns is None or now_ns - last_ns >= self._every_ns
