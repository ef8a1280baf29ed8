"""Which requests a happening touches."""

import pytest
from msgspec.structs import replace

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.exposure import mark, replicas_in, replicas_of
from loadtest.fleet.plan import DependencyPlan, GatewayPlan, Lengths, RateLimit, Retries
from loadtest.fleet.timeline import (
    Behave,
    Burst,
    ChangeClients,
    Deploy,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    LoseSpans,
    Sample,
    Scale,
    SlowLink,
)
from tests.factories.clusters import NO_RETRIES, ROOMY, Scene, cluster_plan

REDIS = DependencyPlan(
    name="redis", kind="cache", system="redis", latency_ms=Lengths(median=2.0, spread=0.1, largest=50)
)
LIMIT = RateLimit(requests_per_s=1.0, burst=1)


@pytest.fixture
def cluster() -> Cluster:
    """Four replicas in two racks (the first three in the first one), two gateways, a dependency."""
    plan = cluster_plan(
        replace(ROOMY, replicas=4), gateway=GatewayPlan(count=2, retries=NO_RETRIES), dependencies=(REDIS,)
    )
    return Scene(plan).simulation.cluster


def marked(cluster: Cluster) -> str:
    """Names of what carries bits."""
    things = {
        **{f"replica{one.place}": one.exposure for one in cluster.pools[0].replicas},
        **{f"gateway{one.index}": one.exposure for one in cluster.gateways},
        "redis": cluster.dependencies[0].exposure,
        **{f"tenant{index}": bits for index, bits in enumerate(cluster.exposure)},
    }
    return " ".join(name for name, bits in things.items() if bits)


EVERYBODY = "tenant0 tenant1"
CASES = [
    (Behave(at_s=0.0, model="chat", replicas=(1, 3)), "replica1 replica3"),
    (Behave(at_s=0.0, model="chat"), "replica0 replica1 replica2 replica3"),
    (Scale(at_s=0.0, model="chat", to=9), "replica0 replica1 replica2 replica3"),
    (SlowLink(at_s=0.0, rack=1, factor=2.0), "replica3"),
    (LeakDescriptors(at_s=0.0, gateway=1, per_s=1.0), "gateway1"),
    (FailDependency(at_s=0.0, dependency="redis"), "redis"),
    (Burst(at_s=0.0, factor=2.0, service_tier="batch"), "tenant1"),
    (Burst(at_s=0.0, factor=2.0), EVERYBODY),
    (LimitRate(at_s=0.0, limit=LIMIT, service_tier="core"), "tenant0"),
    (ChangeClients(at_s=0.0, retries=Retries()), EVERYBODY),
    (LoseSpans(at_s=0.0, share=0.5), EVERYBODY),
    (Sample(at_s=0.0, share=0.5), EVERYBODY),
    (Deploy(at_s=0.0, model="chat", version=ROOMY.version), ""),
]


@pytest.mark.parametrize(("happening", "names"), CASES)
def test_a_happening_marks_what_it_touches_and_nothing_else(cluster: Cluster, happening: Happening, names: str) -> None:
    mark(cluster, happening, 1 << 5, begins=True)
    assert marked(cluster) == names
    mark(cluster, happening, 1 << 6, begins=True)
    mark(cluster, happening, 1 << 5, begins=False)
    assert marked(cluster) == names
    mark(cluster, happening, 1 << 6, begins=False)
    assert marked(cluster) == ""


def test_replicas_are_found_by_happening_and_by_rack(cluster: Cluster) -> None:
    named = Behave(at_s=0.0, model="chat", replicas=(1, 9))
    assert [replica.place for replica in replicas_of(cluster, named)] == [1]
    assert [[replica.place for replica in replicas_in(cluster, rack)] for rack in (0, 1)] == [[0, 1, 2], [3]]
