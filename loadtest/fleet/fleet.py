"""History: a fleet run as fast as it goes, its spans as OTLP bodies. Live: the same fleet at the pace of a clock."""

from collections.abc import Callable, Iterator

from loadtest.fleet.outbox import Body, Outbox
from loadtest.fleet.plan import Fault, FleetPlan, RisePlan
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.traffic import Traffic

_SLICE_S = 240.0
_NS = 1_000_000_000


class Fleet:
    """A fleet from its first second on. History and live traffic are one simulation: queues carry over."""

    def __init__(self, plan: FleetPlan) -> None:
        self.plan = plan
        self.outbox = Outbox(plan)
        self.simulation = Simulation(plan, self.outbox.add)
        self._traffic = Traffic(plan)
        self.simulation.feed(self._traffic.history(0.0, float("inf")))

    def history(self, end_s: float, spans_per_body: int) -> Iterator[Body]:
        """Bodies of what ends before `end_s`, in order of time; the last one may be small."""
        while self.simulation.now_s < end_s:
            self.simulation.run(min(self.simulation.now_s + _SLICE_S, end_s))
            if self.outbox.held >= spans_per_body:
                yield self.outbox.take(self.simulation.now_s)
        if self.outbox.held:
            yield self.outbox.take(self.simulation.now_s)

    def skip(self, until_s: float) -> None:
        """Run to `until_s` without telling anything: what ended before was told by an earlier run."""
        self.simulation.run(until_s)
        self.outbox.take(until_s)

    def start_rise(self, rise: RisePlan, fault: Fault | None) -> None:
        """From now on load rises, and the replica named by `fault` goes bad at its time."""
        self.simulation.feed(self._traffic.rise(self.simulation.now_s, rise))
        if fault is not None:
            self.simulation.plant(fault)

    def live(self, clock_ns: Callable[[], int], wait: Callable[[], bool]) -> Iterator[list[Body]]:
        """Bodies of what ended since the last look at the clock, one per emitting process.

        clock_ns  epoch nanoseconds; the simulation follows it
        wait      pauses a moment; False ends the stream
        """
        while wait():
            self.simulation.run((clock_ns() - self.plan.origin_ns) / _NS)
            yield self.outbox.take_by_source(self.simulation.now_s)
