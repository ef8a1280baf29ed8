"""Who emits: resources as real deployments have them."""

from loadtest.fleet.sources import engine_resource, gateway_resource, replica_name
from tests.factories.fleets import fleet_plan


def test_the_gateway_carries_the_service_that_callers_reach() -> None:
    plan = fleet_plan()
    assert gateway_resource(plan)["service.name"] == plan.service


def test_replicas_differ_in_pod_node_and_instance() -> None:
    plan = fleet_plan()
    resources = [engine_resource(plan, model, index) for model in plan.models for index in range(model.replicas)]
    for key in ("k8s.pod.name", "k8s.node.name", "service.instance.id", "vllm.process_id"):
        assert len({resource[key] for resource in resources}) == len(resources)
    assert len({str(resource["rack.id"]) for resource in resources}) > 1


def test_the_model_is_told_by_the_resource_because_spans_do_not_tell_it() -> None:
    plan = fleet_plan()
    model = plan.models[0]
    resource = engine_resource(plan, model, 0)
    assert (resource["model.id"], resource["model.revision"]) == (model.name, model.revision)
    assert resource["model.context_window"] == model.context_window


def test_names_are_those_of_the_seed() -> None:
    one, other = fleet_plan(1), fleet_plan(2)
    assert replica_name(one, one.models[0], 0) == replica_name(fleet_plan(1), one.models[0], 0)
    assert replica_name(one, one.models[0], 0) != replica_name(other, one.models[0], 0)
