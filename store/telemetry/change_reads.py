"""Change events of a window, newest first."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect

from store.telemetry.bounds import check_limit, check_window
from store.telemetry.columns import CHANGES
from store.telemetry.database import Database
from store.telemetry.tables import change_events
from vocabulary.changes import ChangeEvent, ChangeKind
from vocabulary.pools import Window

CHANGES_MAX = 5000


class ChangeReads:
    """The part of TelemetryReader that reads change events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def changes(self, window: Window, limit: int) -> Sequence[ChangeEvent]:
        """Change events of the window, newest first."""
        check_window(window)
        check_limit(limit, CHANGES_MAX, "change events")
        return [_change(row) for row in self._database.rows(newest_changes(window, limit))]


def newest_changes(window: Window, limit: int) -> ClickHouseSelect:
    """Change events of a window, one per id, newest first; of two at one time the one with the higher id."""
    at_ns, event_id = change_events.c.at_ns, change_events.c.event_id
    found = select(*(change_events.c[name] for name in CHANGES.names))
    within = found.where(at_ns >= window.start_ns, at_ns < window.end_ns)
    return within.order_by(at_ns.desc(), event_id.desc()).limit_by([event_id], 1).limit(limit)


def _change(row: Mapping[str, Any]) -> ChangeEvent:
    return ChangeEvent(**{**row, "kind": ChangeKind(row["kind"]), "detail": orjson.loads(row["detail"])})
