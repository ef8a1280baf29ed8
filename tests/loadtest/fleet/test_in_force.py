"""What is in force while several happenings overlap."""

import pytest

from loadtest.fleet.in_force import InForce
from loadtest.fleet.plan import RateLimit, Retries
from loadtest.fleet.timeline import (
    Behave,
    ChangeClients,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    LoseSpans,
    Sample,
    Scale,
    ShrinkCache,
    SkewClock,
    SlowLink,
    Spread,
    Train,
)
from tests.factories.clusters import CALM, Scene


def of(*happenings: Happening) -> InForce:
    force = InForce()
    force.active.update(enumerate(happenings))
    return force


def test_nothing_active_changes_nothing() -> None:
    force = of()
    assert force.behaviour(CALM, "chat", 0) is CALM
    assert (force.cache_share("chat", 0), force.training_share("chat", 0), force.skew_ns("chat", 0)) == (1.0, 1.0, 0)
    assert (force.cards(3, "chat", 0), force.replicas(4, "chat"), force.slowness(0)) == (3, 4, 1.0)
    assert (force.leak_per_s(0), force.limit(None, "core"), force.retries(Retries())) == (0, None, Retries())
    assert (force.failure("redis"), force.span_loss("engine"), force.sample_share()) == (None, 0.0, 1.0)
    assert not force.is_evicted("chat", 0)


def test_only_the_replicas_named_are_touched() -> None:
    force = of(ShrinkCache(at_s=0.0, model="chat", replicas=(1, 2), share=0.5))
    assert [force.cache_share("chat", place) for place in range(4)] == [1.0, 0.5, 0.5, 1.0]
    assert force.cache_share("reason", 1) == 1.0
    assert of(ShrinkCache(at_s=0.0, model="chat", share=0.5)).cache_share("chat", 7) == 0.5


def test_behaviours_lie_on_one_another_field_by_field() -> None:
    force = of(
        Behave(at_s=0.0, model="chat", speed=0.5, error_probability=0.1),
        Behave(at_s=1.0, model="chat", error_probability=0.3, output_factor=1.5),
    )
    found = force.behaviour(CALM, "chat", 0)
    assert (found.speed, found.error_probability, found.output_factor) == (0.5, 0.3, 1.5)
    assert found.empty_probability == CALM.empty_probability


def test_factors_multiply() -> None:
    assert of(*(ShrinkCache(at_s=0.0, model="chat", share=0.5),) * 2).cache_share("chat", 0) == 0.25
    assert of(*(SlowLink(at_s=0.0, rack=1, factor=3.0),) * 2).slowness(1) == 9.0
    assert of(*(Train(at_s=0.0, model="chat", speed=0.5),) * 2).training_share("chat", 0) == 0.25


def test_offsets_and_rates_add_up() -> None:
    assert of(*(SkewClock(at_s=0.0, model="chat", skew_ms=-1.5),) * 2).skew_ns("chat", 0) == -3_000_000
    assert of(*(LeakDescriptors(at_s=0.0, gateway=1, per_s=0.5),) * 2).leak_per_s(1) == 1.0


def test_of_alternatives_the_latest_begun_counts() -> None:
    limits = [RateLimit(requests_per_s=rate, burst=1) for rate in (1.0, 2.0, 3.0)]
    force = of(LimitRate(at_s=0.0, limit=limits[0]), LimitRate(at_s=0.0, limit=limits[1], service_tier="core"))
    assert (force.limit(limits[2], "core"), force.limit(limits[2], "batch")) == (limits[1], limits[0])
    assert of(*(Scale(at_s=0.0, model="chat", to=to) for to in (9, 5))).replicas(4, "chat") == 5
    assert of(*(Spread(at_s=0.0, model="chat", cards=cards) for cards in (9, 5))).cards(3, "chat", 0) == 5
    changes = [Retries(share=share) for share in (0.1, 0.9)]
    assert of(*(ChangeClients(at_s=0.0, retries=retries) for retries in changes)).retries(Retries()) == changes[1]
    failures = [FailDependency(at_s=0.0, dependency="redis", fails_at_once=share) for share in (0.1, 0.9)]
    assert of(*failures).failure("redis") is failures[1]


def test_training_evicts_or_shares() -> None:
    force = of(Train(at_s=0.0, model="chat", replicas=(1,), mode="evict", speed=0.1))
    assert (force.is_evicted("chat", 1), force.is_evicted("chat", 0)) == (True, False)
    assert force.training_share("chat", 1) == 1.0


def test_losses_take_their_share_of_what_others_left() -> None:
    force = of(LoseSpans(at_s=0.0, share=0.5, who="all"), LoseSpans(at_s=0.0, share=0.2, who="gateway"))
    assert [force.span_loss(who) for who in ("engine", "gateway")] == pytest.approx([0.5, 0.6])


def test_the_least_share_of_samples_decides() -> None:
    assert of(Sample(at_s=0.0, share=0.1), Sample(at_s=0.0, share=0.5)).sample_share() == 0.1


def test_what_is_in_force_at_a_late_start_does_not_depend_on_the_order_of_the_file() -> None:
    timeline = tuple(Behave(at_s=at_s, model="chat", speed=speed) for at_s, speed in ((50.0, 0.5), (10.0, 2.0)))
    speeds = []
    for start_s in (0.0, 100.0):
        scene = Scene(timeline=timeline, start_s=start_s)
        scene.run(101.0)
        speeds.append(scene.simulation.pools[0].replicas[0].behaviour.speed)
    assert speeds == [0.5, 0.5]
