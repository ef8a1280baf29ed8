"""What the API needs from the rest of the house."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from store.contract import TelemetryReader


class ApiReader(TelemetryReader, Protocol):
    """The telemetry reader, and how far an import has come."""

    def import_progress(self, import_id: str) -> int:
        """Rows of an import that are stored as requests, 0 when unknown."""


class Alert(Protocol):
    """Where a rule stands for a pool; times in nanoseconds since the epoch, updated_ns 0 for never."""

    @property
    def rule_id(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def service(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def since_ns(self) -> int: ...
    @property
    def value(self) -> float | None: ...
    @property
    def no_data(self) -> bool: ...
    @property
    def line(self) -> float: ...
    @property
    def recovery_line(self) -> float: ...
    @property
    def line_kind(self) -> str: ...
    @property
    def updated_ns(self) -> int: ...


class Transition(Protocol):
    """One step of an alert from state to state."""

    @property
    def rule_id(self) -> str: ...
    @property
    def service(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def from_state(self) -> str: ...
    @property
    def to_state(self) -> str: ...
    @property
    def at_ns(self) -> int: ...
    @property
    def value(self) -> float | None: ...
    @property
    def line(self) -> float: ...
    @property
    def recovery_line(self) -> float: ...
    @property
    def reason(self) -> str: ...
    @property
    def line_kind(self) -> str: ...


class AlertsView(Protocol):
    """What is known of alerts. Thread-safe."""

    def states(self) -> Sequence[Alert]:
        """Where every rule stands for every pool it watches."""

    def transitions(self, limit: int) -> Sequence[Transition]:
        """The latest transitions, newest first."""


@dataclass(frozen=True, slots=True)
class ApiHouse:
    """Everything the routes stand on.

    clock_ns         now, nanoseconds since the epoch
    pending_minutes  minutes whose rollup is behind the facts
    version          version of the server, as `peakline --version` tells
    started_ns       when the server started
    store_healthy    whether the store answers and takes rows
    failing          names of background works that fail now
    """

    reader: ApiReader
    alerts: AlertsView
    clock_ns: Callable[[], int]
    pending_minutes: Callable[[], int]
    version: str
    started_ns: int
    store_healthy: Callable[[], bool]
    failing: Callable[[], Sequence[str]] = tuple
