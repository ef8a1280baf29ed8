"""History: a fleet run as fast as it goes, its telemetry as OTLP bodies. Live: the same fleet at a clock's pace."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec

from loadtest.emission.metrics import MetricsSampler
from loadtest.emission.outbox import Body, Outbox, joined
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import Burst
from loadtest.fleet.traffic import Traffic
from loadtest.scenarios.live_arrivals import live_arrivals
from loadtest.scenarios.schema import ScenarioFile
from loadtest.scenarios.truth import TruthRecorder

_SLICE_S = 240.0
_NS = 1_000_000_000
_LIVE_NUMBERS = 1 << 46


class Play:
    """A fleet at work. History and live traffic are one simulation: queues carry over.

    truth            gets every request that ends
    metrics_every_s  simulated seconds between two samples of the fleet's state; None: spans only
    start_s          second at which the run begins, with empty queues
    raises           PlanError when the timeline speaks of something that the plan does not have
    """

    def __init__(
        self,
        scenario: ScenarioFile,
        plan: FleetPlan,
        truth: TruthRecorder | None = None,
        metrics_every_s: float | None = None,
        start_s: float = 0.0,
    ) -> None:
        self.scenario = scenario
        self.plan = plan
        self.truth = truth
        self.simulation = Simulation(plan, self._ended, scenario.timeline, start_s)
        self.outbox = Outbox(plan, self.simulation.telemetry)
        self.metrics = None if metrics_every_s is None else MetricsSampler(self.simulation, metrics_every_s)
        if truth is not None:
            truth.attach(self.simulation)
        self._traffic = Traffic(plan, scenario.timeline)
        self.simulation.feed(self._traffic.history(start_s, float("inf")))

    def history(self, end_s: float, spans_per_body: int) -> Iterator[Body]:
        """Bodies of what ends before `end_s`, in order of time; the last one may be small."""
        while self.simulation.now_s < end_s:
            self.simulation.run(min(self.simulation.now_s + _SLICE_S, end_s))
            if self.outbox.held >= spans_per_body:
                yield from self._take()
        yield from self._take()

    def skip(self, until_s: float) -> None:
        """Run to `until_s` without telling anything but the truth: the rest was told by an earlier run."""
        while self.simulation.now_s < until_s:
            self.simulation.run(min(self.simulation.now_s + _SLICE_S, until_s))
            for _ in self._take():
                pass

    def begin_live(self, metrics_every_s: float | None = None) -> None:
        """From now on arrivals follow the scenario's rise, if it has one, and its live part happens.

        metrics_every_s  another pace of metrics from now on, where they were asked for
        """
        if self.metrics is not None and metrics_every_s is not None:
            self.metrics = MetricsSampler(self.simulation, metrics_every_s)
        now_s, told = self.simulation.now_s, len(self.simulation.timeline)
        live = tuple(msgspec.structs.replace(one, at_s=now_s + one.at_s) for one in self.scenario.live)
        self.simulation.plant_all(live, told)
        if self.truth is not None:
            self.truth.planted(live)
        if self.scenario.rise is not None:
            self.simulation.feed(live_arrivals(self.plan, now_s, self.scenario.rise, live))
        elif any(isinstance(one, Burst) for one in live):
            drawn = Traffic(self.plan, (*self.scenario.timeline, *live)).history(now_s, float("inf"))
            self.simulation.feed(map(_renumbered, drawn))

    def live(self, clock_ns: Callable[[], int], wait: Callable[[], bool]) -> Iterator[list[Body]]:
        """Bodies of what ended since the last look at the clock, one per emitting process.

        clock_ns  epoch nanoseconds; the simulation follows it
        wait      pauses a moment; False ends the stream
        """
        while wait():
            self.simulation.run((clock_ns() - self.plan.origin_ns) / _NS)
            now_s = self.simulation.now_s
            yield [*self.outbox.take_by_source(now_s), *self._samples(now_s)]

    def _take(self) -> Iterator[Body]:
        now_s = self.simulation.now_s
        sample = joined(self._samples(now_s))
        if sample is not None:
            yield replace(sample, until_s=now_s)
        if self.outbox.held:
            yield self.outbox.take(now_s)

    def _samples(self, until_s: float) -> list[Body]:
        return [] if self.metrics is None else self.metrics.take(until_s)

    def _ended(self, request: Request) -> None:
        self.outbox.add(request)
        if self.truth is not None:
            self.truth.add(request)


def _renumbered(request: Request) -> Request:
    """A burst redraws the hour under way: its numbers, and so its ids, must not meet those that were told."""
    request.number += _LIVE_NUMBERS
    return request
