"""A receiver that keeps what it is sent: OTLP/HTTP, the import progress and the ledger of the API, nothing else."""

import gzip
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status


class Receiver:
    """What arrived, and what the next answers shall be.

    script  (status, headers) for the next exports; 200 when it is empty
    spans   spans by (trace id, span id), as a store keeps them: each once
    """

    def __init__(self) -> None:
        self.script: list[tuple[int, dict[str, str]]] = []
        self.spans: dict[tuple[bytes, bytes], Span] = {}
        self.bodies: list[ExportTraceServiceRequest] = []
        self.exports = 0
        self.rejects = 0
        self.url = ""
        self._lock = threading.Lock()

    def export(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        with self._lock:
            self.exports += 1
            if self.script:
                status, headers = self.script.pop(0)
                return status, headers, Status(message="so the script says").SerializeToString()
            request = ExportTraceServiceRequest.FromString(body)
            self.bodies.append(request)
            for span in spans_of(request):
                self.spans[(span.trace_id, span.span_id)] = span
            answer = ExportTraceServiceResponse()
            if self.rejects:
                answer.partial_success.rejected_spans = self.rejects
            return 200, {}, answer.SerializeToString()

    def document(self, path: str) -> dict[str, object]:
        """What the API answers at a path."""
        if path.startswith("/api/v1/ledger"):
            traces = {"received": len(self.spans), "stored": len(self.spans)}
            return {"requests": {"completed": len(self.spans), "verified": "unverified"}, "ingest": {"traces": traces}}
        if path.startswith("/api/v1/imports/"):
            return {"rows": self.rows(path.rpartition("/")[2])}
        if path.startswith("/api/v1/alerts"):
            return {"items": [{"value": 0.1, "line": 0.27, "state": "inactive"}]}
        return {"status": "ok", "pending_minutes": 0}

    def rows(self, import_id: str) -> int:
        return sum(attributes(span).get("peakline.import.id") == import_id for span in self.spans.values())


def spans_of(request: ExportTraceServiceRequest) -> list[Span]:
    """All spans of a body, in its order."""
    return [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]


def attributes(span: Span) -> dict[str, object]:
    """Attributes as plain values; an array as a list."""
    plain: dict[str, object] = {}
    for item in span.attributes:
        kind = item.value.WhichOneof("value")
        value = getattr(item.value, kind)
        plain[item.key] = [entry.string_value for entry in value.values] if kind == "array_value" else value
    return plain


def answering(receiver: Receiver, port: int = 0) -> ThreadingHTTPServer:
    """An HTTP server for a receiver, not running yet; port 0 takes a free one."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces"
            assert self.headers["Content-Encoding"] == "gzip"
            self._answer(*receiver.export(gzip.decompress(body)))

        def do_GET(self) -> None:
            self._answer(200, {"Content-Type": "application/json"}, json.dumps(receiver.document(self.path)).encode())

        def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self.send_response(status)
            for key, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    return server


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Runs a server of the loopback in a thread; gives its address."""
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a free port of the loopback."""
    receiver = Receiver()
    with running(answering(receiver)) as receiver.url:
        yield receiver


def serve() -> None:
    """What `peakline serve` looks like to a demo: the same options, the same paths, nothing behind them."""
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    receiver = Receiver()
    threading.Thread(target=answering(receiver, int(options["--otlp-http-port"])).serve_forever, daemon=True).start()
    answering(receiver, int(options["--port"])).serve_forever()


if __name__ == "__main__":
    serve()
