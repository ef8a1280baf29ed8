from collections.abc import Iterator

import pytest

from store.contract import Page, RequestFilter
from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS, new_id, request, requests, span, spans
from vocabulary.errors import RefusedReadError
from vocabulary.outcomes import Outcome
from vocabulary.pools import SECOND_NS, Pool, Window

HOUR = Window(START_NS, START_NS + 3600 * SECOND_NS)
ANY = RequestFilter()


def keys(page: Page) -> list[bytes]:
    return page.rows.column("request_key").to_pylist()  # type: ignore[no-any-return]


def pages(store: Telemetry, wanted: RequestFilter, limit: int) -> Iterator[Page]:
    page = store.reader.requests(HOUR, wanted, limit)
    yield page
    while page.next is not None:
        page = store.reader.requests(HOUR, wanted, limit, page.next)
        yield page


def test_requests_come_newest_first_and_pages_join_without_gap_or_repeat(store: Telemetry) -> None:
    rows = [request(second // 3) for second in range(50)]
    store.writer.append_requests(requests(*rows))
    found = [key for page in pages(store, ANY, 7) for key in keys(page)]
    ordered = sorted(rows, key=lambda row: (row["anchor_ns"], row["request_key"]), reverse=True)
    assert found == [row["request_key"] for row in ordered]


def test_a_page_that_holds_everything_has_no_next(store: Telemetry) -> None:
    store.writer.append_requests(requests(request(1), request(2)))
    assert store.reader.requests(HOUR, ANY, 2).next is None
    assert store.reader.requests(HOUR, ANY, 1).next is not None


def test_the_window_is_half_open(store: Telemetry) -> None:
    store.writer.append_requests(requests(request(-0.001), request(0), request(3599.999), request(3600)))
    assert store.reader.requests(HOUR, ANY, 10).rows.num_rows == 2


def test_only_the_latest_version_counts_for_a_filter(store: Telemetry) -> None:
    first = request(1, outcome="failed", defects=1)
    store.writer.append_requests(requests(first, request(2, outcome="failed", defects=1)))
    store.writer.append_requests(requests({**first, "version": 2, "outcome": "completed", "defects": 0}))
    failed = store.reader.requests(HOUR, RequestFilter(outcome=Outcome.FAILED), 10)
    assert first["request_key"] not in keys(failed)
    assert failed.rows.num_rows == 1
    assert store.reader.requests(HOUR, ANY, 10).rows.num_rows == 2


def test_a_retracted_request_is_gone_from_lists_and_look_ups(store: Telemetry) -> None:
    row = request(1)
    store.writer.append_requests(requests(row))
    store.writer.append_requests(requests({**row, "version": 2, "is_retracted": True}))
    assert store.reader.requests(HOUR, ANY, 10).rows.num_rows == 0
    assert store.reader.request(row["request_key"]) is None


def test_a_page_is_filled_across_many_superseded_rows(store: Telemetry) -> None:
    rows = [request(second, outcome="failed") for second in range(300)]
    later = [{**row, "version": 2, "outcome": "completed"} for row in rows[10:]]
    store.writer.append_requests(requests(*rows))
    store.writer.append_requests(requests(*later))
    assert store.reader.requests(HOUR, RequestFilter(outcome=Outcome.FAILED), 5).rows.num_rows == 5
    assert sum(page.rows.num_rows for page in pages(store, RequestFilter(outcome=Outcome.FAILED), 5)) == 10


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        (RequestFilter(service="s"), {"service": "s"}),
        (RequestFilter(model="it's \\ 100%"), {"model": "it's \\ 100%"}),
        (RequestFilter(outcome=Outcome.TIMED_OUT), {"outcome": "timed_out"}),
        (RequestFilter(service_tier="core"), {"service_tier": "core"}),
        (RequestFilter(replica="r9"), {"replica": "r9"}),
        (RequestFilter(tenant="t"), {"tenant": "t"}),
        (RequestFilter(load_test="lt"), {"load_test": "lt"}),
        (RequestFilter(defect="mismatch"), {"defects": 512}),
        (RequestFilter(defect="any"), {"defects": 4}),
    ],
)
def test_each_filter_selects_what_it_names(store: Telemetry, wanted: RequestFilter, named: dict[str, object]) -> None:
    store.writer.append_requests(requests(request(1), chosen := request(2, **named)))
    assert keys(store.reader.requests(HOUR, wanted, 10)) == [chosen["request_key"]]


