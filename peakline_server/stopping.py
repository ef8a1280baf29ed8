"""Ctrl-C and SIGTERM as an event, so that a command ends in order."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import TypeVar

Item = TypeVar("Item")
_NUMBERS = (signal.SIGINT, signal.SIGTERM)
_SAME_S = 1.0  # `timeout` and some shells signal both a process and its group: that is one wish, not two


@contextlib.contextmanager
def stop_on_signal(*, second_kills: bool = False) -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; the handlers of before come back afterwards.

    second_kills  a second signal ends the process at once, for a command that may wait for somebody else's answer
    """
    stop, asked_s = threading.Event(), time.monotonic()

    def ask(number: int, _frame: FrameType | None) -> None:
        nonlocal asked_s
        if not stop.is_set():
            asked_s = time.monotonic()
            stop.set()
        elif second_kills and time.monotonic() - asked_s > _SAME_S:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    before = {number: signal.signal(number, ask) for number in _NUMBERS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def until_stopped(items: Iterable[Item], stop: threading.Event) -> Iterator[Item]:
    """Items as long as nobody asked to stop."""
    for item in items:
        if stop.is_set():
            return
        yield item
