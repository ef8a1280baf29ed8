"""Which requests a happening touches."""

import pytest
from msgspec.structs import replace

from loadtest.fleet.cluster import Cluster
from loadtest.fleet.exposure import mark, replicas_of, unmark
from loadtest.fleet.happenings import Happenings
from loadtest.fleet.plan import DependencyPlan, GatewayPlan, Lengths, RateLimit, Retries
from loadtest.fleet.request import End
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
    Timeline,
)
from tests.factories.clusters import NO_RETRIES, ROOMY, Scene, asking, cluster_plan

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
        **{f"rack{one.index}": one.exposure for one in cluster.racks},
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
    (SlowLink(at_s=0.0, rack=1, factor=2.0), "rack1"),
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
    touches = Happenings(cluster).effects[type(happening)].touches
    mark(touches(cluster, happening), 1 << 5)
    assert marked(cluster) == names
    mark(touches(cluster, happening), 1 << 6)
    unmark(touches(cluster, happening), 1 << 5)
    assert marked(cluster) == names
    unmark(touches(cluster, happening), 1 << 6)
    assert marked(cluster) == ""


def test_replicas_are_found_by_happening(cluster: Cluster) -> None:
    named = Behave(at_s=0.0, model="chat", replicas=(1, 9))
    assert [replica.place for replica in replicas_of(cluster, named)] == [1]


@pytest.mark.parametrize(
    "happening",
    [
        Behave(at_s=10.0, for_s=1.0, model="chat", replicas=(0,), speed=0.0),
        SlowLink(at_s=10.0, for_s=1.0, rack=0, factor=2.0),
        LeakDescriptors(at_s=10.0, gateway=0, per_s=0.001),
    ],
)
def test_who_is_there_when_it_begins_has_met_it_even_if_it_is_over_at_the_end(happening: Timeline) -> None:
    scene = Scene(cluster_plan(replace(ROOMY, replicas=1)), (happening,))  # type: ignore[arg-type]
    over, there = asking(1, output=20), asking(2, output=500)
    scene.send(over, there)
    scene.run()
    assert [request.end for request in (over, there)] == [End.COMPLETED] * 2
    assert [request.exposure for request in (over, there)] == [0, 1]
