"""Repeating work goes on after an error and ends when closed."""

import threading
import time

import pytest

from peakline_server.background import Repeating


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
