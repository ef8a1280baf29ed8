import pyarrow as pa

from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS, ledger, new_id, request, requests, span, spans


def ids(*values: object) -> pa.Array:
    return pa.array(values, pa.binary(16))


def test_hops_are_one_per_span_even_where_a_span_is_stored_twice(store: Telemetry) -> None:
    row = span(replica="r1", commit_seq=4)
    store.writer.append_spans(spans(row, {**row, "commit_seq": 9, "replica": "r2"}))
    found = store.reader.hops(ids(row["trace_id"]))
    assert found.column("commit_seq").to_pylist() == [4]
    assert found.column("replica").to_pylist() == ["r1"]


def test_hops_of_other_traces_stay_out(store: Telemetry) -> None:
    wanted, other = span(), span()
    store.writer.append_spans(spans(wanted, other))
    assert store.reader.hops(ids(wanted["trace_id"], new_id(16))).num_rows == 1
    assert store.reader.hops(ids()).num_rows == 0


def test_hops_of_thousands_of_traces_come_in_one_answer(store: Telemetry) -> None:
    rows = [span() for _ in range(12_000)]
    store.writer.append_spans(spans(*rows))
    assert store.reader.hops(ids(*(row["trace_id"] for row in rows))).num_rows == 12_000


def test_stored_keys_are_exact(store: Telemetry) -> None:
    row = span()
    sibling = span(trace_id=row["trace_id"])
    store.writer.append_spans(spans(row, sibling, span(), row))
    found = store.reader.stored_keys(ids(row["trace_id"])).to_pylist()
    assert sorted(key["span_id"] for key in found) == sorted([row["span_id"], sibling["span_id"]])


def test_recent_keys_are_those_of_the_newest_commits(store: Telemetry) -> None:
    rows = [span(commit_seq=commit) for commit in (1, 1, 2, 2, 3, 3)]
    store.writer.append_spans(spans(*rows))
    store.writer.append_ledger(ledger(*({"commit_seq": commit, "records": 2} for commit in (1, 2, 3))))
    found = store.reader.recent_keys(3).column("span_id").to_pylist()
    assert len(found) == 3
    assert set(found[:2]) == {row["span_id"] for row in rows[4:]}
    assert found[2] in {row["span_id"] for row in rows[2:4]}
    assert store.reader.recent_keys(100).num_rows == 6


def test_the_highest_number_is_found_wherever_it_was_used(store: Telemetry) -> None:
    assert store.reader.highest_seq() == 0
    store.writer.append_ledger(ledger({"commit_seq": 3, "at_ns": START_NS}, {"commit_seq": 2, "at_ns": START_NS + 1}))
    assert store.reader.highest_seq() == store.reader.last_commit() == 3
    store.writer.append_spans(spans(span(commit_seq=5), span(commit_seq=4)))
    assert store.reader.highest_seq() == 5
    store.writer.append_requests(requests(request(version=7), request(version=6)))
    assert store.reader.highest_seq() == 7
    store.writer.append_ledger(ledger({"commit_seq": 9, "at_ns": START_NS - 10**15}))
    assert store.reader.highest_seq() == 9
    assert store.reader.last_commit() == 9


def test_recent_keys_hold_spans_of_a_commit_that_a_crash_cut_short(store: Telemetry) -> None:
    store.writer.append_spans(spans(span(commit_seq=1), span(commit_seq=2)))
    store.writer.append_ledger(ledger({"commit_seq": 1, "records": 1}))
    assert store.reader.recent_keys(10).num_rows == 2
    store.writer.append_spans(spans(span(commit_seq=3)))
    assert store.reader.recent_keys(1).num_rows == 1


def test_recent_keys_need_no_ledger(store: Telemetry) -> None:
    store.writer.append_spans(spans(span(commit_seq=1)))
    assert store.reader.recent_keys(10).num_rows == 1


def test_traces_after_a_commit_are_distinct(store: Telemetry) -> None:
    late = span(commit_seq=6)
    store.writer.append_spans(spans(span(commit_seq=5), late, span(trace_id=late["trace_id"], commit_seq=7)))
    assert store.reader.traces_after(5).to_pylist() == [late["trace_id"]]
    assert store.reader.traces_after(7).to_pylist() == []


def test_import_progress_counts_current_requests_once(store: Telemetry) -> None:
    rows = [request(second, import_id="i1", import_row=second) for second in range(3)]
    gone = {**rows[2], "version": 5, "is_retracted": True}
    store.writer.append_requests(requests(*rows, {**rows[0], "version": 2}, request(import_id="i2")))
    assert store.reader.import_progress("i1") == 3
    store.writer.append_requests(requests(gone))
    assert store.reader.import_progress("i1") == 2
    assert store.reader.import_progress("nothing") == 0
