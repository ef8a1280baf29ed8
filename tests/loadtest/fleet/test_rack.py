"""Where replicas stand, and what that does to their exchange."""

import pytest

from loadtest.fleet.rack import Rack, build_racks, next_rack, release_cards, slowness_of, take_cards
from tests.factories.fleets import fleet_plan


class Standing:
    """Something that stands in racks."""

    def __init__(self) -> None:
        self.refreshed = 0

    def refresh(self) -> None:
        self.refreshed += 1


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
