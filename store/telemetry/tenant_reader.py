"""The reader of somebody who is limited to tenants."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect
from sqlalchemy import func

from store.contract import RecordLedger
from store.telemetry.current import CurrentBuild
from store.telemetry.database import Database
from store.telemetry.latest import latest_requests
from store.telemetry.minute_reads import MinuteReads
from store.telemetry.request_reads import RequestReads
from store.telemetry.scope import Scope
from vocabulary.changes import ChangeEvent
from vocabulary.errors import RefusedReadError
from vocabulary.pools import Pool, Window


class TenantReader(RequestReads, MinuteReads):
    """The TelemetryReader of `store.contract` over the rows of some tenants; nothing that ingestion asks. Thread-safe.

    What cannot be told without other tenants' rows is unknown or refused here.
    """

    def __init__(self, screens: Database, build: CurrentBuild, scope: Scope) -> None:
        RequestReads.__init__(self, screens, scope)
        MinuteReads.__init__(self, screens, build, scope)

    def snapshot(self) -> "TenantReader":
        """A reader of the same tenants that stays with the build of now; raw requests are read as they are."""
        return TenantReader(self._database, replace(self.current_build), self._scope)

    def within(self, tenants: AbstractSet[str] | None) -> "TenantReader":
        """A reader of those of its tenants that are among `tenants`."""
        return TenantReader(self._database, self.current_build, self._scope.within(tenants))

    def in_flight(self, service: str, model: str, replica: str, at_ns: int, lookback_s: int = 3600) -> int | None:
        """Unknown: others' requests are in flight too."""
        del service, model, replica, at_ns, lookback_s
        return None

    def arrivals(self, pool: Pool | None, window: Window) -> tuple[int, int]:
        """Refused: alerts are about everybody's requests."""
        del pool, window
        message = "What arrives at a pool is told for all tenants together only; this reader is limited to some."
        raise RefusedReadError(message)

    def changes(self, window: Window, limit: int) -> Sequence[ChangeEvent]:
        """Nothing: changes belong to no tenant."""
        del window, limit
        return []

    def ingest_ledger(self, window: Window) -> Mapping[str, RecordLedger]:
        """Nothing: records belong to no tenant."""
        del window
        return {}

    def import_progress(self, import_id: str) -> int:
        """Requests of an import that belong to its tenants."""
        return self._database.scalar(imported(import_id, self._scope))


def imported(import_id: str, scope: Scope) -> ClickHouseSelect:
    """Number of current requests of an import in scope."""
    latest = latest_requests("is_retracted", "tenant", where=lambda columns: columns.import_id == import_id)
    return select(func.count()).select_from(latest).where(~latest.c.is_retracted, scope.admits(latest.c))
