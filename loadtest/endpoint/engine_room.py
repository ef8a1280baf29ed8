"""The simulated cluster on the wall clock: requests enter, wait and leave inside the event loop, without a thread.

One task runs the simulation up to now whenever something is due in it; a request that waits is woken when its first
token is there and when it ended. Nobody is woken per token: a stream looks at the clock and takes what is there.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec

from loadtest.endpoint.clock import Clock
from loadtest.fleet.plan import FleetPlan, Retries
from loadtest.fleet.replica import Replica
from loadtest.fleet.request import Phase, Request
from loadtest.fleet.simulation import Simulation

_REST_S = 0.001  # the shortest sleep of the pump: what is due within it happens together
_SLEEP_S = 0.5
_LOOK_S = 0.012  # a stream looks for new tokens so often …
_LOOK_PER_STREAM_S = 0.0003  # … and less often the more streams there are, so that their number never starves the loop
_PATIENT_S = 1e9  # the client on the other side of the socket decides by itself when to go


@dataclass(slots=True, eq=False)
class Ticket:
    """A request on its way; `news` returns at its next change, or when somebody called `wake`."""

    request: Request
    is_gone: bool = False
    _waiter: "asyncio.Future[None] | None" = None

    @property
    def is_over(self) -> bool:
        """Ended, or left by its client."""
        return self.is_gone or self.request.phase is Phase.ENDED

    @property
    def has_begun(self) -> bool:
        """The first token is there."""
        return self.request.first_token_s >= 0

    async def news(self, at_most_s: float | None = None) -> None:
        """Wait for the next change, or so many seconds of the wall clock."""
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = None if at_most_s is None else loop.call_later(at_most_s, self.wake)
        try:
            await self._waiter
        finally:
            if timer is not None:
                timer.cancel()

    def wake(self) -> None:
        """End a wait."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


@dataclass(slots=True)
class EngineRoom:
    """A simulation that follows a clock. Use it from one event loop.

    heard  told of every request that ended, once
    """

    plan: FleetPlan
    clock: Clock
    heard: list[Callable[[Request], None]] = field(default_factory=list)
    simulation: Simulation = field(init=False)
    tickets: dict[int, Ticket] = field(default_factory=dict)
    _beginning: dict[int, Ticket] = field(default_factory=dict)
    _behaviours: dict[int, tuple[list[Replica], dict[str, Any]]] = field(default_factory=dict)
    _chance: Random = field(init=False)
    _arrivals: int = 0
    _kick: asyncio.Event = field(default_factory=asyncio.Event)
    _pump: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        # Whoever calls retries by himself, so the simulated clients must not.
        self.plan = msgspec.structs.replace(self.plan, clients=Retries(share=0.0))
        self.simulation = Simulation(self.plan, self._ended)
        self._chance = Random(self.plan.seed)

    def enter(self, request: Request) -> Ticket:
        """Let a request arrive now. Its number, arrival, luck and patience are set here."""
        self.start()
        self.advance()
        request.number = self._arrivals
        self._arrivals += 1
        request.arrival_s = self.simulation.now_s
        request.luck, request.when = self._chance.random(), self._chance.random()
        request.patience_s = _PATIENT_S
        ticket = Ticket(request)
        self.tickets[request.number] = self._beginning[request.number] = ticket
        self.simulation.arrive(request)
        self._look_around()
        self._kick.set()
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """The client is gone: place, slot and cache are free at once."""
        request = ticket.request
        if request.phase is not Phase.ENDED:
            self.advance()
            self.simulation.leave(request)
            self._kick.set()
        ticket.is_gone = True
        ticket.wake()

    def tokens(self, ticket: Ticket) -> int:
        """Tokens of its answer so far."""
        request = ticket.request
        self.advance()
        if request.phase is Phase.DECODE and not ticket.is_over:
            return int(self.replica(request).tokens_now(request) + 1e-6)
        return int(request.tokens + 1e-6)

    def replica(self, request: Request) -> Replica:
        """The replica that works on it."""
        return self.simulation.pools[request.model].replicas[request.place]

    @property
    def look_s(self) -> float:
        """How long a stream sleeps before it looks for new tokens."""
        return max(_LOOK_S, len(self.tickets) * _LOOK_PER_STREAM_S)

    def advance(self) -> None:
        """Let happen what is due by now."""
        now_s = self.clock.now_s()
        if now_s - self.simulation.now_s >= self.clock.speed * _REST_S / 2:
            self.simulation.run(now_s)
            self.simulation.notes.clear()  # nobody reads them here, and an endpoint may run for weeks
            self._look_around()

    def behave(self, number: int, replicas: list[Replica], changes: dict[str, Any]) -> None:
        """Replicas behave differently from now on, until `unbehave` with the same number."""
        self.advance()
        self._behaviours[number] = (replicas, changes)
        self._apply(replicas)

    def unbehave(self, number: int) -> bool:
        """End a change of behaviour; False where there is none of that number."""
        replicas, _ = self._behaviours.pop(number, ([], {}))
        self.advance()
        self._apply(replicas)
        return bool(replicas)

    def restart(self, replicas: list[Replica]) -> None:
        """Replicas of one model lose all they have and start again, cold."""
        self.advance()
        pool = self.simulation.pools[replicas[0].identity.model]
        places = [replica.place for replica in replicas]
        pool.evict(places)
        pool.restore(places)
        self._kick.set()

    def later(self, simulated_s: float, what: Callable[[], object]) -> asyncio.TimerHandle:
        """Do something when so much simulated time has passed."""
        return asyncio.get_running_loop().call_later(self.clock.wall_s(simulated_s), what)

    def start(self) -> None:
        """Begin to follow the clock, if that has not happened in this event loop."""
        if self._pump is None or self._pump.done():
            self._pump = asyncio.get_running_loop().create_task(self._follow())

    async def stop(self) -> None:
        """Stop following the clock; who waits is woken as if its client were gone."""
        for ticket in list(self.tickets.values()):
            self.leave(ticket)
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._kick.clear()
            self.advance()
            due_s = self.clock.wall_s(self.simulation.next_event_s - self.clock.now_s())
            timer = loop.call_later(min(max(due_s, _REST_S), _SLEEP_S), self._kick.set)
            await self._kick.wait()
            timer.cancel()

    def _apply(self, replicas: list[Replica]) -> None:
        for replica in replicas:
            merged: dict[str, Any] = {}
            for touched, change in self._behaviours.values():
                merged |= change if replica in touched else {}
            replica.behave(msgspec.structs.replace(replica.version.behaviour, **merged))
        self._kick.set()

    def _look_around(self) -> None:
        """Wake those whose first token is there."""
        begun = [ticket for ticket in self._beginning.values() if ticket.has_begun]
        for ticket in begun:
            del self._beginning[ticket.request.number]
            ticket.wake()

    def _ended(self, request: Request) -> None:
        ticket = self.tickets.pop(request.number, None)
        self._beginning.pop(request.number, None)
        if ticket is not None:
            ticket.wake()
        for hear in self.heard:
            hear(request)
