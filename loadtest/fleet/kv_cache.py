"""Whose tokens fill a replica's KV cache: running sequences, and contexts that finished turns left behind."""


class KvCache:
    """Tokens, not blocks. Cached contexts go, oldest first, wherever running sequences need their room.

    capacity   tokens that fit; may shrink
    used       tokens of running sequences; fractional, because decoding grows it continuously
    cached     tokens of finished turns' contexts
    contexts   those contexts by session, least recently used first
    queries    prompt tokens looked up
    hits       of these, found
    evictions  contexts that had to go
    """

    __slots__ = ("cached", "capacity", "contexts", "evictions", "hits", "queries", "used")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.used = 0.0
        self.cached = 0
        self.contexts: dict[int, int] = {}
        self.queries = 0
        self.hits = 0
        self.evictions = 0

    @property
    def room(self) -> float:
        """Tokens that fit without an eviction."""
        return self.capacity - self.used - self.cached

    def reuse(self, session: int, most: int) -> int:
        """Take a session's context out of the cache; how many of its tokens, at most `most`, need no prefill."""
        held = self.contexts.pop(session, 0)
        self.cached -= held
        return min(held, most)

    def take(self, tokens: float) -> None:
        """Give room to a running sequence; the caller has seen that `used` leaves it."""
        self.used += tokens
        if self.capacity < self.used + self.cached:
            self.evict_to(0.0)

    def give_back(self, tokens: float) -> None:
        """A running sequence leaves."""
        self.used = max(self.used - tokens, 0.0)

    def keep(self, session: int, tokens: int) -> None:
        """A finished turn's context, just given back, stays until room is needed; it replaces an older one."""
        self.cached += tokens - self.contexts.pop(session, 0)
        self.contexts[session] = tokens

    def evict_to(self, room: float) -> None:
        """Drop the oldest contexts until so many tokens fit, or none is left."""
        contexts = self.contexts
        while contexts and self.capacity - self.used - self.cached < room:
            self.cached -= contexts.pop(next(iter(contexts)))
            self.evictions += 1

    def forget(self) -> None:
        """Cached contexts are worthless: other weights made them."""
        self.contexts.clear()
        self.cached = 0
