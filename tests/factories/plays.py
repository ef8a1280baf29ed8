"""Stretches of shipped scenarios: their truth, and what telemetry tells of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from loadtest.emission.outbox import Body
from loadtest.scenarios.catalogue import Overrides, fleet_plan, load
from loadtest.scenarios.play import Play
from loadtest.scenarios.truth import TruthRecorder
from tests.factories.fleets import MONDAY_NS
from tests.factories.otlp_stub import attributes

HOUR_S, DAY_S = 3600.0, 86_400.0
NS = 1_000_000_000


class Told(NamedTuple):
    """A span with what its resource says."""

    span: Span
    resource: dict[str, object]

    @property
    def attributes(self) -> dict[str, object]:
        return attributes(self.span)

    @property
    def is_engine(self) -> bool:
        return self.span.name == "llm_request"

    @property
    def pod(self) -> str:
        return str(self.resource.get("k8s.pod.name"))


class Point(NamedTuple):
    """A data point with its resource and attributes."""

    at_s: float
    value: float
    resource: dict[str, object]
    attributes: dict[str, object]


@dataclass
class Stretch:
    """A part of a scenario that was run; it begins with empty queues."""

    play: Play
    truth: TruthRecorder
    bodies: list[Body]

    @cached_property
    def requests(self) -> pa.Table:
        return self.truth.requests()

    @cached_property
    def spans(self) -> list[Told]:
        return list(_spans(self.bodies))

    @cached_property
    def points(self) -> dict[str, list[Point]]:
        found: dict[str, list[Point]] = defaultdict(list)
        for name, point in _points(self.bodies):
            found[name].append(point)
        return found

    def between(self, start_s: float, end_s: float, **equal: object) -> pa.Table:
        """Requests that arrived in [start_s, end_s), with these values."""
        arrival = pc.subtract(self.requests["arrival_ns"], MONDAY_NS)
        mask = pc.and_(pc.greater_equal(arrival, int(start_s * NS)), pc.less(arrival, int(end_s * NS)))
        for name, value in equal.items():
            mask = pc.and_(mask, pc.equal(self.requests[name], value))
        return self.requests.filter(mask)


def stretch(
    name: str, start_s: float, end_s: float, *, seed: int = 1, per_day: float | None = None, metrics: bool = False
) -> Stretch:
    """Run a scenario from `start_s` to `end_s`, with metrics every minute if asked for."""
    scenario = load(name)
    plan = fleet_plan(scenario, seed, MONDAY_NS, Overrides(requests_per_day=per_day))
    truth = TruthRecorder(plan, scenario.timeline, name)
    play = Play(scenario, plan, truth, 60.0 if metrics else None, start_s)
    return Stretch(play, truth, list(play.history(end_s, 100_000)))


def share(table: pa.Table, name: str = "is_defect", value: object = True) -> float:  # noqa: FBT002 - a column's value
    """Part of the rows with this value, 0 for no rows."""
    found = float(pc.sum(pc.equal(table[name], value)).as_py() or 0)
    return found / max(int(table.num_rows), 1)


def mean(values: Iterable[float]) -> float:
    found = [float(value) for value in values]
    return sum(found) / max(len(found), 1)


def _spans(bodies: Iterable[Body]) -> Iterator[Told]:
    for body in bodies:
        if body.signal == "traces":
            for resource in ExportTraceServiceRequest.FromString(body.payload).resource_spans:
                known = attributes(resource.resource)
                for scope in resource.scope_spans:
                    yield from (Told(span, known) for span in scope.spans)


def _points(bodies: Iterable[Body]) -> Iterator[tuple[str, Point]]:
    for body in bodies:
        if body.signal == "metrics":
            for resource in ExportMetricsServiceRequest.FromString(body.payload).resource_metrics:
                known = attributes(resource.resource)
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        for point in getattr(metric, metric.WhichOneof("data")).data_points:
                            value = float(getattr(point, point.WhichOneof("value")))
                            at_s = (point.time_unix_nano - MONDAY_NS) / NS
                            yield metric.name, Point(at_s, value, known, attributes(point))
