from concurrent.futures import ThreadPoolExecutor

import pytest

from access.contract import LogInRefusedError
from access.settings import ThrottleSettings
from access.throttle import Throttle
from tests.conftest import CountingClock

SETTINGS = ThrottleSettings(window_s=300, attempts=3, address_attempts=5, name_attempts=8)


@pytest.fixture
def throttle(clock: CountingClock) -> Throttle:
    return Throttle(SETTINGS, clock)


def wait_of(throttle: Throttle, name: str, address: str) -> int:
    """Seconds to wait, 0 when the attempt is let through (and counted)."""
    try:
        throttle.enter(name, address)
    except LogInRefusedError as refusal:
        return refusal.retry_after_s or 0
    return 0


def test_a_name_from_one_address_may_fail_three_times(throttle: Throttle, clock: CountingClock) -> None:
    assert [wait_of(throttle, "ann", "192.0.2.1") for _ in range(3)] == [0, 0, 0]
    assert wait_of(throttle, "ann", "192.0.2.1") == 297
    assert wait_of(throttle, "bob", "192.0.2.1") == 0
    assert wait_of(throttle, "ann", "192.0.2.2") == 0
    clock.at_ns += 290 * 10**9
    assert wait_of(throttle, "ann", "192.0.2.1") > 0
    clock.at_ns += 10 * 10**9
    assert wait_of(throttle, "ann", "192.0.2.1") == 0


def test_refused_attempts_do_not_make_the_wait_longer(throttle: Throttle, clock: CountingClock) -> None:
    waits = [wait_of(throttle, "ann", "192.0.2.1") for _ in range(50)]
    assert waits[3:] == list(range(297, 250, -1))


def test_an_address_may_fail_five_times_whatever_the_names(throttle: Throttle) -> None:
    assert [wait_of(throttle, f"user{number}", "192.0.2.1") for number in range(5)] == [0] * 5
    assert wait_of(throttle, "another", "192.0.2.1") > 0
    assert wait_of(throttle, "another", "192.0.2.2") == 0


def test_a_name_may_fail_eight_times_from_all_addresses(throttle: Throttle) -> None:
    assert [wait_of(throttle, "ann", f"192.0.2.{number}") for number in range(8)] == [0] * 8
    assert wait_of(throttle, "ann", "192.0.2.99") > 0
    assert wait_of(throttle, "bob", "192.0.2.99") == 0


def test_a_stranger_cannot_lock_a_name_out_of_the_address_it_is_used_from(throttle: Throttle) -> None:
    throttle.succeed(throttle.enter("ann", "192.0.2.1"))
    assert [wait_of(throttle, "ann", f"198.51.100.{number}") for number in range(8)] == [0] * 8
    assert wait_of(throttle, "ann", "198.51.100.99") > 0
    assert [wait_of(throttle, "ann", "192.0.2.1") for _ in range(3)] == [0, 0, 0]
    assert wait_of(throttle, "ann", "192.0.2.1") > 0


def test_log_ins_that_succeed_do_not_count(throttle: Throttle) -> None:
    for _ in range(50):
        throttle.succeed(throttle.enter("ann", "192.0.2.1"))
    assert [wait_of(throttle, "ann", "192.0.2.1") for _ in range(3)] == [0, 0, 0]


def test_an_attempt_that_was_not_judged_does_not_count(throttle: Throttle) -> None:
    for _ in range(50):
        throttle.take_back(throttle.enter("ann", "192.0.2.1"))
    assert [wait_of(throttle, "ann", "192.0.2.1") for _ in range(3)] == [0, 0, 0]


def test_a_success_does_not_forgive_failures_before_it(throttle: Throttle) -> None:
    assert [wait_of(throttle, "ann", "192.0.2.1") for _ in range(2)] == [0, 0]
    throttle.succeed(throttle.enter("ann", "192.0.2.1"))
    assert [wait_of(throttle, "ann", "192.0.2.1") > 0 for _ in range(2)] == [False, True]


def test_parallel_attempts_get_no_more_guesses_than_others(throttle: Throttle) -> None:
    with ThreadPoolExecutor(16) as pool:
        waits = list(pool.map(lambda _: wait_of(throttle, "ann", "192.0.2.1"), range(64)))
    assert waits.count(0) == 3


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::1", True),
        ("", "", True),
        ("testclient", "unix", False),
    ],
)
def test_an_ipv6_network_is_one_address(throttle: Throttle, one: str, other: str, is_same: bool) -> None:  # noqa: FBT001 - a case of a table
    for _ in range(3):
        throttle.enter("ann", one)
    assert (wait_of(throttle, "ann", other) > 0) is is_same


def test_unusable_names_are_limited_by_address_only(throttle: Throttle) -> None:
    for number in range(20):
        assert wait_of(throttle, "", f"192.0.2.{number}") == 0
    assert [wait_of(throttle, "", "192.0.2.200") > 0 for _ in range(4)] == [False, False, False, True]


def test_the_seconds_to_wait_are_told(throttle: Throttle) -> None:
    for _ in range(3):
        throttle.enter("ann", "192.0.2.1")
    with pytest.raises(LogInRefusedError, match="wait 297 seconds") as refusal:
        throttle.enter("ann", "192.0.2.1")
    assert refusal.value.retry_after_s == 297


def test_known_addresses_are_bounded(throttle: Throttle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("access.throttle._KNOWN_MAX", 2)
    for number in range(5):
        throttle.succeed(throttle.enter("ann", f"192.0.2.{number}"))
    assert list(throttle._known) == [("ann", "192.0.2.3"), ("ann", "192.0.2.4")]
