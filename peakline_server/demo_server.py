"""The server of a demo: started as a process of its own, watched, stopped."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from peakline_server.demo_folder import DemoFolder
from vocabulary.errors import PeaklineError

SERVE = (sys.executable, "-m", "peakline_server.main", "serve")
READY_WITHIN_S = 90.0
_STOP_WITHIN_S = 40.0
_POLL_S = 0.2


class DemoServerError(PeaklineError):
    """The server did not start, or ended by itself."""


def assert_port_free(port: int, option: str) -> None:
    """Look whether a port can be used, before anything is changed.

    raises  DemoServerError with a sentence that names the option
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as fault:
            message = (
                f"port {port} cannot be used ({fault.strerror}); "
                f"stop what listens there, or choose another with {option}"
            )
            raise DemoServerError(message) from fault


@dataclass
class DemoServer:
    """`peakline serve` on a demo folder.

    command  how the server is called; tests put something else there
    """

    folder: DemoFolder
    port: int
    otlp_http_port: int
    command: tuple[str, ...] = SERVE
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """Dashboard and API."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def otlp_url(self) -> str:
        """OTLP/HTTP."""
        return f"http://127.0.0.1:{self.otlp_http_port}"

    def start(self, stopped: Callable[[], bool]) -> None:
        """Start it and wait until it is ready, or until the person who waits has had enough.

        Nothing that configures other servers configures this one: a demo is the same everywhere.

        raises  DemoServerError when it ends or is not ready in time
        """
        options = {
            "--config": os.devnull,
            "--data": self.folder.data,
            "--port": self.port,
            "--otlp-http-port": self.otlp_http_port,
            "--otlp-grpc-port": 0,
            "--rules": self.folder.rules,
        }
        arguments = [str(part) for option in options.items() for part in option]
        self.folder.data.mkdir(exist_ok=True)
        with self.folder.log.open("wb") as log:
            # A session of its own: Ctrl-C reaches the demo alone, which stops the server when its traffic has ended.
            self._process = subprocess.Popen(  # noqa: S603 - our own command line
                [*self.command, *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={name: text for name, text in os.environ.items() if not name.startswith("PEAKLINE_")},
                pass_fds=(self.folder.lock.fileno(),),
                start_new_session=True,
            )
        self.folder.tell_holder(self._process.pid)
        deadline = time.monotonic() + READY_WITHIN_S
        while not stopped() and not self._is_ready():
            self.assert_runs()
            if time.monotonic() > deadline:
                message = f"the server was not ready within {READY_WITHIN_S:g} s; its log is {self.folder.log}"
                raise DemoServerError(message)
            time.sleep(_POLL_S)

    def assert_runs(self) -> None:
        """Raise DemoServerError, with the server's last words, when it has ended."""
        if self._process is None or self._process.poll() is None:
            return
        words = self.folder.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = words[-1].removeprefix("peakline: ") if words else "it said nothing"
        message = f"the server ended by itself with code {self._process.returncode}: {last}"
        raise DemoServerError(message)

    def stop(self) -> None:
        """Stop it: exports under way are answered, the store is closed."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=2.0, trust_env=False).is_success
        except httpx.HTTPError:
            return False
