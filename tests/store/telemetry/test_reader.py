import pyarrow as pa
import pytest

from store.contract import IngestReader, Rollup, TelemetryReader, TelemetryWriter
from store.control.open import Control
from store.telemetry import ingest_reads, request_reads
from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS, ledger, request, requests, span, spans
from vocabulary.errors import RefusedReadError, StoreUnavailableError
from vocabulary.pools import SECOND_NS, Pool, Window


def test_the_store_keeps_its_contract(telemetry: Telemetry, control: Control) -> None:
    reads: TelemetryReader = telemetry.reader
    ingests: IngestReader = telemetry.reader
    writes: TelemetryWriter = telemetry.writer
    rolls: Rollup = telemetry.rollup(control)
    assert reads.load_tests() == []
    assert ingests.last_commit() == 0
    assert rolls.pending() == 0
    assert writes is telemetry.writer


def test_the_last_commit_of_a_long_ledger_is_found_in_few_rows(telemetry: Telemetry) -> None:
    fill = "INSERT INTO ingest_ledger SELECT number, {} + number, 'traces', 'stored', 1, 1 FROM numbers(200000)"
    for first in (1, 200_001):
        telemetry.writes.execute_text(fill.format(first))
    near = telemetry.reads.scalar(ingest_reads.highest_of_newest_entries())
    assert telemetry.reader.last_commit() == 400_000
    assert telemetry.reads.rows_read(ingest_reads.highest_of_newest_entries()) < 50_000
    assert telemetry.reads.rows_read(ingest_reads.highest_entry_above(near)) < 50_000


def test_what_ingestion_must_know_has_no_cap(telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.telemetry.open.READ_LIMITS", {"max_result_rows": 3, "max_memory_usage": 1})
    rows = [span(commit_seq=2) for _ in range(10)]
    telemetry.writer.append_spans(spans(*rows))
    telemetry.writer.append_ledger(ledger({"commit_seq": 1}))
    small = Telemetry(telemetry.url, None)
    trace_ids = pa.array([row["trace_id"] for row in rows], pa.binary(16))
    assert small.reader.recent_keys(100).num_rows == 10
    assert small.reader.stored_keys(trace_ids).num_rows == 10
    assert small.reader.hops(trace_ids).num_rows == 10
    assert len(small.reader.traces_after(1)) == 10
    assert small.reader.highest_seq() == 2
    assert small.reader.import_progress("i1") == 0
    with pytest.raises(RefusedReadError):
        small.reader.spans(rows[0]["trace_id"], 10)
    small.close()


def test_a_read_of_ingestion_that_meets_a_bound_can_be_tried_again(
    telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.telemetry.open.INGEST_LIMITS", {"max_result_rows": 3})
    telemetry.writer.append_spans(spans(*(span() for _ in range(10))))
    small = Telemetry(telemetry.url, None)
    with pytest.raises(StoreUnavailableError, match="too many rows"):
        small.reader.recent_keys(10)
    small.close()


def test_a_ping_is_answered_or_says_that_the_store_is_not_available(telemetry: Telemetry) -> None:
    telemetry.reader.ping()
    gone = Telemetry("clickhousedb://127.0.0.1:1/peakline", None)
    with pytest.raises(StoreUnavailableError, match="does not answer"):
        gone.reader.ping()
    gone.close()


def test_a_snapshot_stays_with_its_build(telemetry: Telemetry, control: Control) -> None:
    hour = Window(START_NS, START_NS + 3_600 * SECOND_NS)
    before = telemetry.reader.snapshot()
    telemetry.writer.append_requests(requests(request(1)))
    rollup = telemetry.rollup(control)
    rollup.recover()
    rollup.run()
    assert telemetry.reader.snapshot().outcome_totals(hour)["completed"] == 1
    assert before.outcome_totals(hour)["completed"] == 0


def test_what_alerts_read_does_not_grow_with_the_hour(busy_hour: Telemetry) -> None:
    last = Window(START_NS + 3_540 * SECOND_NS, START_NS + 3_600 * SECOND_NS)
    for pool in (None, Pool("chat", "m")):
        assert busy_hour.reads.rows_read(request_reads.ended_in(pool, last)) < 40_000
