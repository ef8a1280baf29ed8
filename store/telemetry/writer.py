"""Appending facts: Arrow tables in, rows on disk when the call returns."""

from collections.abc import Iterable
from threading import Lock

import numpy as np
import orjson
import pyarrow as pa
from sqlalchemy import Table

from store.telemetry import columns, tables
from store.telemetry.database import Database
from store.telemetry.incoming import Incoming
from vocabulary.changes import ChangeEvent


class Writer:
    """The TelemetryWriter of `store.contract`.

    incoming  where batches lie for the embedded engine; None sends them to a server
    """

    def __init__(self, database: Database, incoming: Incoming | None) -> None:
        self._database = database
        self._incoming = incoming
        self._changes = Lock()

    def append_spans(self, rows: pa.Table) -> None:
        """Store spans in SPANS columns."""
        self._append(tables.spans, rows, columns.SPANS)

    def append_requests(self, rows: pa.Table) -> None:
        """Store versions of requests in REQUESTS columns."""
        self._append(tables.requests, rows, columns.REQUESTS)

    def append_ledger(self, rows: pa.Table) -> None:
        """Store ledger rows in LEDGER columns."""
        self._append(tables.ingest_ledger, rows, columns.LEDGER)

    def append_changes(self, changes: Iterable[ChangeEvent]) -> None:
        """Store change events. Thread-safe beside every other verb: its table and its file are its own."""
        rows = pa.Table.from_pylist([_change_row(change) for change in changes], columns.CHANGES)
        with self._changes:
            self._append(tables.change_events, rows, columns.CHANGES)

    def _append(self, table: Table, rows: pa.Table, schema: pa.Schema) -> None:
        if rows.num_rows == 0:
            return
        batch = rows.select(schema.names).cast(schema)
        if self._incoming is None:
            with self._database.client() as client:
                client.insert_arrow(table.name, batch)
            return
        batch = batch.select([name for name in schema.names if tells(batch[name])])
        columns_told = ", ".join(batch.column_names)
        with self._database.client() as client, self._incoming.file(table.name, batch) as path:
            client.command(f"INSERT INTO {table.name} ({columns_told}) FROM INFILE {path} FORMAT Arrow")


def _change_row(change: ChangeEvent) -> dict[str, object]:
    told = {name: getattr(change, name) for name in columns.CHANGES.names}
    return {**told, "kind": change.kind.value, "detail": orjson.dumps(dict(change.detail)).decode()}


def tells(column: pa.ChunkedArray) -> bool:
    """Whether a column holds anything but its default: NULL, an empty text, list or map. The engine fills those in."""
    if column.null_count == len(column):
        return False
    is_sized = pa.types.is_string(column.type) or pa.types.is_list(column.type) or pa.types.is_map(column.type)
    return not is_sized or any(_length(chunk) for chunk in column.chunks)


def _length(array: pa.Array) -> int:
    """Bytes or items that an array of texts, lists or maps refers to."""
    if len(array) == 0:
        return 0
    ends = np.frombuffer(array.buffers()[1], np.int32)
    return int(ends[array.offset + len(array)] - ends[array.offset])
