"""Metrics written from templates are what the official classes read and what the SDK writes."""

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from loadtest.emission import wire
from loadtest.emission.metric_wire import MetricLayout, Series
from tests.factories.emissions import points_of, value_of

START_NS, TIMES_NS = 1_700_000_000_000_000_000, [1_700_000_060_000_000_000, 1_700_000_120_000_000_000]
SERIES = [
    Series("usage", "1", "gauge", {"model_name": "m" * 200}),
    Series("success", "{request}", "counter", {"reason": "stop"}),
    Series("success", "{request}", "counter", {"reason": "length"}),
    Series("memory", "By", "up_down", is_integer=True),
]
ROWS = [(0.25, 3, 1, 1 << 40), (0.5, 8, 1, -(1 << 40))]


def written() -> ExportMetricsServiceRequest:
    resource, scope = wire.resource({"service.name": "s"}), wire.scope("vllm", "0.33.0")
    request = ExportMetricsServiceRequest()
    request.ParseFromString(MetricLayout(SERIES).request(resource, scope, START_NS, TIMES_NS, ROWS))
    return request


def points(columns: list[int], *, has_start: bool) -> list[NumberDataPoint]:
    return [
        NumberDataPoint(
            dict(SERIES[column].attributes),
            START_NS if has_start else 0,
            at_ns,
            row[column] if SERIES[column].is_integer else float(row[column]),
        )
        for column in columns
        for at_ns, row in zip(TIMES_NS, ROWS, strict=True)
    ]


def by_sdk() -> ExportMetricsServiceRequest:
    cumulative = AggregationTemporality.CUMULATIVE
    metrics = [
        Metric("usage", "", "1", Gauge(points([0], has_start=False))),
        Metric("success", "", "{request}", Sum(points([1, 2], has_start=True), cumulative, is_monotonic=True)),
        Metric("memory", "", "By", Sum(points([3], has_start=True), cumulative, is_monotonic=False)),
    ]
    scopes = [ScopeMetrics(InstrumentationScope("vllm", "0.33.0"), metrics, "")]
    return encode_metrics(MetricsData([ResourceMetrics(Resource({"service.name": "s"}), scopes, "")]))


def test_the_sdk_writes_the_same_message() -> None:
    assert written() == by_sdk()


def test_series_of_one_name_are_points_of_one_metric() -> None:
    metrics = written().resource_metrics[0].scope_metrics[0].metrics
    assert [(metric.name, len(points_of(metric))) for metric in metrics] == [
        ("usage", 2),
        ("success", 4),
        ("memory", 2),
    ]
    assert [value_of(point) for point in points_of(metrics[1])] == [3.0, 8.0, 1.0, 1.0]
