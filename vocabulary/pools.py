"""Pools, windows and keys: how questions name what they are about."""

from dataclasses import dataclass

MINUTE_NS = 60_000_000_000
SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, order=True)
class Pool:
    """The replicas that answer under one served name; a missing half is the empty string."""

    service: str
    model: str


@dataclass(frozen=True, slots=True)
class Window:
    """Half-open time window [start_ns, end_ns), nanoseconds since the epoch, UTC.

    raises  ValueError when it is empty or reversed
    """

    start_ns: int
    end_ns: int

    def __post_init__(self) -> None:
        if self.end_ns <= self.start_ns:
            message = f"window ends ({self.end_ns}) before it starts ({self.start_ns})"
            raise ValueError(message)

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return (self.end_ns - self.start_ns) / SECOND_NS
