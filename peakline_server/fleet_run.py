"""The course of `peakline fleet run`: the history of a scenario, live traffic if asked for, the truth, a summary."""

import json
import threading
import time
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from loadtest.emission.outbox import Body
from loadtest.fleet.plan import FleetPlan
from loadtest.scenarios.catalogue import Overrides, fleet_plan, load
from loadtest.scenarios.play import Play
from loadtest.scenarios.schema import Scenario
from loadtest.scenarios.truth import TruthRecorder, prepare
from loadtest.scenarios.truth_touched import instant
from peakline_server.client_token import NO_CREDENTIALS, Credentials, warn_in_the_clear
from peakline_server.fleet_out import Destination, Folder, Receiver
from peakline_server.live_traffic import Counts, LiveTraffic
from peakline_server.progress import history_progress
from peakline_server.stopping import stop_on_signal, until_stopped
from vocabulary.errors import PeaklineError
from vocabulary.pools import SECOND_NS

_DAY_NS = 86_400 * SECOND_NS
_SPANS_PER_BODY = 10_000
_METRICS_EVERY_S = 300.0
_METRICS_LIVE_EVERY_S = 15.0
_LIVE_EVERY_S = 1.0
_CAUGHT_UP_S = 2.0
_RATES_HEADER, _HEADER_MAX = "t_s", 1000


class RunUsageError(PeaklineError):
    """Options that cannot be used together."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `peakline fleet run` was told.

    out          folder for the bodies instead of a receiver
    days         of history, None: the scenario's
    live         seconds of live traffic after it
    credentials  for the receiver
    """

    scenario: str
    to: str
    out: Path | None
    days: float | None
    requests: int | None
    seed: int
    origin: datetime | None
    traffic_file: Path | None
    has_metrics: bool
    live: float | None
    truth: Path | None
    is_json: bool
    credentials: Credentials = NO_CREDENTIALS


@dataclass
class _Run:
    """One run under way.

    end_s   simulated second at which the history ends; None: now, as long as sending takes
    """

    options: RunOptions
    scenario: Scenario
    plan: FleetPlan
    play: Play
    truth: TruthRecorder | None
    destination: Destination
    end_s: float | None
    console: Console
    stop: threading.Event
    sent: Counts = field(default_factory=Counts)
    left_out_points: int = 0
    failed: int = 0

    def history(self) -> None:
        """Everything up to the end; where that is now, again until nothing is left."""
        with history_progress(self.console, is_silent=self.options.is_json) as progress:
            task = progress.add_task(self.scenario.name, total=self._end_s())
            while not self.stop.is_set() and self._end_s() - self.play.simulation.now_s > self._slack_s():
                bodies = until_stopped(self.play.history(self._end_s(), _SPANS_PER_BODY), self.stop)
                for body, rejected in self.destination.send(bodies):
                    self._count(body, rejected)
                    progress.update(task, completed=body.until_s, total=self._end_s())

    def live(self, seconds: float) -> None:
        """Live traffic at the pace of the clock, through the SDK."""
        self.play.begin_live(_METRICS_LIVE_EVERY_S)
        self.console.print(f"Live traffic of {self.scenario.name} for {seconds:g} s …")
        traffic = LiveTraffic(self.options.to, self.destination.absent, self.options.credentials)
        began, start_ns = time.monotonic(), self.plan.origin_ns + round(self.play.simulation.now_s * SECOND_NS)

        def goes_on() -> bool:
            left_s = seconds - (time.monotonic() - began)
            return left_s > 0 and not self.stop.wait(min(_LIVE_EVERY_S, left_s))

        try:
            clock = lambda: start_ns + round((time.monotonic() - began) * SECOND_NS)  # noqa: E731 - one expression
            for bodies in self.play.live(clock, goes_on):
                traffic.send(bodies)
        finally:
            traffic.close()
        for name, count in asdict(traffic.counts).items():
            setattr(self.sent, name, getattr(self.sent, name) + count)
        self.left_out_points += traffic.left_out_points
        self.failed += traffic.failed

    def document(self) -> dict[str, Any]:
        """The summary as JSON."""
        now_s = self.play.simulation.now_s
        return {
            "scenario": self.scenario.name,
            "seed": self.plan.seed,
            "origin": instant(self.plan, 0.0),
            "until": instant(self.plan, now_s),
            **asdict(self.sent),
            "failed": self.failed,
            "left_out_points": self.left_out_points,
            "lost_spans": self.play.outbox.lost,
            "unsampled_traces": self.play.outbox.unsampled,
            "in_flight": self.play.simulation.in_flight,
        }

    def _end_s(self) -> float:
        return (time.time_ns() - self.plan.origin_ns) / SECOND_NS if self.end_s is None else self.end_s

    def _slack_s(self) -> float:
        return _CAUGHT_UP_S if self.end_s is None else 0.0

    def _count(self, body: Body, rejected: int) -> None:
        if body.signal not in self.destination.absent:
            self.sent.add(body, rejected)
            return
        if not self.left_out_points:
            self.console.print(f"The receiver knows no /v1/{body.signal}; they are left out.")
        self.left_out_points += body.points


