"""Who emits: resources as real deployments have them."""

from typing import Any

from loadtest.emission.sources import (
    card_place,
    engine_resource,
    exporter_resource,
    gateway_resource,
    node_resource,
    replica_name,
)
from tests.factories.emissions import emission_plan, identity_of

PLAN = emission_plan()
REPLICAS = [
    identity_of(PLAN, model, place) for model, planned in enumerate(PLAN.models) for place in range(planned.replicas)
]


def test_gateways_carry_the_service_that_callers_reach_and_differ_in_pod_and_instance() -> None:
    one, other = gateway_resource(PLAN, 0), gateway_resource(PLAN, 1)
    assert one["service.name"] == other["service.name"] == PLAN.service
    assert one.keys() == other.keys()
    assert {key for key in one if one[key] != other[key]} == {"service.instance.id", "k8s.pod.name"}


def test_a_restarted_gateway_is_another_instance_in_the_same_pod() -> None:
    before, after = gateway_resource(PLAN, 0), gateway_resource(PLAN, 0, 1)
    assert {key for key in before if before[key] != after[key]} == {"service.instance.id"}
    assert after["service.instance.id"] != gateway_resource(PLAN, 1, 0)["service.instance.id"]


def test_replicas_differ_in_pod_node_and_instance() -> None:
    resources = [engine_resource(PLAN, identity) for identity in REPLICAS]
    for key in ("k8s.pod.name", "k8s.node.name", "service.instance.id", "vllm.process_id"):
        assert len({resource[key] for resource in resources}) == len(resources)
    assert len({str(resource["rack.id"]) for resource in resources}) > 1


def test_a_restart_changes_pod_and_instance_and_nothing_else() -> None:
    before, after = (engine_resource(PLAN, identity_of(PLAN, incarnation=number)) for number in (0, 1))
    assert {key for key in before if before[key] != after[key]} == {"k8s.pod.name", "service.instance.id"}


def test_names_and_places_follow_from_the_process_and_never_from_what_it_runs() -> None:
    before = engine_resource(PLAN, identity_of(PLAN))
    other: dict[str, Any] = {
        "revision": "r9",
        "quantization": "int4",
        "dtype": "float16",
        "engine_version": "9.9",
        "cards": 7,
    }
    after = engine_resource(PLAN, identity_of(PLAN, **other))
    told = {"model.revision", "model.quantization", "model.dtype", "service.version", "model.tensor_parallel_size"}
    assert {key for key in before if before[key] != after[key]} == told


def test_the_model_is_told_by_the_resource_because_spans_do_not_tell_it() -> None:
    identity = identity_of(PLAN, revision="r9", quantization="int4", dtype="float16", engine_version="9.9")
    resource = engine_resource(PLAN, identity)
    assert (resource["model.id"], resource["model.revision"]) == (PLAN.models[0].name, "r9")
    assert (resource["model.quantization"], resource["model.dtype"]) == ("int4", "float16")
    assert resource["service.version"] == "9.9"
    assert resource["model.context_window"] == PLAN.models[0].context_window


def test_the_rack_and_the_cards_are_those_of_the_identity() -> None:
    resource = engine_resource(PLAN, identity_of(PLAN, rack=3, cards=8))
    assert (resource["rack.id"], resource["model.tensor_parallel_size"]) == ("rack-4", 8)


def test_a_node_keeps_its_name_when_its_replica_is_replaced() -> None:
    assert node_resource(PLAN, identity_of(PLAN)) == node_resource(PLAN, identity_of(PLAN, incarnation=4))


def test_nodes_of_added_replicas_are_no_planned_ones() -> None:
    added = [
        identity_of(PLAN, model, planned.replicas + more)
        for more in range(5)
        for model, planned in enumerate(PLAN.models)
    ]
    places = [card_place(PLAN, identity) for identity in [*REPLICAS, *added]]
    assert len(set(places)) == len(places)


def test_exporters_of_one_service_differ_in_instance() -> None:
    assert exporter_resource(PLAN, "gpu-exporter", "a") != exporter_resource(PLAN, "gpu-exporter", "b")


def test_names_are_those_of_the_seed() -> None:
    other = emission_plan(seed=2)
    assert replica_name(PLAN, identity_of(PLAN)) == replica_name(emission_plan(), identity_of(PLAN))
    assert replica_name(PLAN, identity_of(PLAN)) != replica_name(other, identity_of(other))
