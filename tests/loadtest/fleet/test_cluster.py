"""The parts of a running fleet, by name."""

import pytest

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.plan import DependencyPlan, Lengths
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
