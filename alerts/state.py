"""The states of an alert and what moves it from one to the next: arithmetic on a reading and a time, no I/O.

inactive -> pending -> firing -> resolved -> inactive
            pending -> inactive       the load fell before `for` had passed
                     resolved -> pending   it came back
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from alerts.rules import Line
from vocabulary.pools import SECOND_NS

RESOLVED_SHOWN_NS = 300 * SECOND_NS
"""How long a resolved alert stays in sight before it is inactive again."""

UNSEEN_MAX_NS = 120 * SECOND_NS
"""A longer time without readings (and longer than `for`) starts the wait of a pending alert again."""


class AlertState(StrEnum):
    """Where an alert stands."""

    INACTIVE = "inactive"
    PENDING = "pending"
    FIRING = "firing"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one rule stands for one pool.

    since_ns    when the state began
    pending_ns  when the rule began to hold, None while it does not
    read_ns     last evaluation that had a reading, 0 for never
    value       that reading; None when the latest evaluation had none
    """

    state: AlertState = AlertState.INACTIVE
    since_ns: int = 0
    pending_ns: int | None = None
    read_ns: int = 0
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A transition with its reason in words."""

    from_state: AlertState
    to_state: AlertState
    reason: str


def step(
    standing: Standing, line: Line, for_ns: int, value: float | None, now_ns: int
) -> tuple[Standing, Change | None]:
    """Where the rule stands after a reading, and the transition that led there.

    value    the metric, None when there is no data: the state stays as it is, silence is not health
    for_ns   how long the rule must hold before it fires
    """
    if value is None:
        return replace(standing, value=None), None
    seen = replace(standing, read_ns=now_ns, value=value)
    match standing.state:
        case AlertState.PENDING:
            return _pending(standing, seen, line, for_ns, value)
        case AlertState.FIRING:
            return _firing(seen, line, value)
        case AlertState.RESOLVED | AlertState.INACTIVE:
            return _quiet(seen, line, for_ns, value)


def _quiet(seen: Standing, line: Line, for_ns: int, value: float) -> tuple[Standing, Change | None]:
    if value >= line.at:
        reason = f"{value:.6g} is at or above the line {line.at:g}"
        return _moved(
            replace(seen, pending_ns=seen.read_ns), AlertState.PENDING if for_ns else AlertState.FIRING, reason
        )
    if seen.state is AlertState.RESOLVED and seen.read_ns - seen.since_ns >= RESOLVED_SHOWN_NS:
        return _moved(seen, AlertState.INACTIVE, f"quiet for {RESOLVED_SHOWN_NS // SECOND_NS} s since it was resolved")
    return seen, None


def _pending(before: Standing, seen: Standing, line: Line, for_ns: int, value: float) -> tuple[Standing, Change | None]:
    now_ns = seen.read_ns
    if value < line.at:
        return _moved(
            replace(seen, pending_ns=None), AlertState.INACTIVE, f"{value:.6g} fell below the line {line.at:g}"
        )
    unseen_ns = now_ns - before.read_ns
    if unseen_ns > max(for_ns, UNSEEN_MAX_NS):
        reason = f"no reading for {unseen_ns / SECOND_NS:.0f} s, so the wait of {for_ns / SECOND_NS:g} s starts again"
        return _moved(replace(seen, pending_ns=now_ns), AlertState.PENDING, reason)
    began_ns = now_ns if seen.pending_ns is None else seen.pending_ns
    if now_ns - began_ns >= for_ns:
        held = f"at or above the line {line.at:g} for {(now_ns - began_ns) / SECOND_NS:.0f} s"
        return _moved(seen, AlertState.FIRING, f"{value:.6g}: {held}")
    return seen, None


def _firing(seen: Standing, line: Line, value: float) -> tuple[Standing, Change | None]:
    if value <= line.recovery:
        reason = f"{value:.6g} is at or below the recovery line {line.recovery:g}"
        return _moved(replace(seen, pending_ns=None), AlertState.RESOLVED, reason)
    return seen, None


def _moved(seen: Standing, state: AlertState, reason: str) -> tuple[Standing, Change]:
    return replace(seen, state=state, since_ns=seen.read_ns), Change(seen.state, state, reason)
