"""The cluster at work: arrivals, routes, faults, one clock."""

from collections.abc import Callable, Iterator

from simpy import Environment
from simpy.events import Event, Timeout

from loadtest.fleet.gateway import Route, carried
from loadtest.fleet.plan import Fault, FleetPlan
from loadtest.fleet.request import Request


class Simulation:
    """Runs a fleet in simulated time; `ended` gets every request once, when the gateway is done with it."""

    def __init__(self, plan: FleetPlan, ended: Callable[[Request], None], start_s: float = 0.0) -> None:
        self.plan = plan
        self.env = Environment(initial_time=start_s)
        self.routes = [Route(self.env, model, ended) for model in plan.models]
        self._source: Iterator[Request] = iter(())
        self._next: Event | None = None

    @property
    def now_s(self) -> float:
        """Simulated seconds since the plan's origin."""
        return float(self.env.now)

    @property
    def arrived(self) -> int:
        """Requests that reached the gateway so far."""
        return sum(route.arrived for route in self.routes)

    @property
    def in_flight(self) -> int:
        """Requests that have not ended yet."""
        return sum(route.in_flight for route in self.routes)

    def feed(self, source: Iterator[Request]) -> None:
        """From now on take arrivals from here; what the old source had left never arrives."""
        self._source = source
        self._await_next()

    def plant(self, fault: Fault) -> None:
        """Let a replica go bad at its time, which must not have passed."""
        replica = self.routes[fault.model].replicas[fault.replica]
        timeout = Timeout(self.env, fault.at_s - self.now_s)
        timeout.callbacks.append(
            lambda _: replica.change(
                speed=fault.speed,
                error_probability=fault.error_probability,
                empty_probability=fault.empty_probability,
            )
        )

    def run(self, until_s: float) -> None:
        """Let everything happen that happens before `until_s`."""
        if until_s > self.now_s:
            self.env.run(until=until_s)

    def _await_next(self) -> None:
        request = next(self._source, None)
        if request is None:
            self._next = None
            return
        self._next = timeout = Timeout(self.env, max(request.arrival_s - self.now_s, 0.0), request)
        timeout.callbacks.append(self._arrive)

    def _arrive(self, event: Event) -> None:
        if event is not self._next:
            return  # the source was changed
        request = carried(event)
        self.routes[request.model].arrive(request)
        self._await_next()
