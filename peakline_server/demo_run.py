"""The course of a demo: folder, server, history, live traffic, summary."""

import contextlib
import json
import math
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from loadtest.fleet.demo_plan import demo_plan
from loadtest.fleet.demo_schedule import Schedule, demo_schedule
from loadtest.fleet.fleet import Fleet
from loadtest.fleet.outbox import Body
from peakline_server.delivery import Delivery
from peakline_server.demo_folder import DemoFolder, Note, open_folder
from peakline_server.demo_server import SERVE, DemoServer, assert_port_free
from peakline_server.demo_words import (
    Beginning,
    Sent,
    Stored,
    ask_ledger,
    ask_load,
    first_words,
    last_words,
    live_words,
)
from vocabulary.pools import SECOND_NS

_HOUR_NS = 3600 * SECOND_NS
_SPANS_PER_BODY = 3000
_HISTORY_IN_FLIGHT = 3
_LIVE_IN_FLIGHT = 4
_LIVE_EVERY_S = 1.0
_WORDS_EVERY_S = 10.0
_CAUGHT_UP_S = 2.0


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What `peakline demo` was told.

    duration  seconds of live traffic after the history; None: until stopped
    """

    duration: float | None
    days: float
    requests: int
    data: Path
    keep: bool
    port: int
    otlp_http_port: int
    seed: int
    is_json: bool


@dataclass
class _Demo:
    """One demo under way."""

    options: DemoOptions
    folder: DemoFolder
    note: Note
    fleet: Fleet
    schedule: Schedule
    server: DemoServer
    delivery: Delivery
    console: Console
    stop: threading.Event
    sent: Sent = field(default_factory=Sent)

    def now_s(self) -> float:
        return (time.time_ns() - self.note.origin_ns) / SECOND_NS

    def send_history(self) -> None:
        """Everything up to now; while that is sent time passes, so again until nothing is left."""
        start_s = self.note.sent_until_s
        self.fleet.skip(start_s)
        with self._progress() as progress:
            task = progress.add_task("history", total=self.now_s() - start_s)
            while not self.stop.is_set() and self.now_s() - self.fleet.simulation.now_s > _CAUGHT_UP_S:
                bodies = self._until_stopped(self.fleet.history(self.now_s(), _SPANS_PER_BODY))
                for body, rejected in self.delivery.post_all(bodies, _HISTORY_IN_FLIGHT):
                    self._count(body, rejected)
                    progress.update(task, completed=body.until_s - start_s, total=self.now_s() - start_s)

    def send_live(self) -> None:
        """Live traffic: load rises, and after a while one replica goes bad."""
        before = self.sent.requests
        self.fleet.start_rise(self.schedule.rise, self.schedule.fault(self.fleet.simulation.now_s))
        began, told = time.monotonic(), 0.0
        for bodies in self.fleet.live(time.time_ns, lambda: self._goes_on(began)):
            for body, rejected in self.delivery.post_all(bodies, _LIVE_IN_FLIGHT):
                self._count(body, rejected)
            past_s = time.monotonic() - began
            if past_s - told >= _WORDS_EVERY_S:
                told = past_s
                self._tell_how_far(past_s, self.sent.requests - before)

    def _tell_how_far(self, past_s: float, requests: int) -> None:
        self.folder.write_note(self.note)
        in_flight = self.fleet.simulation.in_flight
        self.console.print(live_words(past_s, requests, in_flight, ask_load(self.server.url)))

    def _goes_on(self, began: float) -> bool:
        duration_s = math.inf if self.options.duration is None else self.options.duration
        left_s = duration_s - (time.monotonic() - began)
        if left_s <= 0 or self.stop.wait(min(_LIVE_EVERY_S, left_s)):
            return False
        self.server.assert_runs()
        return True

    def _until_stopped(self, bodies: Iterator[Body]) -> Iterator[Body]:
        for body in bodies:
            if self.stop.is_set():
                return
            yield body

    def _count(self, body: Body, rejected: int) -> None:
        self.sent.requests += body.requests
        self.sent.spans += body.spans
        self.sent.rejected += rejected
        self.note.sent_until_s = body.until_s

    def _progress(self) -> Progress:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        return Progress(*columns, console=self.console, disable=self.options.is_json)


def run_demo(options: DemoOptions, command: tuple[str, ...] = SERVE) -> None:
    """Run a demo to its end.

    command  how the server is called
    raises   PeaklineError with one sentence when it cannot start or the server ends by itself
    """
    console = Console(stderr=options.is_json, highlight=False, soft_wrap=True)
    for port, option in ((options.port, "--port"), (options.otlp_http_port, "--otlp-http-port")):
        assert_port_free(port, option)
    folder = open_folder(options.data)
    note = _prepare(options, folder, console)
    plan = demo_plan(note.seed, note.origin_ns, note.requests_per_day)
    schedule = demo_schedule(plan, options.duration)
    folder.write_rules(plan, schedule)
    server = DemoServer(folder, options.port, options.otlp_http_port, command)
    with _stop_on_signal() as stop:
        delivery = Delivery(server.otlp_url)
        running = _Demo(options, folder, note, Fleet(plan), schedule, server, delivery, console, stop)
        try:
            console.print("Starting the server …")
            server.start(stop.is_set)
            stored = _run(running)
        finally:
            running.delivery.close()
            server.stop()
            folder.write_note(note)
            folder.lock.close()
    _tell(running, stored)


def _run(running: _Demo) -> Stored | None:
    """History, live traffic, and what the server says it holds; the server must run."""
    running.console.print(f"Sending {running.options.days:g} days of history of a simulated fleet …")
    began = time.monotonic()
    running.send_history()
    if not running.stop.is_set():
        running.console.print(_first_words(running, time.monotonic() - began))
        running.send_live()
    return ask_ledger(running.server.url, running.note.origin_ns, time.time_ns())


def _first_words(running: _Demo, took_s: float) -> str:
    history = f"{running.sent.requests:,} requests ({running.sent.spans:,} spans) of history were sent and stored"
    begin = Beginning(running.server.url, running.options.days, running.options.duration, time.time())
    return f"{history} in {took_s:.0f} s. Live traffic begins.\n" + first_words(
        begin, running.fleet.plan, running.schedule
    )


def _prepare(options: DemoOptions, folder: DemoFolder, console: Console) -> Note:
    """The note of a demo that goes on, or a fresh one on an empty folder."""
    if folder.note is not None and options.keep:
        console.print(f"Going on with the demo in {folder.path}; only what is missing is sent.")
        return folder.note
    if folder.data.exists():
        console.print(
            f"Removing what the last demo stored in {folder.path}; --keep would go on with it.", soft_wrap=True
        )
    folder.clear()
    start_ns = time.time_ns() - int(options.days * 24 * _HOUR_NS)
    note = Note(options.seed, start_ns - start_ns % _HOUR_NS, options.requests / options.days)
    note.sent_until_s = (start_ns - note.origin_ns) / SECOND_NS
    folder.write_note(note)
    return note


@contextlib.contextmanager
def _stop_on_signal() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, so that the demo ends in order."""
    stop = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(running: _Demo, stored: Stored | None) -> None:
    if running.options.is_json:
        click.echo(json.dumps({"sent": running.sent.document(), "ledger": stored and stored.document}))
        return
    running.console.print(last_words(running.sent, stored, running.folder))
