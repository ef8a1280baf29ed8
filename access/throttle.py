"""Who has to wait before the next log-in: limits on failures per name and address, per address, and per name.

The limit of a name alone stops guesses from many addresses, and would let a stranger who knows a name lock its owner
out. So it does not hold for addresses that the name has logged in from in this process: these are limited by name and
address only. Open sessions and tokens go on in any case, and the commands `peakline users` and `peakline tokens` need
no log-in. A stranger behind the same address (the same NAT) can make a person wait there: the price of any limit.

Counts are per process and forgotten with it: they slow guesses down, argon2 does the rest.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from limits import RateLimitItemPerSecond
from limits.strategies import MovingWindowRateLimiter

from access.attempt_windows import AttemptWindows
from access.contract import LogInRefusedError
from access.settings import ThrottleSettings
from vocabulary.pools import SECOND_NS

_KNOWN_MAX = 10_000
_NETWORK_BITS = 64


@dataclass(frozen=True, slots=True)
class Attempt:
    """A log-in under way, counted as a failure until it is known to be none."""

    name: str
    address: str
    limits: tuple[tuple[RateLimitItemPerSecond, tuple[str, ...]], ...]


class Throttle:
    """Counts failed log-ins. Thread-safe; parallel attempts are counted as strictly as one after the other."""

    def __init__(self, settings: ThrottleSettings, clock_ns: Callable[[], int]) -> None:
        self._windows = AttemptWindows()
        self._limiter = MovingWindowRateLimiter(self._windows)
        self._clock_ns = clock_ns
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._of_pair = RateLimitItemPerSecond(settings.attempts, settings.window_s, "pair")
        self._of_address = RateLimitItemPerSecond(settings.address_attempts, settings.window_s, "address")
        self._of_name = RateLimitItemPerSecond(settings.name_attempts, settings.window_s, "name")

    def enter(self, name: str, address: str) -> Attempt:
        """Count an attempt before anything is judged.

        name     as it is stored, '' for one that nobody can have
        raises   LogInRefusedError with the seconds to wait; the attempt is not counted then
        """
        place = _place(address)
        with self._lock:
            self._windows.now_s = self._clock_ns() / SECOND_NS
            attempt = Attempt(name, place, tuple(self._limits(name, place)))
            wait_s = max(self._wait_s(item, key) for item, key in attempt.limits)
            if wait_s > 0:
                message = f"Too many attempts to log in; wait {wait_s} seconds and try again."
                raise LogInRefusedError(message, wait_s)
            for item, key in attempt.limits:
                self._limiter.hit(item, *key)
        return attempt

    def take_back(self, attempt: Attempt) -> None:
        """The attempt was no failure: nothing was judged, or it was right."""
        with self._lock:
            for item, key in attempt.limits:
                self._windows.take_back(item.key_for(*key))

    def succeed(self, attempt: Attempt) -> None:
        """The attempt was right: it does not count, and its address is known for its name from now on."""
        self.take_back(attempt)
        with self._lock:
            self._known[attempt.name, attempt.address] = None
            self._known.move_to_end((attempt.name, attempt.address))
            if len(self._known) > _KNOWN_MAX:
                self._known.popitem(last=False)

    def _limits(self, name: str, place: str) -> list[tuple[RateLimitItemPerSecond, tuple[str, ...]]]:
        found: list[tuple[RateLimitItemPerSecond, tuple[str, ...]]] = [
            (self._of_pair, (name, place)),
            (self._of_address, (place,)),
        ]
        if name and (name, place) not in self._known:
            found.append((self._of_name, (name,)))
        return found

    def _wait_s(self, item: RateLimitItemPerSecond, key: tuple[str, ...]) -> int:
        if self._limiter.test(item, *key):
            return 0
        ends_s = self._limiter.get_window_stats(item, *key).reset_time
        return max(1, math.ceil(ends_s - self._windows.now_s))


def _place(address: str) -> str:
    """What counts as one address: an IPv4 address, an IPv6 network of 64 bits, else the text itself."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((found, _NETWORK_BITS), strict=False))
