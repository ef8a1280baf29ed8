"""The way to ClickHouse, embedded or served: statements in, Arrow out, errors in the house's words."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from clickhouse_connect.driver.client import Client
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Engine
from sqlalchemy.sql import ClauseElement

from store.telemetry.failures import Use, translated

STATEMENT_BYTES = 8 * 2**20
READ_LIMITS: Mapping[str, object] = {
    "max_execution_time": 30,
    "max_memory_usage": 4 * 2**30,
    "max_result_rows": 2_000_000,
}
"""What one read for a screen may cost: seconds, bytes of memory, rows of answer."""

INGEST_LIMITS: Mapping[str, object] = {"max_execution_time": 600, "max_memory_usage": 8 * 2**30}
"""What one read of ingestion may cost: it asks for as much as it must know, millions of keys at a start."""

WRITE_LIMITS: Mapping[str, object] = {"max_partitions_per_insert_block": 0}
"""Backfill spans many weeks in one batch; the engine's default refuses more than 100 partitions."""

FORMATS: Mapping[str, object] = {
    "max_query_size": STATEMENT_BYTES,
    "join_use_nulls": 0,
    "output_format_arrow_string_as_string": 1,
    "output_format_arrow_fixed_string_as_fixed_byte_array": 1,
    "output_format_arrow_compression_method": "none",
}
"""Session settings: set once per connection, because a setting per call costs the embedded engine three statements."""


# The driver logs what it raises; it is told once, in the words of whoever catches it.
logging.getLogger("clickhouse_connect").addHandler(logging.NullHandler())


class Database:
    """A pool of connections with fixed session settings, for one use. Thread-safe."""

    def __init__(self, url: str, settings: Mapping[str, object], connections: int, use: Use) -> None:
        self.use = use
        self.engine: Engine = create_engine(url, pool_size=connections, max_overflow=2 * connections)
        self._settings = {**FORMATS, **settings}
        event.listen(self.engine, "connect", self._prepare)

    def _prepare(self, connection: Any, _record: object) -> None:
        for name, value in self._settings.items():
            connection.client.set_client_setting(name, value)

    @contextmanager
    def client(self) -> Iterator[Client]:
        """A client of the pool for one or more calls.

        raises  StoreUnavailableError, RefusedReadError
        """
        with translated(self.use), self.engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            try:
                yield driver.client
            except BaseException:
                # The embedded engine keeps what a failed statement had already answered and puts it before the
                # next answer of the same connection, so a connection that saw a failure is never used again.
                connection.invalidate()
                raise

    def compiled(self, statement: ClauseElement) -> tuple[str, dict[str, Any]]:
        """SQL text with %(name)s places, and their values."""
        compiled = statement.compile(dialect=self.engine.dialect, compile_kwargs={"render_postcompile": True})
        return str(compiled), dict(compiled.construct_params() or {})

    def table(self, statement: ClauseElement) -> pa.Table:
        """Answer of a SELECT."""
        sql, values = self.compiled(statement)
        with self.client() as client:
            answer = client.raw_query(sql, parameters=values, fmt="Arrow")
        return pa.ipc.open_file(answer).read_all()

    def rows(self, statement: ClauseElement) -> list[dict[str, Any]]:
        """Answer of a SELECT with few rows."""
        return self.table(statement).to_pylist()  # type: ignore[no-any-return]

    def scalar(self, statement: ClauseElement) -> int:
        """Answer of a SELECT of one number."""
        return int(self.table(statement).column(0)[0].as_py())

    def execute(self, statement: ClauseElement) -> None:
        """Run a statement without an answer."""
        sql, values = self.compiled(statement)
        with self.client() as client:
            client.command(sql, parameters=values)

    def execute_text(self, sql: str) -> None:
        """Run a statement that has no values: maintenance and definitions."""
        with self.client() as client:
            client.command(sql)

    def rows_read(self, statement: ClauseElement) -> int:
        """Rows that the engine touches for a SELECT: what bounds are tested with."""
        sql, values = self.compiled(statement)
        with self.client() as client:
            answer = client.raw_query(sql, parameters=values, fmt="JSON")
        return int(json.loads(answer)["statistics"]["rows_read"])

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()
