"""Live traffic of a simulated fleet: every process sends through an OpenTelemetry SDK of its own."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from loadtest.emission.outbox import Body
from loadtest.emission.sdk import SdkEmitters


@dataclass(slots=True)
class Counts:
    """What was sent, or taken to be sent."""

    requests: int = 0
    spans: int = 0
    points: int = 0
    bodies: int = 0
    rejected: int = 0

    def add(self, body: Body, rejected: int = 0) -> None:
        """Count one body; `rejected` of its spans or points were refused."""
        self.requests += body.requests
        self.spans += body.spans
        self.points += body.points
        self.bodies += 1
        self.rejected += rejected


class LiveTraffic:
    """Hands live bodies to the SDK and counts them.

    endpoint   base URL of an OTLP/HTTP receiver
    leave_out  signals that the receiver does not take
    """

    def __init__(self, endpoint: str, leave_out: Collection[str] = ()) -> None:
        self.counts = Counts()
        self.left_out_points = 0
        self._leave_out = frozenset(leave_out)
        self._emitters = SdkEmitters(endpoint)

    @property
    def failed(self) -> int:
        """Spans and points whose export failed for good."""
        tally = self._emitters.tally
        return tally.failed + tally.failed_points

    def send(self, bodies: Iterable[Body]) -> None:
        """Give bodies of one process each to the SDK; they are on their way within a second or so."""
        taken: list[Body] = []
        for body in bodies:
            if body.signal in self._leave_out:
                self.left_out_points += body.points
            else:
                taken.append(body)
                self.counts.add(body)
        self._emitters.emit(taken)

    def close(self) -> None:
        """Returns when everything has been delivered, or has failed."""
        self._emitters.close()
