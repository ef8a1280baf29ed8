import pytest

from store.contract import Page, RequestFilter
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS, new_id, request, requests, span, spans
from vocabulary.errors import RefusedReadError
from vocabulary.pools import SECOND_NS, Pool, Window

HOUR = Window(START_NS, START_NS + 3600 * SECOND_NS)
ANY = RequestFilter()


def keys(page: Page) -> list[bytes]:
    return page.rows.column("request_key").to_pylist()  # type: ignore[no-any-return]


def test_a_list_holds_rows_whose_current_version_names_a_tenant_in_sight(store: Telemetry) -> None:
    ours, left, joined = (request(number, tenant=name) for number, name in enumerate(("a", "a", "b")))
    gone, unknown = request(4, tenant="a"), request(5)
    store.writer.append_requests(requests(ours, left, joined, gone, unknown))
    store.writer.append_requests(
        requests(
            *({**left, "version": 2, "tenant": "b"}, {**joined, "version": 2, "tenant": "a"}),
            {**gone, "version": 2, "is_retracted": True},
        )
    )
    reader = store.reader.within({"a"})
    seen = [joined["request_key"], ours["request_key"]]
    assert keys(reader.requests(HOUR, ANY, 10)) == seen
    rows = (ours, left, joined, gone, unknown)
    found = {row["request_key"] for row in rows if reader.request(row["request_key"]) is not None}
    assert found == set(seen)


def test_pages_within_a_limit_join_without_gap_or_repeat(store: Telemetry) -> None:
    rows = [request(second, tenant="ab"[second % 2]) for second in range(40)]
    store.writer.append_requests(requests(*rows))
    reader = store.reader.within({"b"})
    page = reader.requests(HOUR, ANY, 7)
    found = keys(page)
    while page.next is not None:
        page = reader.requests(HOUR, ANY, 7, page.next)
        found += keys(page)
    assert found == [row["request_key"] for row in reversed(rows) if row["tenant"] == "b"]


def test_a_filter_for_a_tenant_out_of_sight_finds_nothing(store: Telemetry) -> None:
    store.writer.append_requests(requests(request(1, tenant="a"), request(2, tenant="b")))
    reader = store.reader.within({"a"})
    assert keys(reader.requests(HOUR, RequestFilter(tenant="b"), 10)) == []
    assert len(keys(reader.requests(HOUR, RequestFilter(tenant="a"), 10))) == 1


def is_seen(store: Telemetry, trace_id: bytes) -> bool:
    found, is_cut = store.reader.within({"a", "c"}).spans(trace_id, 10)
    assert not is_cut
    assert found.num_rows in (0, store.reader.spans(trace_id, 10)[0].num_rows)
    return bool(found.num_rows)


def test_a_trace_is_seen_as_a_whole_or_not_at_all(store: Telemetry) -> None:
    own, mixed, shared, half, left, freed, bare = (new_id(16) for _ in range(7))
    moving, retracted = request(1, trace_id=left, tenant="a"), request(2, trace_id=freed, tenant="b")
    store.writer.append_requests(
        requests(
            *(request(1, trace_id=own, tenant="a"), request(2, trace_id=own, tenant="c")),
            *(request(1, trace_id=shared, tenant="a"), request(2, trace_id=shared, tenant="b")),
            *(request(1, trace_id=half, tenant="a"), request(2, trace_id=half)),
            *(request(1, trace_id=mixed, tenant="a"), request(3, trace_id=freed, tenant="a"), moving, retracted),
        )
    )
    store.writer.append_requests(
        requests({**moving, "version": 2, "tenant": "b"}, {**retracted, "version": 2, "is_retracted": True})
    )
    traces = (own, mixed, shared, half, left, freed, bare)
    store.writer.append_spans(spans(*(span(second, trace_id=trace) for trace in traces for second in (1, 2))))
    store.writer.append_spans(spans(span(3, trace_id=mixed, tenant="b"), span(3, trace_id=own, tenant="c")))
    assert [is_seen(store, trace) for trace in traces] == [True, False, False, False, False, True, False]


def test_a_trace_is_cut_at_the_limit_within_a_limit_too(store: Telemetry) -> None:
    row = request(1, tenant="a")
    store.writer.append_requests(requests(row))
    store.writer.append_spans(spans(*(span(second, trace_id=row["trace_id"]) for second in range(3))))
    found, is_cut = store.reader.within({"a"}).spans(row["trace_id"], 2)
    assert (found.num_rows, is_cut) == (2, True)


def test_counts_hold_the_requests_of_the_tenants(store: Telemetry, control: Control) -> None:
    store.writer.append_requests(
        requests(
            *(request(1, tenant="a"), request(2, tenant="b", service_tier="core"), request(3)),
            *(request(70, tenant="a", outcome="failed", defects=1), request(70, tenant="b", load_test="lt")),
        )
    )
    rollup = store.rollup(control)
    rollup.recover()
    rollup.run()
    reader, chat = store.reader.within({"a"}), Pool("chat", "m")
    assert [(found.pool, found.requests) for found in reader.pools(HOUR)] == [(chat, 2)]
    assert reader.load_tests() == []
    assert [found.requests for found in store.reader.within({"b"}).load_tests()] == [1]
    minutes = reader.minutes(chat, HOUR)
    assert minutes["requests"].to_pylist() == [1, 1]
    assert minutes["load_rps"].to_pylist() == [3 / 60, 1 / 60]
    assert minutes["service_tier"].to_pylist() == ["general", "general"]
    (bucket,) = reader.minute_series(chat, HOUR, 3600).to_pylist()
    assert (bucket["requests"], bucket["defective"]) == (2, 1)
    assert reader.outcome_totals(HOUR)["failed"] == 1


def test_what_is_about_everybody_is_unknown_or_refused_within_a_limit(store: Telemetry) -> None:
    store.writer.append_requests(requests(request(1, tenant="a", import_id="i"), request(2, import_id="i")))
    reader = store.reader.within({"a"})
    assert reader.in_flight("chat", "m", "r0", START_NS + 3 * SECOND_NS) is None
    assert reader.ingest_ledger(HOUR) == {}
    assert reader.import_progress("i") == 1
    with pytest.raises(RefusedReadError, match="all tenants together"):
        reader.arrivals(None, Window(START_NS, START_NS + 60 * SECOND_NS))
