"""The course of a demo: folder, server, history, live traffic, summary."""

import json
import math
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console

from loadtest.scenarios.play import Play
from loadtest.scenarios.truth import TruthRecorder
from peakline_server.delivery import Delivery
from peakline_server.demo_folder import DemoFolder, DemoFolderError, Note, open_folder
from peakline_server.demo_server import SERVE, DemoServer, assert_port_free
from peakline_server.demo_story import Story, fresh_note, story_of
from peakline_server.demo_words import (
    Beginning,
    Ports,
    Sent,
    Stored,
    ask_ledger,
    ask_load,
    first_words,
    history_words,
    last_words,
    live_words,
    scenario_words,
)
from peakline_server.live_traffic import LiveTraffic
from peakline_server.progress import history_progress
from peakline_server.stopping import stop_on_signal, until_stopped
from vocabulary.errors import PeaklineError
from vocabulary.pools import SECOND_NS

_SPANS_PER_BODY = 10_000
_HISTORY_IN_FLIGHT = 3
_LIVE_EVERY_S = 1.0
_WORDS_EVERY_S = 10.0
_CAUGHT_UP_S = 2.0
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What `peakline demo` was told.

    duration        seconds of live traffic after the history; None: until stopped
    days, requests  of history; None: as the story has them
    """

    duration: float | None
    days: float | None
    requests: int | None
    data: Path
    keep: bool
    port: int
    otlp_http_port: int
    seed: int
    is_json: bool
    scenario: str = ""


@dataclass
class _Demo:
    """One demo under way."""

    options: DemoOptions
    folder: DemoFolder
    note: Note
    story: Story
    play: Play
    truth: TruthRecorder
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
        self.play.skip(start_s)
        with history_progress(self.console, is_silent=self.options.is_json) as progress:
            task = progress.add_task("history", total=self.now_s() - start_s)
            while not self.stop.is_set() and self.now_s() - self.play.simulation.now_s > _CAUGHT_UP_S:
                bodies = until_stopped(self.play.history(self.now_s(), _SPANS_PER_BODY), self.stop)
                for body, rejected in self.delivery.post_all(bodies, _HISTORY_IN_FLIGHT):
                    self.sent.add(body, rejected)
                    self.note.sent_until_s = body.until_s
                    progress.update(task, completed=body.until_s - start_s, total=self.now_s() - start_s)

    def send_live(self) -> None:
        """Live traffic as the story has it, each process through the OpenTelemetry SDK."""
        self.play.begin_live()
        traffic = LiveTraffic(self.server.otlp_url)
        try:
            self._send_live(traffic)
        finally:
            traffic.close()
            self.sent.add_live(traffic.counts, traffic.failed)
        self.note.sent_until_s = self.play.simulation.now_s

    def _send_live(self, traffic: LiveTraffic) -> None:
        began, told = time.monotonic(), 0.0
        until_s = self.play.simulation.now_s
        for bodies in self.play.live(time.time_ns, lambda: self._goes_on(began)):
            traffic.send(bodies)
            past_s = time.monotonic() - began
            if past_s - told >= _WORDS_EVERY_S:
                told = past_s
                # What was handed over some seconds ago has been exported by now.
                self.note.sent_until_s, until_s = until_s, self.play.simulation.now_s
                self._tell_how_far(past_s, traffic.counts.requests)

    def _tell_how_far(self, past_s: float, requests: int) -> None:
        self.folder.write_note(self.note)
        in_flight = self.play.simulation.in_flight
        self.console.print(live_words(past_s, requests, in_flight, ask_load(self.server.url)))

    def _goes_on(self, began: float) -> bool:
        duration_s = math.inf if self.options.duration is None else self.options.duration
        left_s = duration_s - (time.monotonic() - began)
        if left_s <= 0 or self.stop.wait(min(_LIVE_EVERY_S, left_s)):
            return False
        self.server.assert_runs()
        return True


def run_demo(options: DemoOptions, command: tuple[str, ...] = SERVE) -> None:
    """Run a demo to its end.

    command  how the server is called
    raises   PeaklineError with one sentence when it cannot start or the server ends by itself
    """
    console = Console(stderr=options.is_json, highlight=False, soft_wrap=True)
    fresh = fresh_note(options.scenario, options.seed, options.days, options.requests)
    folder = open_folder(options.data)  # before the ports: of a server that outlived its demo the lock tells more
    _assert_ports_free(options, folder)
    note = _prepare(options, fresh, folder, console)
    story = story_of(note, options.duration)
    truth = TruthRecorder(story.plan, story.scenario.timeline, story.scenario.name)
    play = Play(story.scenario, story.plan, truth)
    folder.write_rules(story.plan, story.schedule)
    server = DemoServer(folder, options.port, options.otlp_http_port, command)
    with stop_on_signal() as stop:
        delivery = Delivery(server.otlp_url)
        running = _Demo(options, folder, note, story, play, truth, server, delivery, console, stop)
        try:
            console.print("Starting the server …")
            server.start(stop.is_set)
            stored = _run(running)
        finally:
            running.delivery.close()
            server.stop()
            folder.write_note(note)
            folder.lock.close()
    truth.write(folder.truth)
    _tell(running, stored)


def _assert_ports_free(options: DemoOptions, folder: DemoFolder) -> None:
    try:
        for port, option in ((options.port, "--port"), (options.otlp_http_port, "--otlp-http-port")):
            assert_port_free(port, option)
    except PeaklineError:
        folder.lock.close()
        raise


def _run(running: _Demo) -> Stored | None:
    """History, live traffic, and what the server says it holds; the server must run."""
    running.console.print(history_words(_days(running), from_midnight=bool(running.note.scenario)))
    began = time.monotonic()
    running.send_history()
    if not running.stop.is_set():
        running.console.print(_first_words(running, time.monotonic() - began))
        running.send_live()
    return ask_ledger(running.server.url, running.note.origin_ns, time.time_ns())


def _days(running: _Demo) -> float:
    """Of the history; a scenario begins at a midnight, so it has a part of a day more."""
    told = running.options.days or running.story.scenario.days
    return told if not running.note.scenario else max(told, round(running.now_s() / _DAY_S, 1))


def _first_words(running: _Demo, took_s: float) -> str:
    history = f"{running.sent.requests:,} requests ({running.sent.spans:,} spans) of history were sent and stored"
    begin = Beginning(running.server.url, _days(running), running.options.duration, time.time())
    words = (
        first_words(begin, running.story.plan, running.story.schedule)
        if not running.note.scenario
        else scenario_words(begin, running.story.plan, running.story.scenario)
    )
    return f"{history} in {took_s:.0f} s. Live traffic begins.\n" + words


def _prepare(options: DemoOptions, fresh: Note, folder: DemoFolder, console: Console) -> Note:
    """The note of a demo that goes on, or a fresh one on an empty folder."""
    if folder.note is not None and options.keep:
        if options.scenario not in {"", folder.note.scenario}:
            folder.lock.close()
            raise DemoFolderError(
                f"{folder.path} holds another story than {options.scenario}; leave out --keep to begin it"
            )
        console.print(f"Going on with the demo in {folder.path}; only what is missing is sent.")
        return folder.note
    if options.keep and folder.data.exists():
        folder.lock.close()
        raise DemoFolderError(f"{folder.path} does not say what its data are; leave out --keep to begin anew")
    if folder.data.exists():
        console.print(
            f"Removing what the last demo stored in {folder.path}; --keep would go on with it.", soft_wrap=True
        )
    folder.clear()
    folder.write_note(fresh)
    return fresh


def _tell(running: _Demo, stored: Stored | None) -> None:
    if running.options.is_json:
        click.echo(json.dumps({"sent": running.sent.document(), "ledger": stored and stored.document}))
        return
    ports = Ports(running.options.port, running.options.otlp_http_port)
    running.console.print(last_words(running.sent, stored, running.folder, ports))
