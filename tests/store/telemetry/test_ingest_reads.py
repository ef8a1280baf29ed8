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
    """One in a hundred times the index lets a granule pass that holds none of them: of several, most read nothing."""
    unknown = [bytes([number]) + KEY[1:] for number in range(5)]
    assert sorted(large.reads.rows_read(reads.hops_of([key])) for key in unknown)[2] < 2_000


def test_the_newest_keys_are_read_from_the_ends_of_parts(large: Telemetry) -> None:
    assert large.reads.rows_read(reads.newest_keys(10)) < 12_000


def test_the_highest_numbers_are_known_without_a_scan(large: Telemetry) -> None:
    assert large.reads.rows_read(reads.highest_of_spans()) <= 5
    assert large.reads.rows_read(reads.highest_version_above(5)) <= 5


def test_statements_are_those_of_the_snapshots(large: Telemetry) -> None:
    shown = {
        "ingest_newest_keys": reads.newest_keys(1000),
        "ingest_highest_version": reads.highest_version_above(7),
        "ingest_newest_entries": reads.highest_of_newest_entries(),
        "ingest_entry_above": reads.highest_entry_above(7),
        "ingest_keys_of": reads.keys_of([KEY, KEY]),
        "ingest_hops": reads.hops_of([KEY]),
        "ingest_import": reads.requests_of_import("it's"),
    }
    for name, statement in shown.items():
        assert_statement(name, large.reads, statement)
