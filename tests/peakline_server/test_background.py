"""Repeating work goes on after an error and ends when closed."""

import threading
import time
from collections.abc import Callable

import pytest

from peakline_server.background import Repeating, failing_names


def test_work_repeats_until_closed() -> None:
    rounds: list[float] = []
    repeating = Repeating("test", 0.01, lambda: rounds.append(time.monotonic()))
    while len(rounds) < 3:
        time.sleep(0.005)
    repeating.close()
    count = len(rounds)
    time.sleep(0.05)
    assert len(rounds) == count


def test_an_error_is_logged_once_and_the_next_round_tried(caplog: pytest.LogCaptureFixture) -> None:
    calls, healed = [0], threading.Event()

    def work() -> None:
        calls[0] += 1
        if calls[0] <= 3:
            raise ZeroDivisionError
        healed.set()

    repeating = Repeating("fragile", 0.01, work)
    assert healed.wait(5)
    repeating.close()
    assert not repeating.failing
    assert caplog.text.count("fragile failed") == 1


def test_works_that_fail_are_named_until_a_round_succeeds() -> None:
    broken, tried = threading.Event(), threading.Event()
    broken.set()

    def work() -> None:
        tried.set()
        if broken.is_set():
            raise ZeroDivisionError

    fragile, sound = Repeating("fragile", 0.01, work), Repeating("sound", 0.01, lambda: None)
    assert fragile.name == "fragile"
    works = [fragile, sound]
    assert tried.wait(5)
    wait_for(lambda: failing_names(works) == ("fragile",))
    broken.clear()
    wait_for(lambda: failing_names(works) == ())
    for one in works:
        one.close()
    assert failing_names(works) == ()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_work_whose_thread_has_ended_by_itself_fails() -> None:
    def work() -> None:
        raise SystemExit

    dead = Repeating("dead", 0.01, work)
    wait_for(lambda: failing_names([dead]) == ("dead",))
    dead.close()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
