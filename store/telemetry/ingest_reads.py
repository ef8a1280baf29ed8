"""What ingestion reads back: keys already stored, hops of earlier batches, where a crash stopped."""

import pyarrow as pa
from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect
from sqlalchemy import func

from store.telemetry.columns import HOPS, SPANS
from store.telemetry.database import Database
from store.telemetry.ids import chunks, id_set
from store.telemetry.latest import latest_requests
from store.telemetry.tables import ingest_ledger, requests, spans

KEYS = (spans.c.trace_id, spans.c.span_id)
TRACE_ID_BYTES = 16
NEWEST_ENTRIES = 1000
HOP_COLUMNS = (*HOPS.names, "commit_seq")
HOP_SCHEMA = pa.schema([SPANS.field(name) for name in HOP_COLUMNS])
KEY_SCHEMA = pa.schema([SPANS.field("trace_id"), SPANS.field("span_id")])


class IngestReads:
    """The IngestReader of `store.contract`.

    database  has no cap on rows: ingestion must know all keys, a refusal would cost what was acknowledged
    """

    def __init__(self, database: Database) -> None:
        self._ingest = database

    def last_commit(self) -> int:
        """Highest commit_seq in the ledger."""
        return last_commit(self._ingest)

    def highest_seq(self) -> int:
        """Highest number in the ledger, in spans or in request versions."""
        found = max(self.last_commit(), self._ingest.scalar(highest_of_spans()))
        return max(found, self._ingest.scalar(highest_version_above(found)))

    def recent_keys(self, limit: int) -> pa.Table:
        """Keys of the newest spans."""
        return self._ingest.table(newest_keys(limit)).cast(KEY_SCHEMA)

    def stored_keys(self, trace_ids: pa.Array) -> pa.Table:
        """Keys of all stored spans of these traces."""
        parts = [self._ingest.table(keys_of(ids)) for ids in chunks(trace_ids)]
        return pa.concat_tables([KEY_SCHEMA.empty_table(), *(part.cast(KEY_SCHEMA) for part in parts)])

    def hops(self, trace_ids: pa.Array) -> pa.Table:
        """Stored spans of these traces, one per key."""
        parts = [self._ingest.table(hops_of(ids)) for ids in chunks(trace_ids)]
        return pa.concat_tables([HOP_SCHEMA.empty_table(), *(part.cast(HOP_SCHEMA) for part in parts)])

    def traces_after(self, commit_seq: int) -> pa.Array:
        """Distinct traces of spans with a higher commit_seq."""
        wanted = select(spans.c.trace_id).distinct().where(spans.c.commit_seq > commit_seq)
        return self._ingest.table(wanted).column("trace_id").combine_chunks()

    def import_progress(self, import_id: str) -> int:
        """Requests of an import."""
        return self._ingest.scalar(requests_of_import(import_id))


def last_commit(database: Database) -> int:
    """Highest commit_seq in the ledger: the highest of its newest rows, or one above it that stands elsewhere."""
    near = database.scalar(highest_of_newest_entries())
    return max(near, database.scalar(highest_entry_above(near)))


def highest_of_newest_entries() -> ClickHouseSelect:
    """Highest commit_seq among the newest ledger rows, 0 for an empty ledger; the ledger is sorted by time."""
    newest = select(ingest_ledger.c.commit_seq).order_by(ingest_ledger.c.at_ns.desc()).limit(NEWEST_ENTRIES)
    return select(func.max(newest.subquery("newest").c.commit_seq))


def highest_entry_above(commit_seq: int) -> ClickHouseSelect:
    """Highest commit_seq of any ledger row above a known one, else 0; the index on commits skips all others."""
    return select(func.max(ingest_ledger.c.commit_seq)).where(ingest_ledger.c.commit_seq > commit_seq)


def highest_of_spans() -> ClickHouseSelect:
    """Highest commit_seq of any span: the engine knows it of every part, as spans are sorted by it."""
    return select(func.max(spans.c.commit_seq))


def highest_version_above(commit_seq: int) -> ClickHouseSelect:
    """Highest version of any request above a known number, else 0; the index on versions skips all others."""
    return select(func.max(requests.c.version)).where(requests.c.version > commit_seq)


def newest_keys(limit: int) -> ClickHouseSelect:
    """Keys of the newest spans; read from the end of each part, as spans are sorted by commit."""
    return select(*KEYS).order_by(spans.c.commit_seq.desc()).limit(limit)


def keys_of(trace_ids: list[bytes]) -> ClickHouseSelect:
    """Keys of the spans of some traces."""
    return select(*KEYS).distinct().where(spans.c.trace_id.in_(id_set(trace_ids, TRACE_ID_BYTES)))


def hops_of(trace_ids: list[bytes]) -> ClickHouseSelect:
    """Hop columns of the spans of some traces; of a span stored twice the first commit counts."""
    wanted = select(*(spans.c[name] for name in HOP_COLUMNS))
    found = wanted.where(spans.c.trace_id.in_(id_set(trace_ids, TRACE_ID_BYTES)))
    return found.order_by(*KEYS, spans.c.commit_seq).limit_by(KEYS, 1)


def requests_of_import(import_id: str) -> ClickHouseSelect:
    """Number of current requests of an import."""
    current = latest_requests("is_retracted", where=lambda c: c.import_id == import_id)
    return select(func.count()).select_from(current).where(~current.c.is_retracted)
