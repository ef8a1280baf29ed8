import msgspec
import pytest

from loadtest.endpoint.plans import DEFAULT_MODEL, UnknownPartError, default_plan, narrowed
from loadtest.fleet.plan import FleetPlan


def two_models() -> FleetPlan:
    plan = default_plan()
    models = [msgspec.structs.replace(plan.models[0], name=name, share=0.5) for name in ("one", "two")]
    return msgspec.structs.replace(plan, models=tuple(models))


def test_the_default_is_one_model_without_faults() -> None:
    plan = default_plan(replicas=3, seed=4)
    behaviour = plan.models[0].version.behaviour
    assert [model.name for model in plan.models] == [DEFAULT_MODEL]
    assert (plan.seed, plan.models[0].replicas) == (4, 3)
    assert behaviour.error_probability == behaviour.empty_probability == behaviour.runaway_probability == 0.0


def test_a_model_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UnknownPartError, match=DEFAULT_MODEL):
        narrowed(default_plan(), "other", None)


def test_a_fleet_is_narrowed_to_one_model_that_gets_all_traffic() -> None:
    plan = two_models()
    one = narrowed(plan, plan.models[-1].name, 3)
    assert [(model.name, model.replicas) for model in one.models] == [(plan.models[-1].name, 3)]
    assert one.models[0].share == pytest.approx(1.0)
    assert narrowed(plan, None, None) == plan
