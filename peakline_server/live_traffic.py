"""Live traffic of a simulated fleet: every process sends through an OpenTelemetry SDK of its own."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import quote

from loadtest.emission.outbox import Body
from loadtest.emission.sdk import SdkEmitters
from peakline_server.client_token import NO_CREDENTIALS, Credentials

HEADERS_VARIABLE, CA_VARIABLE = "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_CERTIFICATE"
CERTIFICATE_VARIABLES = ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_KEY")
"""Our file holds both."""


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

    endpoint     base URL of an OTLP/HTTP receiver
    leave_out    signals that the receiver does not take
    credentials  told to the exporters as emitters are told, by the variables of OpenTelemetry, until `close`
    """

    def __init__(
        self, endpoint: str, leave_out: Collection[str] = (), credentials: Credentials = NO_CREDENTIALS
    ) -> None:
        self.counts = Counts()
        self.left_out_points = 0
        self._leave_out = frozenset(leave_out)
        told = otel_variables(credentials)
        self._before = {name: os.environ.get(name) for name in told}
        os.environ.update(told)
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
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def otel_variables(credentials: Credentials) -> dict[str, str]:
    """The environment of an emitter with these credentials; headers of the environment that are there stay."""
    told: dict[str, str] = {}
    if credentials.token:
        others = [pair for pair in os.environ.get(HEADERS_VARIABLE, "").split(",") if pair and not _authorizes(pair)]
        told[HEADERS_VARIABLE] = ",".join([*others, f"authorization={quote(f'Bearer {credentials.token}')}"])
    if credentials.ca_file is not None:
        told[CA_VARIABLE] = str(credentials.ca_file)
    if credentials.certificate_file is not None:
        told |= dict.fromkeys(CERTIFICATE_VARIABLES, str(credentials.certificate_file))
    return told


def _authorizes(pair: str) -> bool:
    return pair.partition("=")[0].strip().lower() == "authorization"
