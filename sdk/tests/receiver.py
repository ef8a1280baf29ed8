"""A real OTLP/HTTP receiver on a loopback port, for tests."""

import gzip
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Receiver(ThreadingHTTPServer):
    """Keeps what it was sent; answers with `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status = 200
        self.requests: list[ExportTraceServiceRequest] = []
        self.headers: list[dict[str, str]] = []

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def resource(self) -> dict[str, object]:
        return plain(self.requests[0].resource_spans[0].resource.attributes)


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if self.server.status == 200:
            assert self.path == "/v1/traces"
            self.server.requests.append(ExportTraceServiceRequest.FromString(body))
            self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(self.server.status)
        self.send_header("content-type", "application/x-protobuf")
        self.end_headers()
        self.wfile.write(ExportTraceServiceResponse().SerializeToString())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def plain(attributes: Iterable[KeyValue]) -> dict[str, object]:
    """OTLP attributes as a dict."""
    return {pair.key: value_of(pair.value) for pair in attributes}


def value_of(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(entry) for entry in value.array_value.values]
    return getattr(value, str(kind))


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that runs in a thread."""
    receiver = Receiver()
    thread = threading.Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        thread.join()
        receiver.server_close()
