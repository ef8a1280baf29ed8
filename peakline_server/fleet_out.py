"""Where a played history goes: to a receiver, or into a folder of numbered bodies."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from loadtest.emission.outbox import Body
from peakline_server.client_token import NO_CREDENTIALS, Credentials
from peakline_server.delivery import Delivery
from vocabulary.errors import PeaklineError

_IN_FLIGHT = 3
MANIFEST = "manifest.json"


class OutFolderError(PeaklineError):
    """The folder for the bodies cannot be used."""


class Destination(Protocol):
    """Takes bodies in order; yields each with what was rejected of it."""

    @property
    def absent(self) -> set[str]:
        """Signals that it does not take; known once one has been sent."""

    def send(self, bodies: Iterator[Body]) -> Iterator[tuple[Body, int]]:
        """The next body is asked for only when there is room."""

    def close(self, about: dict[str, Any]) -> None:
        """All is sent; `about` describes the run."""


class Receiver:
    """An OTLP/HTTP receiver; one without a path for metrics gets none."""

    def __init__(
        self, endpoint: str, stop: threading.Event | None = None, credentials: Credentials = NO_CREDENTIALS
    ) -> None:
        self._delivery = Delivery(endpoint, may_lack={"metrics"}, stop=stop, credentials=credentials)

    @property
    def absent(self) -> set[str]:
        """Signals that the receiver does not know."""
        return self._delivery.absent

    def send(self, bodies: Iterator[Body]) -> Iterator[tuple[Body, int]]:
        """Several bodies are under way at once."""
        yield from self._delivery.post_all(bodies, _IN_FLIGHT)

    def close(self, about: dict[str, Any]) -> None:  # noqa: ARG002 - a receiver is told nothing about the run
        """Close the connections."""
        self._delivery.close()


class Folder:
    """Numbered files, each the body of one POST to /v1/traces or /v1/metrics, and a manifest in the order of sending.

    raises  OutFolderError when it exists and is not empty, or cannot be made or written
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.absent: set[str] = set()
        self._bodies: list[dict[str, Any]] = []
        try:
            path.mkdir(parents=True, exist_ok=True)
            is_used = any(path.iterdir())
        except OSError as fault:
            raise OutFolderError(f"{path} cannot be used: {fault.strerror}") from fault
        if is_used:
            raise OutFolderError(f"{path} is not empty; name another folder with --out")

    def send(self, bodies: Iterator[Body]) -> Iterator[tuple[Body, int]]:
        """Write them one after the other."""
        for body in bodies:
            name = f"{len(self._bodies) + 1:06d}.{body.signal}.otlp"
            self._write(name, body.payload)
            entry = {"file": name, "signal": body.signal, "until_s": body.until_s, "bytes": len(body.payload)}
            self._bodies.append(entry | {"spans": body.spans, "requests": body.requests, "points": body.points})
            yield body, 0

    def close(self, about: dict[str, Any]) -> None:
        """Write the manifest."""
        text = json.dumps({"format": 1, **about, "bodies": self._bodies}, indent=1)
        self._write(MANIFEST, (text + "\n").encode())

    def _write(self, name: str, content: bytes) -> None:
        try:
            (self.path / name).write_bytes(content)
        except OSError as fault:
            message = f"{self.path / name} cannot be written: {fault.strerror}; the folder is incomplete"
            raise OutFolderError(message) from fault
