"""What small fleets emit, and telemetry read back as messages."""

import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any, NamedTuple

from msgspec.structs import replace
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, NumberDataPoint
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from loadtest.emission.metrics import MetricsSampler
from loadtest.emission.outbox import Body, Outbox
from loadtest.fleet.plan import DependencyPlan, FleetPlan, GatewayPlan, Lengths, RateLimit, Retries, Version
from loadtest.fleet.request import Identity, Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import (
    Behave,
    Burst,
    ChangeClients,
    Deploy,
    FailDependency,
    LeakDescriptors,
    LimitRate,
    LoseSpans,
    Sample,
    Scale,
    ShrinkCache,
    SkewClock,
    SlowLink,
    Spread,
    Timeline,
    Train,
)
from loadtest.fleet.traffic import Traffic
from tests.factories.clusters import asking
from tests.factories.fleets import fleet_plan
from tests.factories.otlp_stub import attributes, running, spans_of

HOUR_S = 3600.0
EVERY_S = 60.0
_RANDOM_ID = re.compile("[0-9a-f]{32}")
DEPENDENCIES = (
    DependencyPlan(
        name="sessions",
        kind="cache",
        system="redis",
        latency_ms=Lengths(median=1.2, spread=0.4, largest=200),
        timeout_s=2.0,
    ),
    DependencyPlan(
        name="documents",
        kind="vector",
        system="milvus",
        share=0.1,
        latency_ms=Lengths(median=18, spread=0.4, largest=900),
        is_needed=True,
    ),
    DependencyPlan(
        name="batch-queue",
        kind="queue",
        system="kafka",
        latency_ms=Lengths(median=25, spread=0.4, largest=900),
        is_needed=True,
    ),
)


def emission_plan(seed: int = 1, **changes: Any) -> FleetPlan:
    """The demo's cluster with dependencies and two gateways, a little busy."""
    plan = fleet_plan(seed, requests_per_day=32_000.0)
    models = tuple(
        replace(model, engine=replace(model.engine, exchange_s=0.004, load_s=60.0, cards=1)) for model in plan.models
    )
    plan = replace(plan, models=models, dependencies=DEPENDENCIES, gateway=GatewayPlan(count=2, fd_limit=120))
    return replace(plan, **changes)


FRESH = Version(revision="2026-11-01", quantization="int4", engine_version="0.34.0")
SILENT = Version(revision="2026-12-09", quantization="w4a16", dtype="float16", engine_version="0.35.7")
SPREAD_CARDS = 2


def every_happening(plan: FleetPlan) -> Timeline:
    """All kinds at once or one after the other, within two hours; nobody is told of the SILENT version."""
    chat, other = (model.name for model in plan.models)
    bad = Behave(
        at_s=600,
        for_s=3000,
        model=chat,
        replicas=(2,),
        speed=0.5,
        error_probability=0.3,
        empty_probability=0.1,
        runaway_probability=0.1,
        hang_probability=0.1,
        output_factor=1.4,
    )
    return (
        bad,
        ShrinkCache(at_s=900, for_s=1800, model=chat, replicas=(0,), share=0.9),
        Spread(at_s=1200, for_s=900, model=other, replicas=(0,), cards=SPREAD_CARDS),
        SlowLink(at_s=600, for_s=1200, rack=0, factor=8.0),
        Train(at_s=1500, for_s=600, model=chat, replicas=(1,)),
        Train(at_s=2400, for_s=600, model=chat, replicas=(3,), mode="evict"),
        Deploy(at_s=3000, model=chat, replicas=(0,), version=FRESH, every_s=60),
        Deploy(at_s=3000, model=other, replicas=(1,), version=FRESH, mode="in_place", every_s=60),
        Deploy(at_s=300, for_s=900, model=chat, replicas=(1,), version=FRESH, mode="canary", share=0.2, every_s=30),
        Deploy(at_s=3900, model=chat, replicas=(1,), version=SILENT, reports=False, every_s=60),
        Scale(at_s=3600, model=chat, to=5),
        LeakDescriptors(at_s=4000, for_s=900, gateway=1, per_s=0.5),
        LimitRate(at_s=600, for_s=1200, limit=RateLimit(requests_per_s=0.02, burst=2), service_tier="core"),
        ChangeClients(at_s=600, for_s=3600, retries=Retries(share=0.9, attempts_max=3, backoff_s=1.0)),
        FailDependency(at_s=1800, for_s=300, dependency="sessions"),
        FailDependency(at_s=5000, for_s=300, dependency="documents", fails_at_once=0.5),
        FailDependency(at_s=6300, for_s=600, dependency="batch-queue", fails_at_once=0.5),
        Burst(at_s=2000, for_s=900, factor=3.0),
        LoseSpans(at_s=5400, for_s=600, share=0.3, who="all"),
        SkewClock(at_s=60, for_s=6000, model=chat, replicas=(1, 2), skew_ms=-1500.0),
        Sample(at_s=6000, share=0.5),
    )


class Emitted(NamedTuple):
    """A run and all that it emitted."""

    simulation: Simulation
    outbox: Outbox
    requests: list[Request]
    traces: list[Body]
    metrics: list[Body]


def emit(plan: FleetPlan, hours: float = 2.0, timeline: Timeline = (), *, slice_s: float = 600.0) -> Emitted:
    """A fleet run for some hours; bodies are taken at the end of every slice, one per source."""
    requests: list[Request] = []

    def ended(request: Request) -> None:
        requests.append(request)
        outbox.add(request)

    simulation = Simulation(plan, ended, timeline)
    outbox = Outbox(plan, simulation.telemetry)
    sampler = MetricsSampler(simulation, EVERY_S)
    simulation.feed(Traffic(plan, timeline).history(0.0, float("inf")))
    traces: list[Body] = []
    metrics: list[Body] = []
    while simulation.now_s < hours * HOUR_S:
        simulation.run(min(simulation.now_s + slice_s, hours * HOUR_S))
        traces += outbox.take_by_source(simulation.now_s)
        metrics += sampler.take(simulation.now_s)
    return Emitted(simulation, outbox, requests, traces, metrics)


