"""A timeline that speaks of what is not there is refused before anything runs."""

import pytest
from msgspec.structs import replace

from loadtest.fleet.plan import DependencyPlan, GatewayPlan, Lengths, RateLimit
from loadtest.fleet.timeline import (
    Behave,
    Burst,
    FailDependency,
    Happening,
    LeakDescriptors,
    LimitRate,
    Sample,
    Scale,
    SlowLink,
)
from loadtest.fleet.timeline_check import PlanError, check_happening, check_plan, check_timeline
from tests.factories.clusters import ROOMY, Scene, cluster_plan
from vocabulary.errors import PeaklineError

REDIS = DependencyPlan(
    name="redis", kind="cache", system="redis", latency_ms=Lengths(median=2.0, spread=0.1, largest=50)
)
PLAN = cluster_plan(
    replace(ROOMY, replicas=4), gateway=GatewayPlan(count=2), dependencies=(REDIS, replace(REDIS, name="warm"))
)
LIMIT = RateLimit(requests_per_s=1.0, burst=1)

MISTAKES = [
    (Behave(at_s=0.0, model="chta"), "happening 3 (behave): model 'chta' does not exist; there are: chat."),
    (Scale(at_s=0.0, model="x", to=3), "happening 3 (scale): model 'x' does not exist; there are: chat."),
    (
        Behave(at_s=0.0, model="chat", replicas=(1, 4)),
        "happening 3 (behave): replicas 4 does not exist; there are 4 replicas of chat, counted from 0.",
    ),
    (
        SlowLink(at_s=0.0, rack=2, factor=2.0),
        "happening 3 (slow_link): rack 2 does not exist; there are 2 racks, counted from 0.",
    ),
    (
        LeakDescriptors(at_s=0.0, gateway=-1, per_s=1.0),
        "happening 3 (leak_descriptors): gateway -1 does not exist; there are 2 gateways, counted from 0.",
    ),
    (
        FailDependency(at_s=0.0, dependency="kafka"),
        "happening 3 (fail_dependency): dependency 'kafka' does not exist; there are: redis, warm.",
    ),
    (
        Burst(at_s=0.0, factor=2.0, service_tier="gold"),
        "happening 3 (burst): service_tier 'gold' does not exist; there are: batch, core.",
    ),
    (
        LimitRate(at_s=0.0, limit=LIMIT, service_tier="gold"),
        "happening 3 (limit_rate): service_tier 'gold' does not exist; there are: batch, core.",
    ),
]


@pytest.mark.parametrize(("happening", "sentence"), MISTAKES)
def test_the_sentence_names_happening_field_value_and_what_exists(happening: Happening, sentence: str) -> None:
    with pytest.raises(PlanError) as raised:
        check_happening(happening, 3, PLAN, 2)
    assert str(raised.value) == sentence
    assert isinstance(raised.value, PeaklineError)
    assert raised.value.permanent


def test_a_fleet_without_dependencies_says_so() -> None:
    with pytest.raises(PlanError, match="there are: none"):
        check_happening(FailDependency(at_s=0.0, dependency="redis"), 0, cluster_plan(), 1)


def test_replicas_that_scaling_adds_exist() -> None:
    scale, late = Scale(at_s=1.0, model="chat", to=6), Behave(at_s=2.0, model="chat", replicas=(5,))
    check_timeline((scale, late), PLAN, 2)
    with pytest.raises(PlanError):
        check_timeline((late,), PLAN, 2)


def test_what_is_there_passes() -> None:
    timeline = (
        Behave(at_s=0.0, model="chat", replicas=(0, 3)),
        SlowLink(at_s=0.0, rack=1, factor=2.0),
        FailDependency(at_s=0.0, dependency="warm"),
        Burst(at_s=0.0, factor=2.0, service_tier="core"),
        Burst(at_s=0.0, factor=2.0),
        Sample(at_s=0.0, share=0.5),
    )
    check_timeline(timeline, PLAN, 2)


def test_a_simulation_refuses_before_it_runs() -> None:
    with pytest.raises(PlanError, match="happening 0"):
        Scene(PLAN, (Behave(at_s=5.0, model="chta"),))
    with pytest.raises(PlanError, match="happening 7"):
        Scene(PLAN).simulation.plant(Behave(at_s=5.0, model="chta"), 7)
    with pytest.raises(PlanError, match="context_window 8192"):
        Scene(cluster_plan(replace(ROOMY, engine=replace(ROOMY.engine, kv_tokens=8_191))))


def test_a_context_window_that_does_not_fit_into_the_cache_is_refused() -> None:
    check_plan(PLAN)
    exact = replace(ROOMY, engine=replace(ROOMY.engine, kv_tokens=ROOMY.context_window))
    check_plan(cluster_plan(exact))
    tight = replace(exact, name="tight", context_window=8_193)
    with pytest.raises(PlanError) as raised:
        check_plan(cluster_plan(models=(exact, tight)))
    assert str(raised.value) == "model tight: context_window 8193 does not fit into kv_tokens 8192."


def test_replicas_that_are_there_by_now_exist() -> None:
    late = Behave(at_s=2.0, model="chat", replicas=(5,))
    check_happening(late, 0, PLAN, 2, standing={"chat": 6})
    with pytest.raises(PlanError, match="there are 5 replicas"):
        check_happening(late, 0, PLAN, 2, standing={"chat": 5})


class TestPlanting:
    """Happenings that are added while it runs."""

    SLOW = Behave(at_s=60.0, model="chat", replicas=(4,), speed=0.5)
    MORE = Scale(at_s=10.0, model="chat", to=5)

    def test_they_may_speak_of_replicas_that_planted_scaling_adds(self) -> None:
        simulation = Scene().simulation
        simulation.plant(self.MORE, 0)
        simulation.plant(self.SLOW, 1)
        simulation.run(61.0)
        assert simulation.pools[0].replicas[4].exposure == 0b11

    def test_they_may_speak_of_replicas_that_are_there(self) -> None:
        simulation = Scene().simulation
        simulation.pools[0].scale(5)
        simulation.plant(self.SLOW, 0)

    def test_all_of_them_are_planted_or_none(self) -> None:
        simulation = Scene().simulation
        simulation.plant_all((self.SLOW, self.MORE), 3)
        nowhere = Behave(at_s=0.0, model="chat", replicas=(9,))
        with pytest.raises(PlanError, match="happening 6"):
            simulation.plant_all((Behave(at_s=0.0, model="chat", speed=0.5), nowhere), 5)
        simulation.run(61.0)
        assert [one.exposure >> 3 for one in simulation.pools[0].replicas] == [0b10] * 4 + [0b11]
