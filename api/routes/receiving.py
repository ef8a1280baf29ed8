"""How the OpenAPI document tells of `POST /v1/traces`, which the collector answers and which speaks protobuf."""

from typing import Any

PATH = "/v1/traces"
PROTOBUF = "application/x-protobuf"


def _answer(description: str, message: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "string", "format": "binary", "description": f"A serialised `{message}`."}
    return {"description": description, "content": {PROTOBUF: {"schema": schema}}, **more}


def _refusal(description: str, **more: Any) -> dict[str, Any]:
    return _answer(description, "google.rpc.Status", **more)


RETRY_AFTER = {
    "Retry-After": {"description": "Seconds until the same body may be sent again.", "schema": {"type": "integer"}}
}
PATH_ITEM: dict[str, Any] = {
    "post": {
        "tags": ["ingest"],
        "summary": "OTLP/HTTP traces",
        "description": "Takes one export of the OpenTelemetry protocol. 200 means stored: on disk and queryable. "
        "Sending the same spans again counts once.",
        "operationId": "otlp_traces",
        "parameters": [
            {
                "name": "Content-Encoding",
                "in": "header",
                "description": "gzip, identity or absent.",
                "schema": {"type": "string", "enum": ["gzip", "identity"]},
            }
        ],
        "requestBody": {
            "required": True,
            "description": "A serialised `ExportTraceServiceRequest`, at most 64 MiB as sent and unpacked.",
            "content": {PROTOBUF: {"schema": {"type": "string", "format": "binary"}}},
        },
        "responses": {
            "200": _answer(
                "Stored; where spans were refused, a partial success with their number and reasons",
                "ExportTraceServiceResponse",
            ),
            "400": _refusal("Not an OTLP trace export; do not send it again"),
            "401": _refusal("Access is on, and no valid token came with it"),
            "403": _refusal("The token may not send telemetry"),
            "408": _refusal("No byte of the body came for some seconds; send it again"),
            "413": _refusal("Too large; send smaller batches"),
            "415": _refusal("Another media type or encoding; send protobuf, plain or as gzip"),
            "500": _refusal("The body breaks the server; do not send it again"),
            "503": _refusal("The queue is full or the store cannot write; send it again", headers=RETRY_AFTER),
        },
    }
}
"""Statuses and meanings as docs/ingest.md tells them to senders."""
