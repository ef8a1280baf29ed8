"""The alert book: where every alert stands, and every transition it made, in the control database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import Column, Connection, Engine, Table, delete, insert, select
from sqlalchemy.exc import OperationalError

from store.control.tables import alert_states, alert_transitions
from vocabulary.errors import StoreUnavailableError

TRANSITIONS_MAX = 1000


@dataclass(frozen=True, slots=True)
class StoredAlert:
    """Where a rule stands for a series.

    series            the watched series, as the rule's owner writes it
    since_ns          when the state began
    pending_since_ns  when the rule began to hold, None while it does not
    value             the latest reading, None when the latest evaluation had none
    line              the line that the value was compared with
    updated_ns        last evaluation that had a reading
    """

    rule_id: str
    series: str
    state: str
    since_ns: int
    pending_since_ns: int | None
    value: float | None
    line: float
    updated_ns: int


@dataclass(frozen=True, slots=True)
class StoredTransition:
    """One step from state to state, with the lines it was judged by and the digest of the rule."""

    rule_id: str
    series: str
    from_state: str
    to_state: str
    at_ns: int
    value: float | None
    line: float
    recovery_line: float
    rule_digest: str
    reason: str


def _columns(record: type[StoredAlert | StoredTransition], table: Table) -> list[Column[Any]]:
    return [table.c[field.name] for field in fields(record)]


class SqlAlertBook:
    """Alert states on the control engine; survives restarts. Thread-safe as the engine is.

    raises  StoreUnavailableError when the database is locked for long, full or gone
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def states(self) -> Sequence[StoredAlert]:
        """Where every series of every rule stands, by rule and series."""
        wanted = select(*_columns(StoredAlert, alert_states)).order_by(alert_states.c.rule_id, alert_states.c.series)
        with self._transaction() as connection:
            return [StoredAlert(**row) for row in connection.execute(wanted).mappings()]

    def transitions(self, limit: int) -> Sequence[StoredTransition]:
        """The latest transitions, newest first, at most `limit` (<= 1000)."""
        newest_first = (alert_transitions.c.at_ns.desc(), alert_transitions.c.id.desc())
        wanted = select(*_columns(StoredTransition, alert_transitions)).order_by(*newest_first)
        with self._transaction() as connection:
            rows = connection.execute(wanted.limit(min(limit, TRANSITIONS_MAX))).mappings()
            return [StoredTransition(**row) for row in rows]

    def record(self, alert: StoredAlert, transition: StoredTransition | None) -> None:
        """Replace where the series stands and add the transition, both or neither; on disk when it returns."""
        this_series = (alert_states.c.rule_id == alert.rule_id) & (alert_states.c.series == alert.series)
        with self._transaction() as connection:
            connection.execute(delete(alert_states).where(this_series))
            connection.execute(insert(alert_states).values(asdict(alert)))
            if transition is not None:
                connection.execute(insert(alert_transitions).values(asdict(transition)))

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except OperationalError as fault:
            raise StoreUnavailableError(f"The alert book cannot be used now: {fault.orig}.") from fault
