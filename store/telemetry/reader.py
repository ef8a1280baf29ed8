"""One reader for everybody: what ingestion, analyses and screens ask of the telemetry store."""

from sqlalchemy import literal, select

from store.telemetry.current import CurrentBuild
from store.telemetry.database import Database
from store.telemetry.ingest_reads import IngestReads
from store.telemetry.minute_reads import MinuteReads
from store.telemetry.request_reads import RequestReads


class Reader(IngestReads, RequestReads, MinuteReads):
    """The TelemetryReader and the IngestReader of `store.contract`. Thread-safe.

    screens  for questions of people: bounded, a question too large is refused
    ingest   for what ingestion must know
    """

    def __init__(self, screens: Database, ingest: Database, build: CurrentBuild | None = None) -> None:
        IngestReads.__init__(self, ingest)
        MinuteReads.__init__(self, screens, build or CurrentBuild())

    def snapshot(self) -> "Reader":
        """A reader that stays with the build of now."""
        return Reader(self._database, self._ingest, CurrentBuild(self.current_build.number))

    def ping(self) -> None:
        """Ask nothing, only for an answer.

        raises  StoreUnavailableError when there is none
        """
        self._ingest.scalar(select(literal(1)))
