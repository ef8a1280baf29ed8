"""Simulated time on the wall clock."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Clock:
    """Simulated seconds since it was made; `speed` of them pass in one second of the wall clock."""

    speed: float = 1.0
    monotonic_s: Callable[[], float] = time.monotonic
    epoch_ns: Callable[[], int] = time.time_ns
    _began_s: float = field(init=False)
    began_ns: int = field(init=False)

    def __post_init__(self) -> None:
        assert self.speed > 0, "time does not stand still"
        self._began_s = self.monotonic_s()
        self.began_ns = self.epoch_ns()

    def now_s(self) -> float:
        """Simulated seconds."""
        return (self.monotonic_s() - self._began_s) * self.speed

    def wall_s(self, simulated_s: float) -> float:
        """How long so much simulated time takes on the wall clock."""
        return simulated_s / self.speed

    def at_ns(self, simulated_s: float) -> int:
        """Epoch nanoseconds of a simulated second."""
        return self.began_ns + int(self.wall_s(simulated_s) * 1_000_000_000)
