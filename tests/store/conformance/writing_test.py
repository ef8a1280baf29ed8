import pyarrow as pa

from store.telemetry.open import Telemetry
from tests.factories.stores import ledger, new_id, request, requests, span, spans


def test_a_span_comes_back_as_it_went_in(store: Telemetry) -> None:
    first = span(
        parent_span_id=bytes([0, 255, 39, 92, 10, 13, 0, 1]),
        status_code=2,
        stream=True,
        end_ns=None,
        attr_text=[("a'\\%s", "é\n")],
        attr_int=[("n", -1)],
        attr_double=[("d", 0.1)],
        attr_json=[("j", "[1]")],
        event_times_ns=[1, 2],
        event_names=["x", "y"],
        event_attributes=["{}", "{}"],
        link_trace_ids=[b"\xff" * 16],
        link_span_ids=[b"\0" * 8],
        link_attributes=["{}"],
        temperature=0.0,
        input_tokens=0,
        resource='{"k":"%"}',
    )
    stored = spans(first)
    store.writer.append_spans(stored)
    assert store.reader.spans(first["trace_id"], 10) == (stored, False)


def test_a_request_comes_back_as_it_went_in(store: Telemetry) -> None:
    row = request(request_key=b"\0" * 15 + b"\n", defects=513, tpot_s=0.5, seed=-(2**63), import_row=None)
    store.writer.append_requests(requests(row))
    (expected,) = requests(row).to_pylist()
    assert store.reader.request(b"\0" * 15 + b"\n") == expected


def test_columns_may_come_in_any_order_and_an_empty_batch_is_no_insert(store: Telemetry) -> None:
    rows = requests(request(request_key=new_id(16)))
    store.writer.append_requests(rows.select(list(reversed(rows.column_names))))
    store.writer.append_requests(rows.slice(0, 0))
    assert store.reader.request(rows.column("request_key")[0].as_py()) is not None


def test_a_batch_may_span_years(store: Telemetry) -> None:
    day = 86_400.0
    rows = [request(-day * 7 * week) for week in range(150)]
    store.writer.append_requests(requests(*rows))
    assert all(store.reader.request(row["request_key"]) is not None for row in rows[::50])


def test_the_last_commit_is_the_highest_in_the_ledger(store: Telemetry) -> None:
    assert store.reader.last_commit() == 0
    store.writer.append_ledger(ledger({"commit_seq": 7}, {"commit_seq": 3}, {"commit_seq": 0, "reason": "too_large"}))
    assert store.reader.last_commit() == 7


def test_ids_are_fixed_size_binary_in_every_answer(store: Telemetry) -> None:
    row = span()
    store.writer.append_spans(spans(row))
    keys = store.reader.stored_keys(pa.array([row["trace_id"]], pa.binary(16)))
    assert keys.schema.field("trace_id").type == pa.binary(16)
    assert keys.schema.field("span_id").type == pa.binary(8)
