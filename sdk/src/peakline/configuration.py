"""`configure`: who this process is, and where its spans go."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

from peakline.delivery import Counter, CountingProcessor, use
from peakline.inference import emit_through
from peakline.names import Role

if TYPE_CHECKING:
    from typing_extensions import Unpack

ENDPOINT = "http://127.0.0.1:4318"
TRACES_PATH = "/v1/traces"


class Identity(TypedDict, total=False):
    """Who a serving process is: what an answer's basis is made of, weeks later. Leave out what you do not know.

    model           served model name, with the revision of its weights, their quantization, the compute dtype and the
                    longest context in tokens
    replica         stable name of this serving instance; the pod, else the host, unless given. Random names make every
                    restart a new replica
    pod, node, rack where it runs
    environment     for example production
    version         version of the serving software
    """

    model: str
    model_revision: str
    quantization: str
    dtype: str
    context_window: int
    replica: str
    pod: str
    node: str
    rack: str
    environment: str
    version: str


RESOURCE: dict[str, str] = {
    "model": "model.id",
    "model_revision": "model.revision",
    "quantization": "model.quantization",
    "dtype": "model.dtype",
    "context_window": "model.context_window",
    "replica": "service.instance.id",
    "pod": "k8s.pod.name",
    "node": "k8s.node.name",
    "rack": "rack.id",
    "environment": "deployment.environment.name",
    "version": "service.version",
}
"""Resource attribute of every fact of the identity."""


def configure(
    service: str,
    *,
    endpoint: str = ENDPOINT,
    role: Role | str = Role.ENGINE,
    attributes: Mapping[str, str | int | float | bool] | None = None,
    headers: Mapping[str, str] | None = None,
    queue_spans_max: int = 8192,
    delay_ms: float = 1000,
    **identity: Unpack[Identity],
) -> TracerProvider:
    """Say who this process is and start sending spans; call it once, early. Waiting spans are sent at exit.

    service          name the callers reach
    endpoint         base URL of an OTLP/HTTP receiver; `/v1/traces` is added
    role             what this process is on the way of a request
    attributes       more resource attributes
    headers          sent with every export, for example for authentication
    queue_spans_max  spans that wait while the endpoint is unreachable; older ones are dropped and counted
    delay_ms         spans are sent at least this often, in milliseconds
    identity         see `Identity`
    returns          the provider; it is also made OpenTelemetry's global one when there is none yet
    raises           TypeError for an unknown fact, ValueError for an unknown role
    """
    provider = TracerProvider(resource=Resource.create({**described(service, identity), **(attributes or {})}))
    exporter = OTLPSpanExporter(
        endpoint=endpoint.rstrip("/") + TRACES_PATH, headers=dict(headers or {}), compression=Compression.Gzip
    )
    counter = Counter(queue_spans_max)
    provider.add_span_processor(CountingProcessor(exporter, counter, queue_spans_max, delay_ms))
    use(counter)
    emit_through(provider, Role(role))
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(provider)
    return provider


def described(service: str, identity: Identity) -> dict[str, str | int]:
    """Resource attributes of an identity.

    raises  TypeError for an unknown fact
    """
    unknown = identity.keys() - RESOURCE.keys()
    if unknown:
        raise TypeError(f"configure() does not know {', '.join(sorted(unknown))}; it knows {', '.join(RESOURCE)}")
    facts: dict[str, str | int] = {"service.name": service}
    facts["service.instance.id"] = identity.get("pod") or socket.gethostname()
    for fact, name in RESOURCE.items():
        value = identity.get(fact)
        if isinstance(value, (str, int)):
            facts[name] = value
    return facts
