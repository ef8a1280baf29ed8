from limits import RateLimitItemPerSecond
from limits.strategies import MovingWindowRateLimiter

from access.attempt_windows import AttemptWindows

ITEM = RateLimitItemPerSecond(2, 10)


def test_an_attempt_counts_until_the_window_has_moved_past_it() -> None:
    windows = AttemptWindows()
    limiter = MovingWindowRateLimiter(windows)
    for at_s, is_free in ((100, True), (105, True), (109, False), (110, True), (111, False), (115, True)):
        windows.now_s = at_s
        assert limiter.test(ITEM, "a") is is_free
        assert limiter.hit(ITEM, "a") is is_free
        assert limiter.hit(RateLimitItemPerSecond(2, 10), f"other {at_s}")


def test_the_time_to_wait_is_until_the_oldest_attempt_is_forgotten() -> None:
    windows = AttemptWindows()
    limiter = MovingWindowRateLimiter(windows)
    for at_s in (100, 105):
        windows.now_s = at_s
        limiter.hit(ITEM, "a")
    assert limiter.get_window_stats(ITEM, "a").reset_time == 110


def test_a_clock_that_is_set_back_lengthens_no_wait() -> None:
    windows = AttemptWindows()
    limiter = MovingWindowRateLimiter(windows)
    for at_s in (100_000, 100_001):
        windows.now_s = at_s
        limiter.hit(ITEM, "a")
    windows.now_s = 100
    assert not limiter.test(ITEM, "a")
    assert limiter.get_window_stats(ITEM, "a").reset_time == 110
    windows.now_s = 110
    assert limiter.hit(ITEM, "a")


def test_an_attempt_that_is_taken_back_leaves_room() -> None:
    windows = AttemptWindows()
    limiter = MovingWindowRateLimiter(windows)
    limiter.hit(ITEM, "a")
    limiter.hit(ITEM, "a")
    windows.take_back(ITEM.key_for("a"))
    windows.take_back(ITEM.key_for("never seen"))
    assert limiter.hit(ITEM, "a")
    assert not limiter.hit(ITEM, "a")


def test_what_is_remembered_is_bounded_and_the_least_recent_goes_first() -> None:
    windows = AttemptWindows(keys_max=3)
    limiter = MovingWindowRateLimiter(windows)
    once = RateLimitItemPerSecond(1, 10)
    limiter.hit(once, "watched")
    for number in range(2):
        limiter.hit(once, f"stranger {number}")
    assert not limiter.hit(once, "watched")
    for number in range(1000):
        limiter.hit(once, f"stranger {number}")
    assert len(windows._times_s) == 3
