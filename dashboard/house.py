"""What the dashboard needs from the house, as types it declares itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from store.contract import TelemetryReader
from vocabulary.pools import Pool


class AlertView(Protocol):
    """Where one rule stands for one pool.

    state      inactive, pending, firing or resolved
    value      latest reading in the unit of the metric, None when there is none; `no_data` says so too
    line       at or above it the rule holds; `line_kind` is shown wherever it is drawn
    """

    @property
    def rule_id(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def service(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def since_ns(self) -> int: ...
    @property
    def value(self) -> float | None: ...
    @property
    def line(self) -> float: ...
    @property
    def recovery_line(self) -> float: ...
    @property
    def line_kind(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def no_data(self) -> bool: ...


class TransitionView(Protocol):
    """One change of state, a stored row, with the lines in force then."""

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


class LineView(Protocol):
    """A warning line of a rule that watches a pool."""

    @property
    def rule_id(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def at(self) -> float: ...
    @property
    def recovery(self) -> float: ...
    @property
    def line_kind(self) -> str: ...


class AlertsView(Protocol):
    """What the alert rules say and have said. Each call blocks for the time of one small query at most."""

    def states(self) -> Sequence[AlertView]:
        """Every pool of every rule, inactive ones included, loudest first."""

    def transitions(self, limit: int) -> Sequence[TransitionView]:
        """The newest `limit` changes of state, newest first."""

    def rule_lines(self, pool: Pool) -> Sequence[LineView]:
        """Warning lines of the rules that watch `pool`, lowest first."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where emitters and people reach this server, as they would type it.

    main_url       dashboard, API and OTLP/HTTP, for example http://127.0.0.1:8600
    otlp_http_url  OTLP/HTTP listener, for example http://127.0.0.1:4318; the main one when it has no port of its own
    """

    main_url: str
    otlp_http_url: str


@dataclass(frozen=True, slots=True)
class DashboardHouse:
    """Everything that is passed in.

    reader           answers questions; thread-safe
    alerts           states and transitions of the alert rules
    clock_ns         nanoseconds since the epoch
    pending_minutes  minutes with newer data that are not rolled up yet
    endpoints        called at each page, because ports are known only once they are bound
    principal        who looks, for example anonymous@loopback; callbacks put the caller of their request in its place
    failing          names of background works that fail now
    """

    reader: TelemetryReader
    alerts: AlertsView
    clock_ns: Callable[[], int]
    pending_minutes: Callable[[], int]
    endpoints: Callable[[], Endpoints]
    principal: Callable[[], str]
    failing: Callable[[], Sequence[str]] = tuple
