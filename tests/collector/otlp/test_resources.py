"""Resources and scopes are read once and spread over their spans."""

import json

from collector.otlp.alias_tables import EARLY, LATE, alias_tables
from collector.otlp.privacy import Privacy
from collector.otlp.resources import REMEMBERED_MAX, Memory
from tests.factories.otlp import request, row, rows, span

ENGINE = {"scope": "vllm.tracing.otel"}


def test_a_resource_is_remembered() -> None:
    memory = Memory(Privacy(b"salt"), alias_tables())
    assert memory.resource({"a": 1}, 0) is memory.resource({"a": 1}, 0)
    assert memory.resource({"a": 1}, 0) is not memory.resource({"a": 1}, 2)
    assert json.loads(memory.resource({"a": 1}, 2).text) == {"a": 1, "otel.dropped_attributes_count": 2}
    assert memory.scope("s", "1", {}, 0) is memory.scope("s", "1", {}, 0)


def test_memory_is_bounded() -> None:
    memory = Memory(Privacy(b"salt"), alias_tables())
    for number in range(REMEMBERED_MAX + 10):
        memory.resource({"pod": number}, 0)
    assert len(memory._resources) <= REMEMBERED_MAX


def test_facts_are_split_into_what_engines_and_others_tell() -> None:
    facts = Memory(Privacy(b"salt"), alias_tables()).resource(
        {"service.name": "chat", "k8s.pod.name": "p", "k8s.node.name": "n"}, 0
    )
    assert facts.engines[EARLY, "replica"].value == "p"
    assert facts.engines[LATE, "node"].value == "n"
    assert facts.others.keys() == {(EARLY, "service")}


def test_a_span_outranks_its_resource_but_for_the_service() -> None:
    found = row(
        span(name="llm_request", attributes={"model.revision": "span", "dynamo_component": "worker"}),
        resource={"model.revision": "resource", "service.name": "chat"},
        **ENGINE,
    )
    assert (found["model_revision"], found["service"]) == ("span", "chat")


def test_infrastructure_comes_from_the_resource_of_an_engine() -> None:
    resource = {
        "deployment.environment.name": "production",
        "service.namespace": "ml",
        "cloud.availability_zone": "eu-1a",
        "k8s.node.label.network.topology.nvidia.com/leaf": "leaf-3",
        "k8s.node.label.nvidia.com/gpu.product": "NVIDIA-H100",
        "model.context_window": "8192",
        "host.name": "host-1",
        "model.id": "llama-70b",
    }
    found = row(span(name="llm_request"), resource=resource, **ENGINE)
    names = ("environment", "service_namespace", "zone", "rack", "accelerator", "context_window", "node", "model_id")
    expected = ["production", "ml", "eu-1a", "leaf-3", "NVIDIA-H100", 8192, "host-1", "llama-70b"]
    assert [found[name] for name in names] == expected


def test_many_resources_in_one_body_keep_their_facts() -> None:
    message = request()
    for number in range(50):
        message.MergeFrom(request(span(number + 1, "llm_request"), resource={"k8s.pod.uid": f"uid-{number}"}, **ENGINE))
    assert [one["replica"] for one in rows(message)] == [f"uid-{number}" for number in range(50)]


def test_scope_facts_are_kept() -> None:
    message = request(span(), scope="my.library", scope_attributes={"my.scope.attribute": "x"})
    message.resource_spans[0].scope_spans[0].scope.version = "1.0"
    message.resource_spans[0].scope_spans[0].schema_url = "https://example.com/1"
    (found,) = rows(message)
    assert (found["scope_name"], found["scope_version"], found["scope_schema_url"]) == (
        "my.library",
        "1.0",
        "https://example.com/1",
    )
    assert json.loads(found["scope"]) == {"my.scope.attribute": "x"}