def run_fleet(options: RunOptions) -> bool:
    """Play a scenario; returns whether everything was taken.

    raises  PeaklineError with one sentence when the scenario or the receiver cannot be used
    """
    if options.out is not None and options.live is not None:
        raise RunUsageError("--live needs a receiver; leave out --out, or --live")
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    scenario = load(options.scenario)
    days = options.days or scenario.days
    plan = _plan(options, scenario, days)
    truth = None if options.truth is None else TruthRecorder(plan, scenario.timeline, scenario.name)
    end_s = None if options.live is not None and options.origin is None else days * _DAY_NS / SECOND_NS
    play = Play(scenario, plan, truth, _METRICS_EVERY_S if options.has_metrics else None)
    if options.truth is not None:
        prepare(options.truth)
    with stop_on_signal(second_kills=True) as stop:
        destination = _destination(options, stop)
        run = _Run(options, scenario, plan, play, truth, destination, end_s, console, stop)
        try:
            run.history()
            if options.live is not None and not stop.is_set():
                run.live(options.live)
        finally:
            destination.close({key: run.document()[key] for key in ("scenario", "seed", "origin", "until")})
        if truth is not None and options.truth is not None:
            truth.write(options.truth)
    _tell(run)
    return not (run.sent.rejected or run.failed)


def _destination(options: RunOptions, stop: threading.Event) -> Destination:
    if options.out is not None:
        return Folder(options.out)
    warn_in_the_clear(options.credentials, options.to)
    return Receiver(options.to, stop, options.credentials)


def _plan(options: RunOptions, scenario: Scenario, days: float) -> FleetPlan:
    per_day = None if options.requests is None else options.requests / days
    overrides = Overrides(requests_per_day=per_day, **_traffic_file(options.traffic_file))
    return fleet_plan(scenario, options.seed, _origin_ns(options, days), overrides)


def _traffic_file(path: Path | None) -> dict[str, str]:
    """Which of the two kinds of files it is, by its first line."""
    if path is None:
        return {}
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            is_rates = file.readline(_HEADER_MAX).strip().startswith(_RATES_HEADER)
    except OSError as fault:
        raise RunUsageError(f"{path} cannot be read: {fault.strerror}") from fault
    return {"rates_file" if is_rates else "arrivals_file": str(path)}


def _origin_ns(options: RunOptions, days: float) -> int:
    """The first midnight: as told, or the last one from which `days` have passed by now (live) or by last midnight."""
    if options.origin is not None:
        return round(options.origin.timestamp()) * SECOND_NS
    now_ns = time.time_ns()
    end_ns = now_ns if options.live is not None else now_ns - now_ns % _DAY_NS
    start_ns = end_ns - round(days * _DAY_NS)
    return start_ns - start_ns % _DAY_NS


def _tell(run: _Run) -> None:
    told = run.document()
    if run.options.is_json:
        click.echo(json.dumps(told))
        return
    where = f"written to {run.options.out}" if run.options.out else f"sent to {run.options.to}"
    sent = run.sent
    lines = [
        f"{told['scenario']}, seed {told['seed']}, {told['origin']} to {told['until']}",
        f"  {where}: {sent.requests:,} requests in {sent.spans:,} spans, {sent.points:,} data points",
        f"  refused {sent.rejected:,}, failed {run.failed:,}; in flight at the end {told['in_flight']:,}",
    ]
    if told["lost_spans"] or told["unsampled_traces"]:
        lost, unsampled = told["lost_spans"], told["unsampled_traces"]
        lines.append(f"  as the scenario has it: {lost:,} spans lost, {unsampled:,} traces not sampled")
    if run.left_out_points:
        lines.append(f"  left out {run.left_out_points:,} data points: the receiver takes no metrics")
    if run.options.truth:
        lines.append(f"  truth in {run.options.truth}; `peakline fleet truth {run.options.truth}` tells it")
    click.echo("\n".join(lines))
