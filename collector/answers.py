"""OTLP answers: success, partial success and google.rpc.Status, as protobuf or JSON."""

import json
from collections.abc import Mapping

from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from starlette.responses import Response

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
_GRPC_CODES = {400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 408: 4, 413: 8, 415: 3, 500: 13, 503: 14}
_MESSAGE_MAX = 2_000


def accepted(rejected: Mapping[str, int]) -> Response:
    """200: everything stored (empty body), or partial success with how many spans were rejected and why."""
    message = ExportTraceServiceResponse()
    if rejected:
        message.partial_success.rejected_spans = sum(rejected.values())
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(rejected.items()))
        message.partial_success.error_message = f"rejected: {reasons}"
    return Response(message.SerializeToString(), media_type=PROTOBUF)


def refused(status: int, sentence: str, media_type: str = PROTOBUF, retry_after_s: int | None = None) -> Response:
    """An error with a google.rpc.Status in the request's own encoding.

    retry_after_s  seconds after which the same body may be sent again; set for 503 only
    """
    headers = {"Retry-After": str(retry_after_s)} if retry_after_s is not None else None
    code, text = _GRPC_CODES[status], sentence[:_MESSAGE_MAX]
    if media_type == JSON:
        body = json.dumps({"code": code, "message": text}).encode()
        return Response(body, status, headers, JSON)
    return Response(Status(code=code, message=text).SerializeToString(), status, headers, PROTOBUF)
