"""The recent-key filter: has this key been stored lately? May say yes wrongly, never no within its reach."""

import numpy as np

from collector.arrays import Mask, Words


class RecentKeys:
    """Bounded set of 64-bit fingerprints, kept as sorted runs in two generations.

    A hit must be confirmed by the store, because fingerprints can collide and because keys are
    added before their insert is known to have succeeded. Not thread-safe: the committer owns it.

    capacity  the newest `capacity` keys at least are remembered, twice as many at most
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._runs: list[Words] = []
        self._older: list[Words] = []
        self._count = 0

    def contains(self, keys: Words) -> Mask:
        """(n,) whether each fingerprint was added lately."""
        found = np.zeros(len(keys), dtype=np.bool_)
        for run in (*self._runs, *self._older):
            places = np.minimum(np.searchsorted(run, keys), len(run) - 1)
            found |= run[places] == keys
        return found

    def add(self, keys: Words) -> None:
        """Remember fingerprints."""
        if len(keys) == 0:
            return
        if self._count + len(keys) > self._capacity:
            self._older, self._runs, self._count = self._runs, [], 0
        self._runs.append(np.sort(keys))
        self._count += len(keys)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]), kind="stable")
