"""One reader for everybody: what ingestion, analyses and screens ask of the telemetry store."""

from store.telemetry.current import CurrentBuild
from store.telemetry.database import Database
from store.telemetry.ingest_reads import IngestReads
from store.telemetry.minute_reads import MinuteReads
from store.telemetry.request_reads import RequestReads


class Reader(IngestReads, RequestReads, MinuteReads):
    """The TelemetryReader and the IngestReader of `store.contract`. Thread-safe."""

    def __init__(self, database: Database) -> None:
        MinuteReads.__init__(self, database, CurrentBuild())
