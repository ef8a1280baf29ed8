"""Limits that a gateway keeps: requests per second of a tenant, open files of a process."""

from loadtest.fleet.plan import GatewayPlan, RateLimit


class TokenBucket:
    """One token per request; `requests_per_s` come in, `burst` at most are held. It begins full."""

    def __init__(self, limit: RateLimit, now_s: float) -> None:
        self.limit = limit
        self.tokens = float(limit.burst)
        self._at_s = now_s

    def take(self, now_s: float) -> bool:
        """Take a token, or say False when there is none."""
        gained = (now_s - self._at_s) * self.limit.requests_per_s
        self.tokens = min(self.tokens + gained, float(self.limit.burst))
        self._at_s = now_s
        if self.tokens < 1.0:
            return False
        self.tokens -= 1.0
        return True


class Descriptors:
    """Open files of one gateway process: a fixed part, one per connection, one per forwarded request, and leaks.

    open         connections and forwarded requests; whoever opens one counts it here
    surely_free  while `open` is below, there is room, and nobody needs to ask; 0 when something leaks
    """

    __slots__ = ("_idle", "_leaked", "_per_s", "_since_s", "limit", "open", "surely_free")

    def __init__(self, plan: GatewayPlan) -> None:
        self.limit = plan.fd_limit
        self.open = 0
        self.surely_free = plan.fd_limit - plan.fd_idle
        self._idle = plan.fd_idle
        self._leaked = 0.0
        self._per_s = 0.0
        self._since_s = 0.0

    def used(self, now_s: float) -> int:
        """Descriptors in use; a leak takes what is free and no more."""
        return self._idle + self.open + int(self._leaked_by(now_s))

    def is_exhausted(self, now_s: float) -> bool:
        """Nothing more can be opened."""
        return self.used(now_s) >= self.limit

    def leak(self, per_s: float, now_s: float) -> None:
        """From now on lose so many per second."""
        self._leaked = self._leaked_by(now_s)
        self._since_s = now_s
        self._per_s = per_s
        self.surely_free = 0

    def renew(self, now_s: float) -> None:
        """A fresh process: what leaked is free again."""
        self._leaked, self._since_s = 0.0, now_s
        self.surely_free = 0 if self._per_s else self.limit - self._idle

    def _leaked_by(self, now_s: float) -> float:
        room = max(self.limit - self._idle - self.open, 0)
        return min(self._leaked + self._per_s * (now_s - self._since_s), float(room))
