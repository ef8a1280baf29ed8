"""Where replicas stand, and what that does to their exchange."""

from itertools import count
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from simpy import Environment

from loadtest.fleet.plan import ModelPlan
from loadtest.fleet.pool import Pool
from loadtest.fleet.rack import Rack, build_racks, next_rack, release_cards, slowness_of, take_cards
from loadtest.fleet.request import Request
from loadtest.scenarios.catalogue import load
from tests.factories.clusters import CALM, asking
from tests.factories.fleets import fleet_plan


class Standing:
    """Something that stands in racks."""

    def __init__(self) -> None:
        self.refreshed = 0
        self.requests: list[Request] = []

    def refresh(self) -> None:
        self.refreshed += 1

    def present(self) -> list[Request]:
        return self.requests


def row(racks: int, cards: int = 8) -> list[Rack]:
    return [Rack(index, cards, 6.0) for index in range(racks)]


def test_there_are_as_many_racks_as_the_planned_cards_fill() -> None:
    plan = fleet_plan()
    cards = sum(model.replicas * model.engine.cards for model in plan.models)
    assert len(build_racks(plan)) == -(-cards // plan.cards_per_rack)


def test_replicas_fill_racks_one_after_the_other_and_span_two_where_one_ends() -> None:
    racks = row(3)
    standing = [[rack.index for rack, _ in take_cards(racks, 3, next_rack(racks))] for _ in range(6)]
    assert standing == [[0], [0], [0, 1], [1], [1], [1, 2]]


def test_racks_are_added_where_they_run_out() -> None:
    racks = row(1)
    take_cards(racks, 20, next_rack(racks))
    assert [rack.taken for rack in racks] == [8, 8, 4]
    assert [(rack.index, rack.cross_rack) for rack in racks] == [(0, 6.0), (1, 6.0), (2, 6.0)]


def test_released_cards_are_free_again() -> None:
    racks = row(2)
    holding = take_cards(racks, 10, 0)
    release_cards(holding)
    assert [rack.taken for rack in racks] == [0, 0]


def test_an_exchange_across_racks_is_slower_and_the_slowest_rack_decides() -> None:
    racks, replica = row(2), Standing()
    assert slowness_of(replica, racks[:1]) == 1.0
    assert slowness_of(replica, racks) == 6.0
    racks[1].slowness = 4.0
    assert (slowness_of(replica, racks), slowness_of(replica, racks[:1])) == (24.0, 1.0)


def test_busy_neighbours_whose_exchange_leaves_the_rack_congest_it() -> None:
    racks, replica, neighbour = row(2), Standing(), Standing()
    racks[0].crossing = {replica, neighbour}
    assert slowness_of(replica, racks) == pytest.approx(6.0 * 1.15)


def test_a_probe_of_the_links_sees_slowness_and_congestion() -> None:
    rack = row(1)[0]
    healthy = rack.link_latency_ms
    rack.slowness = 5.0
    assert rack.link_latency_ms == pytest.approx(5.0 * healthy)
    rack.crossing = {Standing()}
    assert rack.link_latency_ms > 5.0 * healthy


def test_all_in_a_rack_recompute_but_the_one_that_knows() -> None:
    rack, one, other = row(1)[0], Standing(), Standing()
    rack.replicas = [one, other]
    rack.refresh(but=one)
    assert (one.refreshed, other.refreshed) == (0, 1)


def test_requests_in_a_rack_are_those_of_its_replicas() -> None:
    rack, one, other = row(1)[0], Standing(), Standing()
    rack.replicas = [one, other]
    one.requests, other.requests = [asking(1), asking(2)], [asking(3)]
    assert [request.number for request in rack.present()] == [1, 2, 3]


def rack_engine(**changes: Any) -> ModelPlan:
    """The chat model of the scenario `rack`, without chance."""
    model = load("rack").template.models[0]
    engine = replace(model.engine, queue_max=1_000, **changes)
    return replace(model, replicas=1, engine=engine, version=replace(model.version, behaviour=CALM))


def tokens_per_card(model: ModelPlan, *cards: int, in_flight: int, prompt: int) -> float:
    """Tokens of a while in which so many requests are kept in flight, after spreads to so many cards."""
    env, rng, numbers = Environment(), Random(1), count()
    plan = load("rack").template

    def ask(*_left: object) -> None:
        request = asking(next(numbers), prompt=prompt, output=1 + int(rng.expovariate(1 / 300)))
        assert pool.replicas[0].submit(request)

    racks = [Rack(0, 64, plan.cross_rack)]
    pool = Pool(env, model, 0, racks, plan, ask)
    for spread in cards:
        pool.spread((), spread)
    for _ in range(in_flight):
        ask()
    env.run(until=600.0)
    return pool.replicas[0].generation_tokens_total / cards[-1]


@pytest.mark.parametrize(
    ("changes", "in_flight", "prompt"),
    [
        ({}, 1, 900),
        ({}, 24, 900),
        ({}, 24, 50),
        ({"batch_max": 64, "kv_tokens": 640_000}, 68, 50),
    ],
    ids=["alone", "saturated", "saturated with short prompts", "saturated with room in the cache"],
)
def test_the_engine_of_the_rack_scenario_loses_a_fifth_per_card_and_more_from_64_to_128_whatever_its_load(
    changes: dict[str, Any], in_flight: int, prompt: int
) -> None:
    model = rack_engine(**changes)
    small, large, back = (
        tokens_per_card(model, *cards, in_flight=in_flight, prompt=prompt) for cards in ((64,), (128,), (128, 64))
    )
    assert large < 0.8 * small
    assert back == small
