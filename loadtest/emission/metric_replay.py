"""Metrics that were written as bytes, as the OpenTelemetry SDK's own data for its exporter."""

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1 import metrics_pb2
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
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from loadtest.emission.replay import attributes_of, resource_of


def metrics_data(payload: bytes) -> MetricsData:
    """What a metric reader would hand to its exporter; gauges and sums of numbers."""
    request = ExportMetricsServiceRequest.FromString(payload)
    return MetricsData([_resource_metrics(one) for one in request.resource_metrics])


def _resource_metrics(message: metrics_pb2.ResourceMetrics) -> ResourceMetrics:
    scopes = [
        ScopeMetrics(
            InstrumentationScope(one.scope.name, one.scope.version),
            [_metric(metric) for metric in one.metrics],
            one.schema_url,
        )
        for one in message.scope_metrics
    ]
    return ResourceMetrics(resource_of(message.resource), scopes, message.schema_url)


def _metric(message: metrics_pb2.Metric) -> Metric:
    data: Gauge | Sum
    if message.WhichOneof("data") == "gauge":
        data = Gauge([_point(point) for point in message.gauge.data_points])
    else:
        data = Sum(
            [_point(point) for point in message.sum.data_points],
            AggregationTemporality(message.sum.aggregation_temporality),
            message.sum.is_monotonic,
        )
    return Metric(message.name, message.description, message.unit, data)


def _point(message: metrics_pb2.NumberDataPoint) -> NumberDataPoint:
    value: int | float = message.as_int if message.WhichOneof("value") == "as_int" else message.as_double
    return NumberDataPoint(
        attributes_of(message.attributes), message.start_time_unix_nano, message.time_unix_nano, value
    )
