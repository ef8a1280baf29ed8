"""Racks: where replicas stand, and how long their cards wait for one another."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Request

_LINK_LATENCY_MS = 0.012
_CONGESTION = 0.15  # one more busy replica on the rack's uplinks makes each exchange through them so much longer


class Tenant(Protocol):
    """What a rack needs of a replica."""

    def refresh(self) -> None:
        """Recompute the speed."""

    def present(self) -> Iterable[Request]:
        """Requests that are there now."""


class Rack:
    """A row of cards behind common links.

    slowness    factor on every exchange through its links, 1.0 when healthy; tell the replicas with `refresh`
    cross_rack  factor on an exchange that leaves a rack, links healthy
    taken       cards that replicas stand on
    crossing    busy replicas whose exchange leaves this rack
    exposure    bits of the happenings that touch its links now; requests meet them in the replicas that stand here
    """

    def __init__(self, index: int, cards: int, cross_rack: float) -> None:
        self.index = index
        self.cards = cards
        self.cross_rack = cross_rack
        self.slowness = 1.0
        self.exposure = 0
        self.taken = 0
        self.replicas: list[Tenant] = []
        self.crossing: set[Tenant] = set()

    @property
    def link_latency_ms(self) -> float:
        """What a probe of the rack's uplinks would measure."""
        return _LINK_LATENCY_MS * self.slowness * (1.0 + _CONGESTION * len(self.crossing))

    def present(self) -> Iterable[Request]:
        """Requests in its replicas."""
        return (request for replica in self.replicas for request in replica.present())

    def refresh(self, *, but: Tenant | None = None) -> None:
        """Let its replicas recompute their speeds."""
        for replica in self.replicas:
            if replica is not but:
                replica.refresh()


def slowness_of(replica: Tenant, racks: Sequence[Rack]) -> float:
    """Factor on a replica's exchange: its slowest rack decides, an exchange across racks takes longer by itself."""
    worst = max(rack.slowness * (1.0 + _CONGESTION * len(rack.crossing - {replica})) for rack in racks)
    return worst * racks[0].cross_rack if len(racks) > 1 else worst


def build_racks(plan: FleetPlan) -> list[Rack]:
    """As many empty racks as the planned replicas of all models fill."""
    cards = sum(model.replicas * model.engine.cards for model in plan.models)
    return [Rack(index, plan.cards_per_rack, plan.cross_rack) for index in range(-(-cards // plan.cards_per_rack))]


def next_rack(racks: list[Rack]) -> int:
    """Index of the rack behind the last card that is taken."""
    last = max((rack.index for rack in racks if rack.taken), default=-1)
    return last if last >= 0 and racks[last].taken < racks[last].cards else last + 1


def take_cards(racks: list[Rack], cards: int, first: int) -> list[tuple[Rack, int]]:
    """Take so many free cards from rack `first` on; racks are added where they run out."""
    holding: list[tuple[Rack, int]] = []
    index = first
    while cards > 0:
        if index == len(racks):
            racks.append(Rack(index, racks[0].cards, racks[0].cross_rack))
        rack = racks[index]
        taken = min(cards, rack.cards - rack.taken)
        if taken > 0:
            rack.taken += taken
            cards -= taken
            holding.append((rack, taken))
        index += 1
    return holding


def release_cards(holding: Iterable[tuple[Rack, int]]) -> None:
    """Free what a replica took."""
    for rack, taken in holding:
        rack.taken -= taken