def test_production_can_be_asked_for_alone(store: Telemetry) -> None:
    store.writer.append_requests(requests(own := request(1), request(2, load_test="lt")))
    assert keys(store.reader.requests(HOUR, RequestFilter(load_test=""), 10)) == [own["request_key"]]
    assert store.reader.requests(HOUR, ANY, 10).rows.num_rows == 2


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_list_without_a_sensible_limit_is_refused(store: Telemetry, limit: int) -> None:
    with pytest.raises(RefusedReadError, match="between 1 and 1000"):
        store.reader.requests(HOUR, ANY, limit)


def test_an_unknown_request_is_none(store: Telemetry) -> None:
    assert store.reader.request(new_id(16)) is None


def test_in_flight_counts_overlapping_requests_of_one_replica(store: Telemetry) -> None:
    now = START_NS + 100 * SECOND_NS
    running = request(90, end_ns=now + 1)
    ended = request(90, end_ns=now)
    other = request(90, end_ns=now + 1, replica="r1")
    store.writer.append_requests(requests(running, ended, other, request(100, end_ns=now + 9), request(1, end_ns=None)))
    assert store.reader.in_flight("chat", "m", "r0", now) == 1
    assert store.reader.in_flight("chat", "m", "r1", now) == 1
    assert store.reader.in_flight("chat", "m", "", now) is None


def test_spans_of_a_trace_come_by_start_time_and_say_when_cut(store: Telemetry) -> None:
    trace_id = new_id(16)
    rows = [span(second, trace_id=trace_id) for second in (3, 1, 2)]
    store.writer.append_spans(spans(*rows, rows[0], span(0)))
    found, is_cut = store.reader.spans(trace_id, 3)
    assert found.column("start_ns").to_pylist() == sorted(row["start_ns"] for row in rows)
    assert not is_cut
    found, is_cut = store.reader.spans(trace_id, 2)
    assert (found.num_rows, is_cut) == (2, True)


MINUTE = Window(START_NS + 300 * SECOND_NS, START_NS + 360 * SECOND_NS)


def test_a_replica_is_ready_for_two_minutes_after_it_finished_a_request(store: Telemetry) -> None:
    ends = {"r0": 239, "r1": 240, "r2": 299, "r3": 330, "r4": 360}
    store.writer.append_requests(
        requests(
            *(request(second - 1, replica=replica) for replica, second in ends.items()), request(329, replica="r3")
        )
    )
    assert store.reader.arrivals(Pool("chat", "m"), MINUTE) == (2, 3)
    long = Window(START_NS, START_NS + 360 * SECOND_NS)
    assert store.reader.arrivals(Pool("chat", "m"), long) == (5, 4)


def test_requests_that_name_no_replica_have_one(store: Telemetry) -> None:
    assert store.reader.arrivals(Pool("chat", "m"), MINUTE) == (0, 0)
    store.writer.append_requests(requests(request(310, replica=""), request(320, end_ns=None)))
    assert store.reader.arrivals(Pool("chat", "m"), MINUTE) == (2, 1)


def test_imports_and_load_tests_are_no_arrivals(store: Telemetry) -> None:
    store.writer.append_requests(requests(request(310)))
    before = store.reader.arrivals(None, MINUTE)
    rows = [request(320, replica="r8", import_id="i"), request(320, replica="r9", load_test="lt")]
    store.writer.append_requests(requests(*rows))
    assert store.reader.arrivals(None, MINUTE) == before == (1, 1)


def test_only_the_current_version_arrives(store: Telemetry) -> None:
    moved, gone, late = request(310), request(311, replica="r1"), request(312, replica="r2")
    store.writer.append_requests(requests(moved, gone, late))
    store.writer.append_requests(
        requests(
            {**moved, "version": 2, "service": "other"},
            {**gone, "version": 2, "is_retracted": True},
            {**late, "version": 2, "end_ns": MINUTE.end_ns},
        )
    )
    assert store.reader.arrivals(Pool("chat", "m"), MINUTE) == (0, 0)
    assert store.reader.arrivals(Pool("other", "m"), MINUTE) == (1, 1)


def test_arrivals_count_ends_in_the_window_and_the_replicas_that_had_one(store: Telemetry) -> None:
    window = Window(START_NS + 60 * SECOND_NS, START_NS + 120 * SECOND_NS)
    store.writer.append_requests(
        requests(
            *(request(30, end_ns=window.start_ns), request(30, end_ns=window.end_ns), request(70, replica="r1")),
            *(request(80, end_ns=None, replica="r7"), request(90, load_test="lt"), request(90, replica="")),
            request(75, service="other"),
        )
    )
    assert store.reader.arrivals(Pool("chat", "m"), window) == (4, 2)
    assert store.reader.arrivals(None, window) == (5, 3)


def test_arrivals_over_more_than_fifteen_minutes_are_refused(store: Telemetry) -> None:
    with pytest.raises(RefusedReadError, match="at most 900 s"):
        store.reader.arrivals(None, HOUR)
