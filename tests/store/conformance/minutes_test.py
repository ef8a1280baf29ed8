import pytest

from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS, ledger, request, requests
from vocabulary.errors import RefusedReadError
from vocabulary.pools import MINUTE_NS, SECOND_NS, Pool, Window

HOUR = Window(START_NS, START_NS + 60 * MINUTE_NS)
CHAT = Pool("chat", "m")


def fill(store: Telemetry, control: Control, *rows: dict[str, object]) -> None:
    """Write requests of one commit and roll them up."""
    store.writer.append_requests(requests(*rows))
    rollup = store.rollup(control)
    rollup.recover()
    rollup.run()


def test_pools_are_those_with_production_requests_busiest_first(store: Telemetry, control: Control) -> None:
    test = request(5, service="tested", load_test="lt")
    fill(store, control, request(1, service="b"), request(2), request(3), request(3700, service="late"), test)
    found = store.reader.pools(HOUR)
    assert [(one.pool.service, one.requests) for one in found] == [("chat", 2), ("b", 1)]
    assert (found[0].first_ns, found[0].last_ns) == (START_NS, START_NS + MINUTE_NS)


def test_load_tests_come_newest_first(store: Telemetry, control: Control) -> None:
    fill(store, control, request(1, load_test="old"), request(600, load_test="new"), request(601, load_test="new"))
    found = store.reader.load_tests()
    assert [(test.load_test, test.pool, test.requests) for test in found] == [("new", CHAT, 2), ("old", CHAT, 1)]


def test_minutes_split_by_tier_and_step_and_are_null_where_production_has_no_step(
    store: Telemetry, control: Control
) -> None:
    steps = [request(1, load_test="lt", load_test_step=step, offered_rps=step + 0.5) for step in (0, 1)]
    fill(store, control, request(1), request(2, service_tier="core"), request(70), *steps)
    minutes = store.reader.minutes(CHAT, HOUR).select(["minute_ns", "service_tier", "load_test_step", "offered_rps"])
    assert [tuple(row.values()) for row in minutes.to_pylist()] == [
        (START_NS, "core", None, None),
        (START_NS, "general", None, None),
        (START_NS + MINUTE_NS, "general", None, None),
    ]
    tested = store.reader.minutes(CHAT, HOUR, "lt")
    assert tested.column("load_test_step").to_pylist() == [0, 1]
    assert tested.column("offered_rps").to_pylist() == [0.5, 1.5]


def test_a_window_that_cuts_a_minute_holds_it_whole(store: Telemetry, control: Control) -> None:
    fill(store, control, request(1), request(61))
    cut = Window(START_NS + 30 * SECOND_NS, START_NS + 60 * SECOND_NS)
    assert store.reader.minutes(CHAT, cut).column("minute_ns").to_pylist() == [START_NS]


def test_a_series_adds_counts_and_averages_replicas_over_minutes_with_requests(
    store: Telemetry, control: Control
) -> None:
    fill(
        store,
        control,
        *(request(1, replica="r0"), request(2, replica="r1"), request(400, replica="r0", outcome="failed", defects=1)),
        *(request(3, service="other"), request(4, load_test="lt")),
    )
    (bucket,) = store.reader.minute_series(CHAT, HOUR, 600).to_pylist()
    assert (bucket["requests"], bucket["defective"], bucket["replicas_ready"]) == (3, 1, 1.5)
    assert bucket["bucket_ns"] == START_NS // (600 * SECOND_NS) * 600 * SECOND_NS
    (bucket,) = store.reader.minute_series(None, HOUR, 600).to_pylist()
    assert (bucket["requests"], bucket["replicas_ready"]) == (4, 2.0)


@pytest.mark.parametrize("bucket_s", [0, 90, -60])
def test_a_bucket_that_is_no_multiple_of_a_minute_is_refused(store: Telemetry, bucket_s: int) -> None:
    with pytest.raises(RefusedReadError, match="multiples of 60 s"):
        store.reader.minute_series(None, HOUR, bucket_s)


def test_too_many_buckets_are_refused(store: Telemetry) -> None:
    with pytest.raises(RefusedReadError, match="buckets"):
        store.reader.minute_series(None, Window(0, 300 * 86_400 * SECOND_NS), 60)


def test_a_window_of_years_is_refused(store: Telemetry) -> None:
    with pytest.raises(RefusedReadError, match="at most"):
        store.reader.minutes(CHAT, Window(0, START_NS))


def test_sketches_are_merged_per_tier_and_load_band(store: Telemetry, control: Control) -> None:
    busy = [request(61 + second, e2e_s=2.0, server_ttft_s=0.5) for second in range(4)]
    fill(store, control, request(1, e2e_s=1.0), *busy, request(65, service_tier="core", e2e_s=2.0))
    edges = [1 / 60, 4 / 60]
    found = store.reader.sketches(CHAT, HOUR, edges).to_pylist()
    assert [(row["service_tier"], row["band"]) for row in found] == [("core", 2), ("general", 0), ("general", 2)]
    assert dict(found[1]["e2e_sketch"]) == {0: 1}
    assert dict(found[2]["e2e_sketch"]) == {8: 4}
    assert dict(found[2]["ttft_sketch"]) == {-7: 4}


def test_sketches_of_a_load_test_are_per_step(store: Telemetry, control: Control) -> None:
    steps = [request(1, load_test="lt", load_test_step=step, offered_rps=step, e2e_s=1.0) for step in (3, 3, 4)]
    fill(store, control, *steps, request(2))
    found = store.reader.sketches(CHAT, HOUR, [], "lt").to_pylist()
    assert [(row["band"], dict(row["e2e_sketch"])) for row in found] == [(3, {0: 2}), (4, {0: 1})]


def test_outcome_totals_hold_production_and_load_tests(store: Telemetry, control: Control) -> None:
    other = request(3, service="other", outcome="rejected")
    fill(store, control, request(1), request(2, load_test="lt", outcome="failed"), other)
    totals = store.reader.outcome_totals(HOUR)
    assert {outcome: count for outcome, count in totals.items() if count} == {
        "completed": 1,
        "failed": 1,
        "rejected": 1,
    }
    assert store.reader.outcome_totals(HOUR, CHAT)["rejected"] == 0


def test_an_empty_store_answers_with_zeros_and_empty_tables(store: Telemetry) -> None:
    assert set(store.reader.outcome_totals(HOUR).values()) == {0}
    assert store.reader.minute_series(None, HOUR, 60).num_rows == 0
    assert store.reader.sketches(CHAT, HOUR, [1.0]).num_rows == 0
    assert store.reader.pools(HOUR) == []
    assert store.reader.load_tests() == []
    assert store.reader.ingest_ledger(HOUR) == {}


def test_the_record_ledger_sums_reasons_per_signal(store: Telemetry) -> None:
    store.writer.append_ledger(
        ledger(
            *({"records": 5, "commit_seq": 1}, {"records": 7, "commit_seq": 2}, {"records": 2, "reason": "duplicate"}),
            *({"records": 1, "signal": "logs", "reason": "too_large"}, {"records": 9, "at_ns": HOUR.end_ns}),
        )
    )
    found = store.reader.ingest_ledger(HOUR)
    assert found["traces"].received == 14
    assert found["traces"].reasons == {"stored": 12, "duplicate": 2}
    assert found["logs"].reasons == {"too_large": 1}
