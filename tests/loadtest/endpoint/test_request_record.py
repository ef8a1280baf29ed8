import pytest

from loadtest.endpoint.clock import Clock
from loadtest.endpoint.plans import default_plan
from loadtest.endpoint.request_record import HISTOGRAMS, Histogram, RequestRecord, token_bounds
from loadtest.fleet.request import End, Request
from tests.loadtest.endpoint.test_engine_room import request


def finished(end: End = End.COMPLETED) -> Request:
    one = request(11)
    one.place, one.end, one.tokens = 1, end, 11.0
    one.forwarded_s, one.scheduled_s, one.first_token_s, one.ended_s = 1.0, 3.0, 4.0, 9.0
    return one


def record(speed: float = 1.0) -> RequestRecord:
    return RequestRecord(default_plan(), Clock(speed))


def test_a_histogram_counts_up_to_its_bounds() -> None:
    histogram = Histogram((1.0, 2.0))
    histogram.add(1.0)
    histogram.add(1.5, times=3)
    histogram.add(9.0)
    assert list(histogram.buckets()) == [("1.0", 1), ("2.0", 4), ("+Inf", 5)]
    assert histogram.total == pytest.approx(14.5)


def test_durations_are_those_of_the_engine() -> None:
    one = record()
    one.add(finished())
    totals = {name: histogram.total for name, histogram in one.of(0, 1).items()}
    assert totals["request_queue_time_seconds"] == 2.0
    assert totals["request_prefill_time_seconds"] == 1.0
    assert totals["time_to_first_token_seconds"] == 3.0
    assert totals["request_decode_time_seconds"] == 5.0
    assert totals["e2e_request_latency_seconds"] == 8.0
    assert totals["request_inference_time_seconds"] == 6.0
    assert totals["request_time_per_output_token_seconds"] == 0.5
    assert sum(one.of(0, 1)["inter_token_latency_seconds"].counts) == 10
    assert set(totals) == set(HISTOGRAMS)


def test_durations_are_seconds_of_the_wall_clock() -> None:
    one = record(speed=4.0)
    one.add(finished())
    assert one.of(0, 1)["e2e_request_latency_seconds"].total == 2.0


def test_an_engine_tells_nothing_of_requests_that_it_did_not_finish() -> None:
    one = record()
    one.add(finished(End.CLIENT_GONE))
    one.add(finished(End.QUEUE_FULL))
    assert not one.histograms


def test_token_bounds_end_at_the_context_window() -> None:
    assert token_bounds(2048) == (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
