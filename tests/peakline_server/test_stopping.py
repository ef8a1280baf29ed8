"""A signal asks a command to stop, and the handlers of before come back."""

import os
import signal

import pytest

from peakline_server.stopping import stop_on_signal


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_sets_the_event_and_kills_nothing(number: int) -> None:
    before = signal.getsignal(number)
    with stop_on_signal() as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), number)
        assert stop.wait(5)
    assert signal.getsignal(number) is before
