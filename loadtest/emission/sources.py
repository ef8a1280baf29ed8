"""Who emits: the resource and scope of each process, as documented for real deployments."""

from hashlib import blake2b
from uuid import UUID

from loadtest.emission.wire import AttributeValue
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Identity

Attributes = dict[str, AttributeValue]

GATEWAY_SCOPE = ("litellm", "1.110.2")
ENGINE_SCOPE = ("vllm.tracing.otel", "")
_SDK: Attributes = {
    "telemetry.sdk.language": "python",
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.version": "1.45.2",
}
_CLUSTER: Attributes = {"deployment.environment.name": "production", "k8s.namespace.name": "inference"}
_ZONES = ("eu-a", "eu-b")


def gateway_resource(plan: FleetPlan, gateway: int, incarnation: int = 0) -> Attributes:
    """Resource attributes of one gateway process; its pod stays when a restart replaces the process in it."""
    return {
        **_SDK,
        "service.name": plan.service,
        "service.version": GATEWAY_SCOPE[1],
        "service.instance.id": _uuid(plan, "gateway", gateway, incarnation),
        **_CLUSTER,
        "k8s.pod.name": f"{plan.service}-gateway-{_suffix(plan, 'gateway', gateway)}",
    }


def engine_resource(plan: FleetPlan, identity: Identity) -> Attributes:
    """Resource attributes of one replica's process: what vLLM sets itself, then what `OTEL_RESOURCE_ATTRIBUTES` adds.

    vLLM's spans name no model and no revision, so the set-up recipe asks for them here.
    """
    model = plan.models[identity.model]
    place = card_place(plan, identity)
    return {
        **_SDK,
        "service.name": f"vllm-{model.name}",
        "service.version": identity.engine_version,
        "service.instance.id": _uuid(plan, model.name, identity.place, identity.incarnation),
        "vllm.instrumenting_module_name": "vllm.llm_engine",
        "vllm.process_id": str(1 + place),
        **_CLUSTER,
        "k8s.pod.name": replica_name(plan, identity),
        **node_resource(plan, identity),
        "model.id": model.name,
        "model.revision": identity.revision,
        "model.quantization": identity.quantization,
        "model.dtype": identity.dtype,
        "model.context_window": model.context_window,
        "model.tensor_parallel_size": identity.cards,
    }


def node_resource(plan: FleetPlan, identity: Identity) -> Attributes:
    """Where a replica runs: these stay when its process is replaced."""
    node = f"gpu-node-{card_place(plan, identity) + 1:02d}"
    return {
        "k8s.node.name": node,
        "host.name": node,
        "rack.id": rack_name(identity.rack),
        "cloud.availability_zone": _ZONES[identity.rack % len(_ZONES)],
        "k8s.node.label.nvidia.com/gpu.product": plan.models[identity.model].engine.accelerator,
    }


def exporter_resource(plan: FleetPlan, service: str, *parts: object) -> Attributes:
    """Resource attributes of an exporter that tells about something else; `parts` tell instances apart."""
    return {"service.name": service, "service.instance.id": _uuid(plan, service, *parts), **_CLUSTER}


def replica_name(plan: FleetPlan, identity: Identity) -> str:
    """Pod name of a replica; another one after each restart."""
    model = plan.models[identity.model].name
    return f"{model}-{_suffix(plan, model, identity.place, identity.incarnation)}"


def rack_name(rack: int) -> str:
    """What node labels call a rack."""
    return f"rack-{rack + 1}"


def card_place(plan: FleetPlan, identity: Identity) -> int:
    """A number for the node of a replica: planned replicas of all models first, then those that scaling added."""
    planned = [model.replicas for model in plan.models]
    added = identity.place - planned[identity.model]
    if added < 0:
        return sum(planned[: identity.model]) + identity.place
    return sum(planned) + added * len(planned) + identity.model


def _digest(plan: FleetPlan, *parts: object) -> bytes:
    return blake2b(repr((plan.seed, *parts)).encode(), digest_size=16).digest()


def _uuid(plan: FleetPlan, *parts: object) -> str:
    return str(UUID(bytes=_digest(plan, *parts), version=4))


def _suffix(plan: FleetPlan, *parts: object) -> str:
    return _digest(plan, *parts).hex()[:8]
