"""Which replica gets a request: the least loaded, the one that knows the session, or the canary."""

from collections.abc import Collection, Sequence
from typing import Protocol

from loadtest.fleet.chance import CANARY, portion
from loadtest.fleet.replica import Replica
from loadtest.fleet.request import Request

_DETOUR = 4  # a replica that knows the session is taken only while it has fewer than so many more in flight
_SESSIONS_MAX = 1 << 16


class Replicas(Protocol):
    """What the router needs of a pool."""

    canary_share: float

    @property
    def replicas(self) -> Sequence[Replica]: ...

    @property
    def canary(self) -> frozenset[int]: ...

    def ready(self) -> list[Replica]: ...


class Router:
    """Picks replicas of one pool, for all gateways, which see the same loads."""

    def __init__(self, pool: Replicas, *, affinity: bool) -> None:
        self.pool = pool
        self.affinity = affinity
        self._turn = 0
        self._places: dict[int, int] = {}  # where each of the latest sessions was answered last

    def choose(self, request: Request, shut: Collection[int]) -> Replica | None:
        """The replica to ask, None when there is none. Those whose place is in `shut` are left out."""
        ready = self.pool.ready()
        if shut:
            ready = [replica for replica in ready if replica.place not in shut]
        if self.pool.canary:
            ready = self._on_its_side(request, ready)
        if not ready:
            return None
        if not self.affinity or request.session < 0:
            return self._least_loaded(ready)
        return self._near_its_context(request, ready)

    def _on_its_side(self, request: Request, ready: list[Replica]) -> list[Replica]:
        """Canaries for their share, the others for the rest; while one side has nobody the other one takes all."""
        canary = self.pool.canary
        is_for_canary = portion(request.number, CANARY) < self.pool.canary_share
        return [replica for replica in ready if (replica.place in canary) is is_for_canary] or ready

    def _least_loaded(self, ready: list[Replica]) -> Replica:
        """Fewest requests in flight; among equals the next in turn, so that idle replicas share."""
        self._turn += 1  # never cut to the length of one list: the next one may be longer
        turn = self._turn % len(ready)
        found = ready[turn]
        least = found.in_flight
        if least:
            for replica in ready[turn + 1 :] + ready[:turn]:
                if replica.in_flight < least:
                    found, least = replica, replica.in_flight
        return found

    def _near_its_context(self, request: Request, ready: list[Replica]) -> Replica:
        session, places = request.session, self._places
        found: Replica | None = None
        place = places.pop(session, -1)
        if place >= 0:
            known = self.pool.replicas[place]
            if known in ready and known.holds(session):
                found = known
        if found is None:
            found = self._least_loaded(ready)
        elif found.in_flight >= _DETOUR:
            other = self._least_loaded(ready)
            found = other if found.in_flight - other.in_flight >= _DETOUR else found
        places[session] = found.place
        if len(places) > _SESSIONS_MAX:
            del places[next(iter(places))]
        return found
