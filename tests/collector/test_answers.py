"""OTLP answers have the shape the specification asks for."""

import json

import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from collector import answers


def test_full_success_leaves_partial_success_unset() -> None:
    assert answers.accepted({}).body == b""


def test_partial_success_counts_and_names_reasons() -> None:
    message = ExportTraceServiceResponse.FromString(
        bytes(answers.accepted({"invalid_span_id": 2, "invalid_trace_id": 1}).body)
    )
    assert message.partial_success.rejected_spans == 3
    assert message.partial_success.error_message == "rejected: 2 invalid_span_id, 1 invalid_trace_id"


@pytest.mark.parametrize("status", [400, 413, 415, 503])
def test_errors_carry_a_status_in_the_encoding_of_the_request(status: int) -> None:
    protobuf = answers.refused(status, "why")
    assert Status.FromString(bytes(protobuf.body)).message == "why"
    as_json = answers.refused(status, "why", answers.JSON)
    assert json.loads(bytes(as_json.body))["message"] == "why"


def test_back_pressure_says_when_to_come_back() -> None:
    assert answers.refused(503, "full", retry_after_s=2).headers["retry-after"] == "2"
    assert "retry-after" not in answers.refused(400, "bad").headers


def test_a_long_sentence_is_cut() -> None:
    assert len(bytes(answers.refused(400, "x" * 10_000).body)) < 3_000
