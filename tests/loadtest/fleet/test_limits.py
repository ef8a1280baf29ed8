"""Token buckets and file descriptors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtest.fleet.limits import Descriptors, TokenBucket
from loadtest.fleet.plan import GatewayPlan, RateLimit


def test_a_bucket_gives_its_burst_at_once_and_then_one_by_one() -> None:
    bucket = TokenBucket(RateLimit(requests_per_s=2.0, burst=3), now_s=10.0)
    assert [bucket.take(10.0) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(at_s) for at_s in (10.4, 10.5, 10.6, 11.0)] == [False, True, False, True]


def test_a_bucket_that_rests_fills_up_and_no_further() -> None:
    bucket = TokenBucket(RateLimit(requests_per_s=5.0, burst=2), now_s=0.0)
    assert [bucket.take(1e6) for _ in range(3)] == [True, True, False]


@given(st.lists(st.floats(0.0, 3.0), max_size=60), st.floats(0.1, 5.0), st.integers(1, 10))
def test_no_stretch_of_time_lets_more_through_than_burst_and_rate(gaps: list[float], rate: float, burst: int) -> None:
    bucket, now, taken = TokenBucket(RateLimit(requests_per_s=rate, burst=burst), 0.0), 0.0, 0
    for gap in gaps:
        now += gap
        taken += bucket.take(now)
    assert taken <= burst + rate * now + 1e-6


def descriptors(limit: int = 10, idle: int = 4) -> Descriptors:
    return Descriptors(GatewayPlan(fd_limit=limit, fd_idle=idle))


def test_idle_and_open_files_count() -> None:
    pool = descriptors()
    pool.open = 5
    assert (pool.used(0.0), pool.is_exhausted(0.0)) == (9, False)
    pool.open = 6
    assert (pool.used(0.0), pool.is_exhausted(0.0)) == (10, True)


def test_a_leak_takes_what_is_free_and_no_more() -> None:
    pool = descriptors()
    pool.leak(0.5, 100.0)
    assert [pool.used(at_s) for at_s in (100.0, 101.9, 102.0, 110.0, 1e6)] == [4, 4, 5, 9, 10]
    pool.open = 3
    assert pool.used(1e6) == 10


def test_a_leak_may_change_its_pace_and_what_leaked_stays_lost() -> None:
    pool = descriptors()
    pool.leak(1.0, 0.0)
    pool.leak(0.0, 2.0)
    assert pool.used(50.0) == pytest.approx(6)
    pool.renew(50.0)
    assert pool.used(50.0) == 4
