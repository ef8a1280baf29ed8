"""One reader for everybody: what ingestion, analyses and screens ask of the telemetry store."""

from collections.abc import Set as AbstractSet
from dataclasses import replace

from sqlalchemy import literal, select

from store.telemetry.change_reads import ChangeReads
from store.telemetry.current import CurrentBuild
from store.telemetry.database import Database
from store.telemetry.ingest_reads import IngestReads
from store.telemetry.minute_reads import MinuteReads
from store.telemetry.request_reads import RequestReads
from store.telemetry.scope import EVERYBODY
from store.telemetry.tenant_reader import TenantReader


class Reader(IngestReads, RequestReads, MinuteReads, ChangeReads):
    """The TelemetryReader and the IngestReader of `store.contract`. Thread-safe.

    screens  for questions of people: bounded, a question too large is refused
    ingest   for what ingestion must know
    """

    def __init__(self, screens: Database, ingest: Database, build: CurrentBuild | None = None) -> None:
        IngestReads.__init__(self, ingest)
        ChangeReads.__init__(self, screens)
        RequestReads.__init__(self, screens, EVERYBODY)
        MinuteReads.__init__(self, screens, build or CurrentBuild(), EVERYBODY)

    def snapshot(self) -> "Reader":
        """A reader that stays with the build of now."""
        return Reader(self._database, self._ingest, replace(self.current_build))

    def within(self, tenants: AbstractSet[str] | None) -> "Reader | TenantReader":
        """A reader that sees the rows of these tenants only; this one for None."""
        if tenants is None:
            return self
        return TenantReader(self._database, self.current_build, self._scope.within(tenants))

    def ping(self) -> None:
        """Ask nothing, only for an answer.

        raises  StoreUnavailableError when there is none
        """
        self._ingest.scalar(select(literal(1)))
