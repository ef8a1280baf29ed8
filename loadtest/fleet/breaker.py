"""Circuit breakers of a gateway: who fails in a row is left alone for a while. No clock and no events inside."""

from collections.abc import Callable
from enum import Enum

from loadtest.fleet.plan import Breaker

_NOBODY: frozenset[int] = frozenset()


class Standing(Enum):
    """CLOSED: asked as ever; OPEN: not asked; HALF_OPEN: one request, the trial, is asking it."""

    CLOSED = "breaker_closed"
    OPEN = "breaker_open"
    HALF_OPEN = "breaker_half_open"


class _State:
    """One replica that failed at least once since it last answered."""

    def __init__(self) -> None:
        self.failures = 0
        self.standing = Standing.CLOSED
        self.opened_s = 0.0
        self.trial = -1


class Breakers:
    """A gateway's breakers for the replicas of one model, by place; `changed` is told each transition."""

    def __init__(self, plan: Breaker, changed: Callable[[int, Standing], None]) -> None:
        self.plan = plan
        self.changed = changed
        self.states: dict[int, _State] = {}  # replicas without a failure have none, so the usual path costs nothing

    @property
    def open_count(self) -> int:
        """Breakers that are not closed."""
        return sum(state.standing is not Standing.CLOSED for state in self.states.values())

    def shut(self, now_s: float) -> frozenset[int]:
        """Places that must not be asked now."""
        if not self.states:
            return _NOBODY
        return frozenset(place for place, state in self.states.items() if self._refuses(state, now_s))

    def _refuses(self, state: _State, now_s: float) -> bool:
        if state.standing is Standing.OPEN:
            return now_s < state.opened_s + self.plan.cool_s
        return state.standing is Standing.HALF_OPEN

    def asked(self, place: int, number: int) -> None:
        """A request, by its number, goes there: after the cool time it is the trial."""
        state = self.states.get(place)
        if state is not None and state.standing is Standing.OPEN:
            state.trial = number
            self._change(place, state, Standing.HALF_OPEN)

    def succeeded(self, place: int) -> None:
        """It answered: the row of failures is over."""
        state = self.states.pop(place, None)
        if state is not None and state.standing is not Standing.CLOSED:
            self._change(place, state, Standing.CLOSED)

    def failed(self, place: int, now_s: float) -> None:
        """It failed: one more in a row, or the trial went wrong."""
        state = self.states.setdefault(place, _State())
        state.failures += 1
        trial = state.standing is Standing.HALF_OPEN
        if trial or (state.standing is Standing.CLOSED and state.failures >= self.plan.failures):
            state.opened_s = now_s
            self._change(place, state, Standing.OPEN)

    def withdrawn(self, place: int, number: int) -> None:
        """A request ended without a verdict on the replica; if it was the trial, the next one may try."""
        state = self.states.get(place)
        if state is not None and state.standing is Standing.HALF_OPEN and state.trial == number:
            self._change(place, state, Standing.OPEN)

    def forget(self) -> None:
        """A new process knows of no failure."""
        states, self.states = self.states, {}
        for place, state in states.items():
            if state.standing is not Standing.CLOSED:
                self._change(place, state, Standing.CLOSED)

    def _change(self, place: int, state: _State, standing: Standing) -> None:
        state.standing = standing
        self.changed(place, standing)
