"""A signal asks a command to stop, and the handlers of before come back."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from peakline_server.stopping import stop_on_signal, until_stopped


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_sets_the_event_and_kills_nothing(number: int) -> None:
    before = signal.getsignal(number)
    with stop_on_signal() as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), number)
        assert stop.wait(5)
    assert signal.getsignal(number) is before


@pytest.mark.parametrize(("pause_s", "ended"), [(1.3, -signal.SIGTERM), (0.0, 0)])
def test_a_second_wish_ends_a_command_that_waits_for_others(pause_s: float, ended: int) -> None:
    script = (
        "import os, signal, time\nfrom peakline_server.stopping import stop_on_signal\n"
        "with stop_on_signal(second_kills=True) as stop:\n"
        f"    os.kill(os.getpid(), signal.SIGINT); assert stop.wait(5); time.sleep({pause_s})\n"
        "    os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.2)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == ended


def test_items_end_when_somebody_asked_to_stop() -> None:
    stop, seen = threading.Event(), []
    for item in until_stopped(range(10), stop):
        seen.append(item)
        if item == 2:
            stop.set()
    assert seen == [0, 1, 2]
