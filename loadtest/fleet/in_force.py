"""What is in force while several happenings overlap: factors multiply, of alternatives the latest begun counts.

Everything is worked out from all that is active, so nothing has to remember what was there before.
"""

from math import prod
from typing import TypeVar

import msgspec

from loadtest.fleet.plan import Behaviour, RateLimit, Retries
from loadtest.fleet.timeline import (
    Behave,
    ChangeClients,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    LoseSpans,
    OnReplicas,
    Sample,
    Scale,
    ShrinkCache,
    SkewClock,
    SlowLink,
    Spread,
    Train,
)

Kind = TypeVar("Kind", bound=Happening)
KindOnReplicas = TypeVar("KindOnReplicas", bound=OnReplicas)
_BEHAVIOUR = tuple(field for field in Behaviour.__struct_fields__)
_NS_PER_MS = 1_000_000


class InForce:
    """Happenings that have begun and not ended, by index, in the order in which they began."""

    def __init__(self) -> None:
        self.active: dict[int, Happening] = {}

    def every(self, kind: type[Kind]) -> list[Kind]:
        """All of a kind, the latest begun last."""
        return [happening for happening in self.active.values() if isinstance(happening, kind)]

    def on(self, kind: type[KindOnReplicas], model: str, place: int) -> list[KindOnReplicas]:
        """All of a kind that cover a replica."""
        return [happening for happening in self.every(kind) if covers(happening, model, place)]

    def behaviour(self, own: Behaviour, model: str, place: int) -> Behaviour:
        """A replica's behaviour, whose version alone would give it `own`."""
        changes = {}
        for happening in self.on(Behave, model, place):
            for name in _BEHAVIOUR:
                if (value := getattr(happening, name)) is not None:
                    changes[name] = value
        return msgspec.structs.replace(own, **changes) if changes else own

    def cache_share(self, model: str, place: int) -> float:
        """Part of the KV cache that is left."""
        return prod(happening.share for happening in self.on(ShrinkCache, model, place))

    def training_share(self, model: str, place: int) -> float:
        """Factor on the speed that training leaves."""
        return prod(one.speed for one in self.on(Train, model, place) if one.mode == "share")

    def is_evicted(self, model: str, place: int) -> bool:
        """Whether training has the cards for itself."""
        return any(one.mode == "evict" for one in self.on(Train, model, place))

    def skew_ns(self, model: str, place: int) -> int:
        """How far the replica's clock is ahead."""
        return round(sum(happening.skew_ms for happening in self.on(SkewClock, model, place)) * _NS_PER_MS)

    def cards(self, planned: int, model: str, place: int) -> int:
        """Cards that the replica spans."""
        spreads = self.on(Spread, model, place)
        return spreads[-1].cards if spreads else planned

    def replicas(self, planned: int, model: str) -> int:
        """Size of the pool."""
        scales = [happening for happening in self.every(Scale) if happening.model == model]
        return scales[-1].to if scales else planned

    def slowness(self, rack: int) -> float:
        """Factor on exchanges through a rack's links."""
        return prod(happening.factor for happening in self.every(SlowLink) if happening.rack == rack)

    def leak_per_s(self, gateway: int) -> float:
        """Descriptors that a gateway loses per second."""
        return sum(happening.per_s for happening in self.every(LeakDescriptors) if happening.gateway == gateway)

    def limit(self, planned: RateLimit | None, service_tier: str) -> RateLimit | None:
        """A tenant's limit."""
        limits = [one.limit for one in self.every(LimitRate) if one.service_tier in {None, service_tier}]
        return limits[-1] if limits else planned

    def retries(self, planned: Retries) -> Retries:
        """How clients retry."""
        changes = self.every(ChangeClients)
        return changes[-1].retries if changes else planned

    def failure(self, dependency: str) -> FailDependency | None:
        """How a dependency fails, None while it is healthy."""
        failures = [happening for happening in self.every(FailDependency) if happening.dependency == dependency]
        return failures[-1] if failures else None

    def span_loss(self, who: str) -> float:
        """Share of a component's spans that is lost: what one loss leaves, the next one takes its share of."""
        kept = prod(1.0 - happening.share for happening in self.every(LoseSpans) if happening.who in {who, "all"})
        return 1.0 - kept

    def sample_share(self) -> float:
        """Share of the traces that is sampled. All compare the same number with their threshold: the least decides."""
        return min((happening.share for happening in self.every(Sample)), default=1.0)


def covers(happening: OnReplicas, model: str, place: int) -> bool:
    """Whether it is about this replica."""
    return happening.model == model and (not happening.replicas or place in happening.replicas)
