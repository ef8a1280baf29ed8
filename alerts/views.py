"""Alerts as people see them: what the API serialises and the dashboard draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from alerts.book import AlertBook, pool_of
from alerts.rules import LineKind, Rule
from alerts.state import AlertState
from vocabulary.pools import Pool

LOUDEST_FIRST = (AlertState.FIRING, AlertState.PENDING, AlertState.RESOLVED, AlertState.INACTIVE)


@dataclass(frozen=True, slots=True)
class AlertView:
    """Where one rule stands for one pool.

    since_ns       when the state began
    value          latest reading in the unit of the metric, None when there is none
    line           at or above it the rule holds; `line_kind` must be shown wherever it is drawn
    recovery_line  at or below it a firing alert is resolved
    no_data        True while there is no reading; the state is the last known one then
    updated_ns     last evaluation that had a reading, 0 for never
    """

    rule_id: str
    summary: str
    service: str
    model: str
    state: str
    since_ns: int
    value: float | None
    line: float
    recovery_line: float
    line_kind: str
    severity: str
    metric: str
    no_data: bool
    updated_ns: int


@dataclass(frozen=True, slots=True)
class TransitionView:
    """One step of an alert from state to state, with the lines in force then, their kind, and the reason in words."""

    rule_id: str
    service: str
    model: str
    from_state: str
    to_state: str
    at_ns: int
    value: float | None
    line: float
    recovery_line: float
    reason: str
    line_kind: str


@dataclass(frozen=True, slots=True)
class LineView:
    """A line to draw on a pool's chart of `metric`, labelled with its kind."""

    rule_id: str
    summary: str
    metric: str
    at: float
    recovery: float
    line_kind: str
    severity: str


class AlertsView:
    """Reads alerts from the book, so that it also works in a process that evaluates nothing. Thread-safe."""

    def __init__(self, rules: Sequence[Rule], book: AlertBook) -> None:
        self._rules = {rule.id: rule for rule in rules}
        self._book = book

    def adopt(self, rules: Sequence[Rule]) -> None:
        """Other rules from now on."""
        self._rules = {rule.id: rule for rule in rules}

    def states(self) -> Sequence[AlertView]:
        """Every pool of every rule in force: firing first, then the latest change first."""
        views = [
            _alert(rule, pool, alert.state, alert.since_ns, alert.value, alert.updated_ns)
            for alert in self._book.states()
            if (rule := self._rules.get(alert.rule_id)) and rule.watches(pool := pool_of(alert.series))
        ]
        return sorted(views, key=lambda view: (LOUDEST_FIRST.index(AlertState(view.state)), -view.since_ns))

    def transitions(self, limit: int) -> Sequence[TransitionView]:
        """The latest transitions, newest first, at most `limit` (<= 1000); those of withdrawn rules too."""
        return [
            TransitionView(
                *(row.rule_id, (pool := pool_of(row.series)).service, pool.model, row.from_state, row.to_state),
                *(row.at_ns, row.value, row.line, row.recovery_line, row.reason),
                line_kind=self._line_kind(row.rule_id),
            )
            for row in self._book.transitions(limit)
        ]

    def _line_kind(self, rule_id: str) -> LineKind:
        """Of the rule; one that was withdrawn had a fixed line, as only those have written transitions so far."""
        rule = self._rules.get(rule_id)
        return rule.line.kind if rule else LineKind.FIXED

    def rule_lines(self, pool: Pool) -> Sequence[LineView]:
        """Warning lines of the rules that watch `pool`, lowest first."""
        lines = [
            LineView(
                *(rule.id, rule.summary, rule.metric),
                *(rule.line.at, rule.line.recovery),
                *(rule.line.kind, rule.severity),
            )
            for rule in self._rules.values()
            if rule.watches(pool)
        ]
        return sorted(lines, key=lambda line: line.at)


def _alert(rule: Rule, pool: Pool, state: str, since_ns: int, value: float | None, updated_ns: int) -> AlertView:
    return AlertView(
        rule_id=rule.id,
        summary=rule.summary,
        service=pool.service,
        model=pool.model,
        state=state,
        since_ns=since_ns,
        value=value,
        line=rule.line.at,
        recovery_line=rule.line.recovery,
        line_kind=rule.line.kind,
        severity=rule.severity,
        metric=rule.metric,
        no_data=value is None,
        updated_ns=updated_ns,
    )
