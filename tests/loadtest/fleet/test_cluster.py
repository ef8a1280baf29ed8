"""The parts of a running fleet, by name."""

from random import Random

import pytest
from msgspec.structs import replace

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.plan import DependencyPlan, Lengths
from tests.factories.any_timeline import (
    BUSY,
    check_books,
    check_that_all_is_as_planned,
    random_request,
    random_timeline,
)
from tests.factories.clusters import Scene, cluster_plan

REDIS = DependencyPlan(
    name="redis", kind="cache", system="redis", latency_ms=Lengths(median=2.0, spread=0.1, largest=50)
)


@pytest.fixture
def cluster() -> Cluster:
    return Scene(cluster_plan(dependencies=(REDIS,))).simulation.cluster


def test_a_pool_is_found_by_its_models_name(cluster: Cluster) -> None:
    assert cluster.pool("chat") is cluster.pools[0]


def test_a_dependency_is_found_by_its_name(cluster: Cluster) -> None:
    assert cluster.dependency("redis") is cluster.dependencies[0]


def test_tenants_are_found_by_their_tier(cluster: Cluster) -> None:
    assert [cluster.tenants(tier) for tier in ("core", "batch", None)] == [[0], [1], [0, 1]]


@pytest.mark.parametrize("seed", range(40))
def test_under_any_timeline_the_books_balance_and_afterwards_all_is_as_planned(seed: int) -> None:
    rng = Random(seed)
    scene = Scene(replace(BUSY, seed=seed), random_timeline(rng))
    arrivals = sorted(rng.uniform(0.0, 300.0) for _ in range(500))
    scene.simulation.feed(random_request(rng, number, at_s) for number, at_s in enumerate(arrivals))
    while scene.simulation.now_s < 400.0:
        scene.run(scene.simulation.now_s + rng.uniform(0.5, 20.0))
        check_books(scene.simulation)
    scene.run(2_000.0)
    assert (scene.simulation.in_flight, scene.simulation.clients.waiting) == (0, 0)
    assert len({request.number for request in scene.ended}) == len(scene.ended) >= 500
    check_that_all_is_as_planned(scene.simulation)