def identity_of(plan: FleetPlan, model: int = 0, place: int = 0, **changes: Any) -> Identity:
    """What a replica says of itself in its first process."""
    version = plan.models[model].version
    cards = plan.models[model].engine.cards
    first = Identity(
        model,
        place,
        0,
        version.revision,
        version.quantization,
        version.dtype,
        version.engine_version,
        cards,
        place // 3,
    )
    return first._replace(**changes)


def finished(plan: FleetPlan, number: int = 1, **changes: Any) -> Request:
    """A request that a replica of the first model completed, unless the changes say otherwise."""
    times = {"forwarded_s": 10.0, "scheduled_s": 10.25, "first_token_s": 10.75, "ended_s": 14.0}
    told = {"tokens": 80.0, "identity": identity_of(plan), "place": 0, "arrival_s": 10.0, "gateway_ready_s": 10.0}
    request = asking(number)
    for name, value in (times | told | changes).items():
        setattr(request, name, value)
    return request


def spans_in(bodies: Iterable[Body]) -> list[Span]:
    """All spans, in the order of the bodies."""
    return [span for body in bodies for span in spans_of(ExportTraceServiceRequest.FromString(body.payload))]


def told_by(carrier: Any) -> dict[str, object]:
    """Attributes of a resource, a span or a point as plain values."""
    return attributes(carrier)


def points_of(metric: Metric) -> list[NumberDataPoint]:
    """Points of a gauge or a sum."""
    return list(getattr(metric, metric.WhichOneof("data") or "").data_points)


def value_of(point: NumberDataPoint) -> int | float:
    """The number that a point carries."""
    return point.as_int if point.WhichOneof("value") == "as_int" else point.as_double


def metrics_in(bodies: Iterable[Body]) -> list[tuple[dict[str, object], Metric]]:
    """All metrics with the attributes of their resource."""
    return [
        (told_by(resource.resource), metric)
        for body in bodies
        for resource in ExportMetricsServiceRequest.FromString(body.payload).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    ]


def vocabulary(emitted: Emitted) -> dict[str, set[str]]:
    """Every name, every key and every field that left a run, by what it is of."""
    words: dict[str, set[str]] = defaultdict(set)
    for body in emitted.traces:
        for resource in ExportTraceServiceRequest.FromString(body.payload).resource_spans:
            told = told_by(resource.resource)
            words[f"resource of {told['service.name']}"] |= told.keys()
            words["scopes"] |= {scope.scope.name for scope in resource.scope_spans}
    for span in spans_in(emitted.traces):
        words["span names"].add(span.name)
        words[f"span {span.name}"] |= told_by(span).keys()
        words[f"fields of {span.name}"] |= _fields(span)
    for resource_told, metric in metrics_in(emitted.metrics):
        words[f"resource of {resource_told['service.name']}"] |= resource_told.keys()
        words["metric names"].add(metric.name)
        for point in points_of(metric):
            told = told_by(point)
            words[f"metric {metric.name}"] |= {f"{key}={value}" for key, value in told.items()}
    return words


def _fields(span: Span) -> set[str]:
    """Fields that are set: links, events and a status message would be among them."""
    fields = {descriptor.name for descriptor, _ in span.ListFields()}
    return fields | {f"status.{descriptor.name}" for descriptor, _ in span.status.ListFields()}


def texts(emitted: Emitted) -> dict[str, set[str]]:
    """Every text in the attributes of spans, by key; random ids as `<id>`."""
    words: dict[str, set[str]] = defaultdict(set)
    for span in spans_in(emitted.traces):
        for key, value in told_by(span).items():
            if not isinstance(value, (int, float)):
                words[key].add(_RANDOM_ID.sub("<id>", str(value)))
    return words


def resources(emitted: Emitted) -> list[dict[str, object]]:
    """Everybody who told something: spans or metrics."""
    told = [resource for resource, _ in metrics_in(emitted.metrics)]
    for body in emitted.traces:
        parsed = ExportTraceServiceRequest.FromString(body.payload)
        told += [told_by(one.resource) for one in parsed.resource_spans]
    return list({repr(sorted(one.items())): one for one in told}.values())


class Receiver:
    """An OTLP/HTTP receiver: the bodies that arrived, by path; `script` holds the statuses of the next answers."""

    def __init__(self) -> None:
        self.url = ""
        self.script: list[int] = []
        self.bodies: dict[str, list[bytes]] = defaultdict(list)
        self._lock = Lock()

    def keep(self, path: str, body: bytes) -> int:
        """The status of the answer; only what is answered with 200 is kept."""
        with self._lock:
            status = self.script.pop(0) if self.script else 200
            if status == HTTPStatus.OK:
                self.bodies[path].append(body)
            return status

    @property
    def traces(self) -> list[ExportTraceServiceRequest]:
        """Trace bodies."""
        return [ExportTraceServiceRequest.FromString(body) for body in self.bodies["/v1/traces"]]

    @property
    def metrics(self) -> list[ExportMetricsServiceRequest]:
        """Metric bodies."""
        return [ExportMetricsServiceRequest.FromString(body) for body in self.bodies["/v1/metrics"]]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a free port of the loopback."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.headers["Content-Encoding"] == "gzip"
            self.send_response(receiver.keep(self.path, gzip.decompress(body)))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    with running(server) as receiver.url:
        yield receiver
