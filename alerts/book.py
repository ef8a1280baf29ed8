"""What the alerts need kept: a book of where every alert stands and how it came there."""

import json
from collections.abc import Sequence
from typing import Protocol

from store.control.alert_states import StoredAlert, StoredTransition
from vocabulary.pools import Pool


class AlertBook(Protocol):
    """Keeps alert states over restarts.

    raises  StoreUnavailableError when nothing can be read or written now
    """

    def states(self) -> Sequence[StoredAlert]:
        """Where every series of every rule stands."""

    def transitions(self, limit: int) -> Sequence[StoredTransition]:
        """The latest transitions, newest first."""

    def record(self, alert: StoredAlert, transition: StoredTransition | None) -> None:
        """Replace where the series stands and add the transition, both or neither; durable when it returns."""


class MemoryBook:
    """A book that is gone with the process: for trying rules out."""

    def __init__(self) -> None:
        self._states: dict[tuple[str, str], StoredAlert] = {}
        self._transitions: list[StoredTransition] = []

    def states(self) -> Sequence[StoredAlert]:
        return list(self._states.values())

    def transitions(self, limit: int) -> Sequence[StoredTransition]:
        return self._transitions[::-1][:limit]

    def record(self, alert: StoredAlert, transition: StoredTransition | None) -> None:
        self._states[alert.rule_id, alert.series] = alert
        if transition is not None:
            self._transitions.append(transition)


def series_of(pool: Pool) -> str:
    """The book's name of a pool: JSON, because model names hold slashes and colons."""
    return json.dumps([pool.service, pool.model], ensure_ascii=False)


def pool_of(series: str) -> Pool:
    """The pool that `series_of` named."""
    service, model = json.loads(series)
    return Pool(service, model)
