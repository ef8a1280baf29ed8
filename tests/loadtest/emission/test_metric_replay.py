"""Metrics in history are what the SDK's encoder makes of the SDK's own data."""

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from loadtest.emission.metric_replay import metrics_data
from tests.factories.emissions import Emitted


def test_the_sdk_writes_the_same_for_every_source(eventful: Emitted) -> None:
    for body in eventful.metrics:
        assert encode_metrics(metrics_data(body.payload)) == ExportMetricsServiceRequest.FromString(body.payload)


def test_the_points_that_a_body_counts_are_there(eventful: Emitted) -> None:
    for body in eventful.metrics:
        resources = metrics_data(body.payload).resource_metrics
        metrics = [metric for one in resources for scope in one.scope_metrics for metric in scope.metrics]
        assert sum(len(metric.data.data_points) for metric in metrics) == body.points
