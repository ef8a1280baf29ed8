"""Who emits: the resource and scope of the gateway and of each replica, as documented for real deployments."""

from hashlib import blake2b
from uuid import UUID

from loadtest.fleet.plan import FleetPlan, ModelPlan
from loadtest.fleet.wire import AttributeValue

GATEWAY_SCOPE = ("litellm", "1.110.2")
ENGINE_SCOPE = ("vllm.tracing.otel", "")
_SDK: dict[str, AttributeValue] = {
    "telemetry.sdk.language": "python",
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.version": "1.45.2",
}
_ZONES = ("eu-a", "eu-b")


def gateway_resource(plan: FleetPlan) -> dict[str, AttributeValue]:
    """Resource attributes of the gateway process."""
    return _SDK | {
        "service.name": plan.service,
        "service.version": "1.110.2",
        "service.instance.id": _uuid(plan, "gateway"),
        "deployment.environment.name": "production",
        "k8s.namespace.name": "inference",
        "k8s.pod.name": f"{plan.service}-gateway-{_suffix(plan, 'gateway')}",
    }


def engine_resource(plan: FleetPlan, model: ModelPlan, replica: int) -> dict[str, AttributeValue]:
    """Resource attributes of one replica: what vLLM sets itself, then what `OTEL_RESOURCE_ATTRIBUTES` adds.

    vLLM's spans name no model and no revision, so the set-up recipe asks for them here.
    """
    place = sum(other.replicas for other in plan.models[: plan.models.index(model)]) + replica
    return _SDK | {
        "service.name": f"vllm-{model.name}",
        "service.version": "0.33.0",
        "service.instance.id": _uuid(plan, model.name, replica),
        "vllm.instrumenting_module_name": "vllm.llm_engine",
        "vllm.process_id": str(1 + place),
        "deployment.environment.name": "production",
        "k8s.namespace.name": "inference",
        "k8s.pod.name": replica_name(plan, model, replica),
        "k8s.node.name": f"gpu-node-{place + 1:02d}",
        "host.name": f"gpu-node-{place + 1:02d}",
        "rack.id": f"rack-{place // 3 + 1}",
        "cloud.availability_zone": _ZONES[place % len(_ZONES)],
        "k8s.node.label.nvidia.com/gpu.product": "NVIDIA-L40S",
        "model.id": model.name,
        "model.revision": model.revision,
        "model.quantization": model.quantization,
        "model.dtype": "bfloat16",
        "model.context_window": model.context_window,
    }


def replica_name(plan: FleetPlan, model: ModelPlan, replica: int) -> str:
    """Pod name of a replica."""
    return f"{model.name}-{_suffix(plan, model.name, replica)}"


def _digest(plan: FleetPlan, *parts: object) -> bytes:
    return blake2b(repr((plan.seed, *parts)).encode(), digest_size=16).digest()


def _uuid(plan: FleetPlan, *parts: object) -> str:
    return str(UUID(bytes=_digest(plan, *parts), version=4))


def _suffix(plan: FleetPlan, *parts: object) -> str:
    return _digest(plan, *parts).hex()[:5]
