import pytest

from store.telemetry.chunks import GAP_MINUTES, MANY_RANGES, chunked, cuts, ranges, spread
from store.telemetry.open import Telemetry
from tests.factories.stores import START_NS, request, requests
from vocabulary.pools import MINUTE_NS, Pool


def minutes(*numbers: int) -> list[int]:
    return [START_NS + number * MINUTE_NS for number in numbers]


def test_ranges_join_minutes_over_short_gaps_only() -> None:
    far = GAP_MINUTES + 2
    found = list(ranges(minutes(5, 0, 1, 5 + far, 0)))
    assert found == [tuple(minutes(0, 6)), tuple(minutes(5 + far, 6 + far))]
    assert list(ranges([])) == []


def test_a_range_is_cut_where_it_would_hold_too_many_versions(
    telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.telemetry.chunks.CHUNK_VERSIONS", 3)
    telemetry.writer.append_requests(requests(*(request(60 * minute) for minute in (0, 0, 1, 2, 3, 3, 3, 3, 9))))
    start_ns, end_ns = minutes(0, 10)
    assert cuts(start_ns, end_ns, telemetry.writes) == minutes(0, 2, 3, 9, 10)


def test_a_request_dirties_the_minutes_until_two_after_its_end(telemetry: Telemetry) -> None:
    telemetry.writer.append_requests(requests(request(1, end_ns=START_NS + 3 * MINUTE_NS), request(1, service="b")))
    found = spread({("chat", "m", START_NS)}, telemetry.writes)
    assert found == {("chat", "m", minute) for minute in minutes(0, 1, 2, 3, 4, 5)}


def test_an_unended_request_and_one_that_ran_too_long_dirty_their_own_minute(telemetry: Telemetry) -> None:
    too_long = request(1, end_ns=START_NS + 20 * MINUTE_NS)
    telemetry.writer.append_requests(requests(request(1, end_ns=None), too_long))
    assert spread({("chat", "m", START_NS)}, telemetry.writes) == {("chat", "m", START_NS)}


def test_a_chunk_names_the_pools_that_are_dirty_in_its_range(telemetry: Telemetry) -> None:
    first, second, later = minutes(0, 1, 500)
    found = list(chunked({("b", "m", first), ("a", "m", second), ("c", "m", later)}, telemetry.writes))
    assert [(chunk.start_ns, chunk.end_ns) for chunk in found] == [tuple(minutes(0, 2)), tuple(minutes(500, 501))]
    assert [tuple(chunk.pools) for chunk in found] == [(Pool("a", "m"), Pool("b", "m")), (Pool("c", "m"),)]


def test_many_scattered_minutes_are_joined_over_wider_gaps() -> None:
    minutes = [number * 100 * MINUTE_NS for number in range(MANY_RANGES + 1)]
    assert list(ranges(minutes)) == [(0, minutes[-1] + MINUTE_NS)]
    assert len(ranges(minutes[:MANY_RANGES])) == MANY_RANGES
