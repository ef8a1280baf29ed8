"""What happens to a fleet, and when: faults, deploys, scaling, bursts, and what telemetry itself suffers.

Nothing of this leaves the simulation but through its effects; the truth file is the only place that names it.
"""

from typing import Annotated, Literal

from msgspec import Meta

from loadtest.fleet.plan import Amount, Count, Name, Plan, Positive, RateLimit, Retries, Share, Version


class Happening(Plan, frozen=True, kw_only=True, tag_field="kind"):
    """Begins at `at_s` (seconds since the origin, or since live traffic began) and ends `for_s` later, None: never."""

    at_s: Amount
    for_s: Positive | None = None

    @property
    def until_s(self) -> float:
        """Second at which it ends; infinite when it does not."""
        return float("inf") if self.for_s is None else self.at_s + self.for_s


class OnReplicas(Happening, frozen=True, kw_only=True):
    """Something that happens to replicas of a model; no replicas named: to all of them."""

    model: Name
    replicas: tuple[int, ...] = ()


class Behave(OnReplicas, frozen=True, kw_only=True, tag="behave"):
    """Replicas behave differently; what is None stays. One bad replica, another base probability, a silent drift,
    a stall (speed 0), runaway outputs, hung requests.
    """

    speed: Amount | None = None
    error_probability: Share | None = None
    empty_probability: Share | None = None
    runaway_probability: Share | None = None
    hang_probability: Share | None = None
    output_factor: Positive | None = None


class ShrinkCache(OnReplicas, frozen=True, kw_only=True, tag="shrink_cache"):
    """Only this part of the KV cache is left: a leak, or fragmentation."""

    share: Share


class Spread(OnReplicas, frozen=True, kw_only=True, tag="spread"):
    """Replicas span more cards: compute is shared out, exchange crosses racks when they do not fit in one."""

    cards: Count


class SlowLink(Happening, frozen=True, kw_only=True, tag="slow_link"):
    """A rack's links are slower by this factor, so every exchange through them takes longer."""

    rack: int
    factor: Positive


class Train(OnReplicas, frozen=True, kw_only=True, tag="train"):
    """A training job takes the cards: it shares them (speed), or evicts the replicas, which start cold afterwards."""

    mode: Literal["share", "evict"] = "share"
    speed: Annotated[float, Meta(gt=0.0, le=1.0)] = 0.4


class Deploy(OnReplicas, frozen=True, kw_only=True, tag="deploy"):
    """Replicas change to another version.

    mode     `rolling`: drained, restarted and warmed up one after the other; `in_place`: the new weights are loaded
             beside the old ones, which halves the cache and blocks admission meanwhile; `canary`: as rolling, and
             the router gives these replicas `share` of the traffic (0: none; all of it while no others are ready);
             when it ends, the old version comes back. Of several canaries the last one's share is that of all
    every_s  seconds from one replica to the next
    reports  whether telemetry tells the new version; a silent change keeps the old labels
    """

    version: Version
    mode: Literal["rolling", "in_place", "canary"] = "rolling"
    every_s: Positive = 300.0
    share: Share = 0.0
    reports: bool = True


class Scale(Happening, frozen=True, kw_only=True, tag="scale"):
    """The pool gets this many replicas: new ones start cold, superfluous ones are drained."""

    model: Name
    to: Count


class LeakDescriptors(Happening, frozen=True, kw_only=True, tag="leak_descriptors"):
    """A gateway process loses file descriptors; when it ends the process is restarted, in-flight requests lost.

    So is it when another leak of the same gateway goes on: whoever mended this one deployed a new process, which goes
    on leaking at the other one's pace, from nothing.
    """

    gateway: int
    per_s: Positive


class LimitRate(Happening, frozen=True, kw_only=True, tag="limit_rate"):
    """Tenants of a service tier (or all) get this limit, each."""

    limit: RateLimit
    service_tier: str | None = None


class ChangeClients(Happening, frozen=True, kw_only=True, tag="change_clients"):
    """Clients retry in another way."""

    retries: Retries


class FailDependency(Happening, frozen=True, kw_only=True, tag="fail_dependency"):
    """A dependency fails over: calls hang until it is back or they time out, and this share fails at once."""

    dependency: Name
    fails_at_once: Share = 0.2


class Burst(Happening, frozen=True, kw_only=True, tag="burst"):
    """Arrivals are multiplied; a factor over a long time is a busier day, over minutes a pulse."""

    factor: Positive
    service_tier: str | None = None


class LoseSpans(Happening, frozen=True, kw_only=True, tag="lose_spans"):
    """A share of the spans never reaches the receiver."""

    share: Share
    who: Literal["engine", "gateway", "all"] = "engine"


class SkewClock(OnReplicas, frozen=True, kw_only=True, tag="skew_clock"):
    """The replicas' wall clocks are off by so many milliseconds (positive: ahead)."""

    skew_ms: float


class Sample(Happening, frozen=True, kw_only=True, tag="sample"):
    """Only this share of the traces is sampled, decided by trace id at the gateway (OpenTelemetry's `ot=th`)."""

    share: Share


Timeline = tuple[
    Behave
    | ShrinkCache
    | Spread
    | SlowLink
    | Train
    | Deploy
    | Scale
    | LeakDescriptors
    | LimitRate
    | ChangeClients
    | FailDependency
    | Burst
    | LoseSpans
    | SkewClock
    | Sample,
    ...,
]
