"""A real server in a process of its own, for benchmarks and for tests that kill it."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_START_S = 60


@dataclass(slots=True)
class ServerProcess:
    """`peakline serve` on a free port of this machine; it answers when `start` returns."""

    data: Path
    port: int
    log: Path
    process: subprocess.Popen[bytes] | None = None
    options: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """Where API, dashboard and OTLP/HTTP answer."""
        return f"http://127.0.0.1:{self.port}"

    def launch(self) -> None:
        """Start without waiting."""
        command = [sys.executable, "-m", "peakline_server.main", "serve", "--init", "--data", str(self.data)]
        ports = ["--port", str(self.port), "--otlp-http-port", "0", "--otlp-grpc-port", "0"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([*command, *ports, *self.options], stdout=log, stderr=log)

    def start(self) -> None:
        """Start and wait until it is ready.

        raises  RuntimeError with the end of its log when it does not come up
        """
        self.launch()
        process, deadline = self.process, time.monotonic() + _START_S
        while process is not None and time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError):
                self.get("/readyz")
                return
            time.sleep(0.05)
        message = f"the server did not start:\n{self.log.read_text()[-2000:]}"
        raise RuntimeError(message)

    def kill(self) -> None:
        """kill -9, as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM; returns the exit code."""
        return self._end(signal.SIGTERM)

    def get(self, path: str) -> Any:
        """Parsed JSON of an API path."""
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:  # noqa: S310 - loopback
            return json.load(answer)

    def _end(self, number: signal.Signals) -> int:
        if self.process is None:
            return 0
        self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        self.process = None
        return code


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running_server(folder: Path, *options: str) -> Iterator[ServerProcess]:
    """A server on a fresh data folder inside `folder`, stopped at the end."""
    server = ServerProcess(folder / "data", free_port(), folder / "server.log", options=options)
    server.start()
    try:
        yield server
    finally:
        server.stop()
