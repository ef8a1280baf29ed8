"""Evaluation: read every rule's metric for each of its pools, step its state, write down what changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from alerts.book import AlertBook, pool_of, series_of
from alerts.reading import Reading
from alerts.rules import Rule
from alerts.state import AlertState, Change, Standing, step
from store.control.alert_states import StoredAlert, StoredTransition
from vocabulary.errors import PeaklineError
from vocabulary.pools import Pool

Read = Callable[[Pool, int], Reading]
"""The metric of a pool over the last so many seconds."""


class Evaluator:
    """Keeps alerts up to date; call `evaluate` every few seconds, from one thread.

    rules     the rules in force
    read      the load of a pool over the last so many seconds
    book      where states survive a restart
    clock_ns  now, nanoseconds since the epoch
    pools     pools with recent production traffic
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        read: Read,
        book: AlertBook,
        clock_ns: Callable[[], int],
        pools: Callable[[], Iterable[Pool]],
    ) -> None:
        self._rules = rules
        self._read = read
        self._book = book
        self._clock_ns = clock_ns
        self._pools = pools
        self._known = {(alert.rule_id, alert.series): alert for alert in book.states()}

    def adopt(self, rules: Sequence[Rule]) -> None:
        """Other rules, from the next round on; alerts of rules that are gone are withdrawn then. From any thread."""
        self._rules = rules

    def evaluate(self) -> Sequence[StoredTransition]:
        """One round over all rules and pools; returns the transitions it wrote.

        raises  StoreUnavailableError, what was written before it stays and the next round goes on from there;
                FailedReadingsError at the end of a round that could not read some pools
        """
        now_ns, rules = self._clock_ns(), self._rules
        readings = Readings(self._read)
        active = frozenset(self._pools())
        steps = [self._withdrawn(rules, now_ns), *(self._watch(rule, active, readings, now_ns) for rule in rules)]
        written = [transition for transitions in steps for transition in transitions]
        if readings.failed:
            raise FailedReadingsError(readings.failed)
        return written

    def _watch(
        self, rule: Rule, active: frozenset[Pool], readings: "Readings", now_ns: int
    ) -> Iterator[StoredTransition]:
        for pool in self._pools_of(rule, active):
            series, value = series_of(pool), readings.value(pool, rule.over_s)
            known = self._known.get((rule.id, series))
            if value is None and known is None and rule.pool is None:
                continue  # a pool of imports or load tests alone: alerts are about production
            after, change = step(standing_of(known, now_ns), rule.line, rule.for_ns, value, now_ns)
            alert = stored(rule, series, after)
            transition = None if change is None else noted(rule, series, change, after, now_ns)
            yield from self._write(alert, transition)

    def _pools_of(self, rule: Rule, active: frozenset[Pool]) -> list[Pool]:
        """Pools with traffic, and pools the book knows: an alert does not end because its pool fell silent."""
        stored_pools = (pool_of(series) for rule_id, series in self._known if rule_id == rule.id)
        named = () if rule.pool is None else (rule.pool,)
        return sorted({pool for pool in (*active, *stored_pools, *named) if rule.watches(pool)})

    def _withdrawn(self, in_force: Sequence[Rule], now_ns: int) -> Iterator[StoredTransition]:
        """End alerts whose rule is gone, or no longer watches their pool."""
        rules = {rule.id: rule for rule in in_force}
        for alert in list(self._known.values()):
            rule = rules.get(alert.rule_id)
            is_watched = rule is not None and rule.watches(pool_of(alert.series))
            if not is_watched and alert.state != AlertState.INACTIVE:
                yield from self._write(*withdrawn(alert, now_ns))

    def _write(self, alert: StoredAlert, transition: StoredTransition | None) -> Iterator[StoredTransition]:
        key = (alert.rule_id, alert.series)
        if alert == self._known.get(key):
            return
        self._book.record(alert, transition)
        self._known[key] = alert
        if transition is not None:
            yield transition


class FailedReadingsError(PeaklineError):
    """Some pools could not be read in a round; their alerts stand where they stood, without data."""

    permanent = False

    def __init__(self, failed: Mapping[Pool, PeaklineError]) -> None:
        pool, why = next(iter(failed.items()))
        super().__init__(f"{len(failed)} pools cannot be read, among them {series_of(pool)}: {why}")


class Readings:
    """Reads each pool and window once per round, however many rules ask; a pool that cannot be read has no data.

    failed  why a pool could not be read
    """

    def __init__(self, read: Read) -> None:
        self.failed: dict[Pool, PeaklineError] = {}
        self._read = read
        self._seen: dict[tuple[Pool, int], float | None] = {}

    def value(self, pool: Pool, window_s: int) -> float | None:
        key = (pool, window_s)
        if key not in self._seen:
            self._seen[key] = self._value(pool, window_s)
        return self._seen[key]

    def _value(self, pool: Pool, window_s: int) -> float | None:
        try:
            return self._read(pool, window_s).value
        except PeaklineError as problem:
            self.failed.setdefault(pool, problem)
            return None


def standing_of(alert: StoredAlert | None, now_ns: int) -> Standing:
    """The state machine's view of a row of the book; a new series is inactive since now."""
    if alert is None:
        return Standing(since_ns=now_ns)
    return Standing(AlertState(alert.state), alert.since_ns, alert.pending_since_ns, alert.updated_ns, alert.value)


def stored(rule: Rule, series: str, standing: Standing) -> StoredAlert:
    """The book's row of a standing."""
    return StoredAlert(
        rule_id=rule.id,
        series=series,
        state=standing.state,
        since_ns=standing.since_ns,
        pending_since_ns=standing.pending_ns,
        value=standing.value,
        line=rule.line.at,
        updated_ns=standing.read_ns,
    )


def noted(rule: Rule, series: str, change: Change, after: Standing, now_ns: int) -> StoredTransition:
    """The book's row of a change."""
    return StoredTransition(
        rule_id=rule.id,
        series=series,
        from_state=change.from_state,
        to_state=change.to_state,
        at_ns=now_ns,
        value=after.value,
        line=rule.line.at,
        recovery_line=rule.line.recovery,
        rule_digest=rule.digest,
        reason=change.reason,
    )


def withdrawn(alert: StoredAlert, now_ns: int) -> tuple[StoredAlert, StoredTransition]:
    """The rows that end an alert which no rule watches any more; the line is the last one it was judged by."""
    inactive = AlertState.INACTIVE
    ended = StoredAlert(alert.rule_id, alert.series, inactive, now_ns, None, None, alert.line, alert.updated_ns)
    reason = "the rule was withdrawn, or no longer watches this pool"
    transition = StoredTransition(
        *(alert.rule_id, alert.series, alert.state, inactive, now_ns),
        *(alert.value, alert.line, alert.line, "", reason),
    )
    return ended, transition
