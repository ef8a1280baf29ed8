from sqlalchemy import select

from store.telemetry import ingest_reads as reads
from store.telemetry.open import Telemetry
from store.telemetry.tables import spans
from tests.store.snapshot import assert_statement

KEY = bytes(range(16))


def test_hops_are_read_by_primary_key(large: Telemetry) -> None:
    trace_ids = large.reads.table(select(spans.c.trace_id).limit(3)).column(0).to_pylist()
    assert large.reads.rows_read(reads.hops_of(trace_ids)) < 20_000
    assert large.reads.rows_read(reads.keys_of(trace_ids)) < 20_000


def test_hops_of_unknown_traces_read_nearly_nothing(large: Telemetry) -> None:
    assert large.reads.rows_read(reads.hops_of([KEY])) < 2_000


def test_the_newest_keys_are_read_from_the_newest_parts(large: Telemetry) -> None:
    assert large.reads.rows_read(reads.keys_since(99, 10)) == 0


def test_statements_are_those_of_the_snapshots(large: Telemetry) -> None:
    shown = {
        "ingest_first_commit": reads.first_commit_of_newest(1000),
        "ingest_keys_since": reads.keys_since(7, 1000),
        "ingest_keys_of": reads.keys_of([KEY, KEY]),
        "ingest_hops": reads.hops_of([KEY]),
        "ingest_import": reads.requests_of_import("it's"),
    }
    for name, statement in shown.items():
        assert_statement(name, large.reads, statement)
