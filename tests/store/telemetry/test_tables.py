import pyarrow as pa
from sqlalchemy import Table, text
from sqlalchemy.schema import CreateTable

from store.telemetry import columns
from store.telemetry.open import Telemetry
from store.telemetry.tables import SKIP_INDEXES, TELEMETRY, column_type, ingest_ledger, requests, spans
from tests.store.snapshot import assert_snapshot


def declared(store: Telemetry, table: Table) -> list[tuple[str, str]]:
    compiler = store.reads.engine.dialect.type_compiler_instance
    return [(column.name, compiler.process(column.type)) for column in table.columns]


def test_migrations_end_at_the_declared_columns(telemetry: Telemetry) -> None:
    for table in TELEMETRY.sorted_tables:
        rows = telemetry.reads.rows(text(f"SELECT name, type FROM system.columns WHERE table = '{table}'"))
        assert [(row["name"], row["type"]) for row in rows] == declared(telemetry, table)


def sort_key(ddl: str) -> list[str]:
    """Columns of an ORDER BY clause, with or without parentheses."""
    clause = ddl.split("ORDER BY ")[1].split("SETTINGS", maxsplit=1)[0].split("PARTITION", maxsplit=1)[0]
    return [name.strip(" ()\n") for name in clause.split(",")]


def test_migrations_end_at_the_declared_engines_and_keys(telemetry: Telemetry) -> None:
    rows = telemetry.reads.rows(text("SELECT name, engine_full FROM system.tables WHERE database = currentDatabase()"))
    engines = {row["name"]: row["engine_full"] for row in rows}
    for table in TELEMETRY.sorted_tables:
        ddl = str(CreateTable(table).compile(dialect=telemetry.reads.engine.dialect))
        assert sort_key(engines[table.name]) == sort_key(ddl)
        assert "fsync_after_insert = 1" in engines[table.name]
        assert "fsync_part_directory = 1" in engines[table.name]


def test_migrations_end_at_the_declared_skip_indexes(telemetry: Telemetry) -> None:
    wanted = {(table.name, name, kind, granularity) for table, name, _, kind, granularity in SKIP_INDEXES}
    rows = telemetry.reads.rows(text("SELECT table, name, type_full, granularity FROM system.data_skipping_indices"))
    assert {(row["table"], row["name"], row["type_full"], row["granularity"]) for row in rows} == wanted


def test_sql_columns_have_the_names_of_the_arrow_schemas() -> None:
    pairs = ((spans, columns.SPANS), (requests, columns.REQUESTS), (ingest_ledger, columns.LEDGER))
    assert all(table.columns.keys() == schema.names for table, schema in pairs)


def test_texts_are_never_null_and_everything_else_unknown_is() -> None:
    assert column_type(pa.string(), repeats=True, nullable=False).name == "LowCardinality(String)"
    assert column_type(pa.float64(), nullable=True).name == "Nullable(Float64)"
    assert column_type(pa.map_(pa.string(), pa.int64())).name == "Map(LowCardinality(String), Int64)"


def test_the_schema_is_the_one_in_the_snapshot(telemetry: Telemetry) -> None:
    ddl = [str(CreateTable(table).compile(dialect=telemetry.reads.engine.dialect)) for table in TELEMETRY.sorted_tables]
    assert_snapshot("tables", "\n\n".join(text.replace(", `", ",\n    `").strip() for text in ddl))
