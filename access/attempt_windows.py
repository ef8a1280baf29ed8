"""The moving windows of the `limits` library, with a clock that is passed in and a bound on what is remembered.

The library's own memory storage reads the machine's clock, starts a timer thread at every hit, and keeps a key for ever
once it was used; names and addresses of strangers would fill the memory.
"""

from collections import OrderedDict

from limits.storage import MemoryStorage

KEYS_MAX = 100_000


class AttemptWindows(MemoryStorage):
    """Times of attempts by key, oldest first. Not thread-safe by itself: `Throttle` holds a lock around it.

    now_s  what counts as now; whoever asks sets it, so that one decision sees one time
    """

    def __init__(self, keys_max: int = KEYS_MAX) -> None:
        super().__init__()
        self.now_s = 0.0
        self._keys_max = keys_max
        self._times_s: OrderedDict[str, list[float]] = OrderedDict()

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count an attempt if there is room; the least recently used key is forgotten when there are too many."""
        times_s = self._recent(key, expiry)
        if len(times_s) + amount > limit:
            return False
        self._times_s[key] = times_s + [self.now_s] * amount
        self._times_s.move_to_end(key)
        if len(self._times_s) > self._keys_max:
            self._times_s.popitem(last=False)
        return True

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:  # noqa: ARG002 - the library's
        """Time of the oldest attempt that counts, in seconds, and how many count."""
        times_s = self._recent(key, expiry)
        return (times_s[0] if times_s else self.now_s), len(times_s)

    def take_back(self, key: str) -> None:
        """Forget the newest attempt of a key."""
        times_s = self._times_s.get(key)
        if times_s:
            times_s.pop()

    def _recent(self, key: str, expiry: int) -> list[float]:
        """Attempts in the window. Where the clock was set back they count as made now, so that nobody waits for it."""
        times_s = self._times_s.get(key, [])
        if times_s and times_s[-1] > self.now_s:
            times_s[:] = [min(at_s, self.now_s) for at_s in times_s]
        since_s = self.now_s - expiry
        return [at_s for at_s in times_s if at_s > since_s]
