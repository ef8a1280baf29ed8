"""What ingestion reads back: keys already stored, hops of earlier batches, where a crash stopped."""

import pyarrow as pa
from clickhouse_connect.cc_sqlalchemy import select
from clickhouse_connect.cc_sqlalchemy.sql import ClickHouseSelect
from sqlalchemy import func

from store.telemetry.columns import HOPS, SPANS
from store.telemetry.database import Database
from store.telemetry.ids import chunks, id_set
from store.telemetry.latest import latest_requests
from store.telemetry.tables import ingest_ledger, spans

KEYS = (spans.c.trace_id, spans.c.span_id)
TRACE_ID_BYTES = 16
HOP_COLUMNS = (*HOPS.names, "commit_seq")
HOP_SCHEMA = pa.schema([SPANS.field(name) for name in HOP_COLUMNS])
KEY_SCHEMA = pa.schema([SPANS.field("trace_id"), SPANS.field("span_id")])


class IngestReads:
    """The IngestReader of `store.contract`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def last_commit(self) -> int:
        """Highest commit_seq in the ledger."""
        return self._database.scalar(select(func.max(ingest_ledger.c.commit_seq)))

    def recent_keys(self, limit: int) -> pa.Table:
        """Keys of the newest spans; the ledger tells from which commit on they are read."""
        first = self._database.scalar(first_commit_of_newest(limit))
        return self._database.table(keys_since(first, limit)).cast(KEY_SCHEMA)

    def stored_keys(self, trace_ids: pa.Array) -> pa.Table:
        """Keys of all stored spans of these traces."""
        parts = [self._database.table(keys_of(ids)) for ids in chunks(trace_ids)]
        return pa.concat_tables([KEY_SCHEMA.empty_table(), *(part.cast(KEY_SCHEMA) for part in parts)])

    def hops(self, trace_ids: pa.Array) -> pa.Table:
        """Stored spans of these traces, one per key."""
        parts = [self._database.table(hops_of(ids)) for ids in chunks(trace_ids)]
        return pa.concat_tables([HOP_SCHEMA.empty_table(), *(part.cast(HOP_SCHEMA) for part in parts)])

    def traces_after(self, commit_seq: int) -> pa.Array:
        """Distinct traces of spans with a higher commit_seq."""
        wanted = select(spans.c.trace_id).distinct().where(spans.c.commit_seq > commit_seq)
        return self._database.table(wanted).column("trace_id").combine_chunks()

    def import_progress(self, import_id: str) -> int:
        """Requests of an import."""
        return self._database.scalar(requests_of_import(import_id))


def first_commit_of_newest(limit: int) -> ClickHouseSelect:
    """Lowest commit_seq among the newest commits that together hold at least `limit` spans."""
    commits = (
        select(ingest_ledger.c.commit_seq, func.sum(ingest_ledger.c.records).label("records"))
        .where(ingest_ledger.c.signal == "traces", ingest_ledger.c.reason == "stored")
        .group_by(ingest_ledger.c.commit_seq)
        .subquery("commits")
    )
    newer = func.sum(commits.c.records).over(order_by=commits.c.commit_seq.desc()) - commits.c.records
    running = select(commits.c.commit_seq, newer.label("newer")).subquery("running")
    return select(func.min(running.c.commit_seq)).where(running.c.newer < limit)


def keys_since(commit_seq: int, limit: int) -> ClickHouseSelect:
    """Keys of spans from a commit on, newest first."""
    newest = select(*KEYS).where(spans.c.commit_seq >= commit_seq).order_by(spans.c.commit_seq.desc())
    return newest.limit(limit)


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
