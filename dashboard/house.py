"""What the dashboard needs from the house, as types it declares itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from store.contract import TelemetryReader
from store.control.access_records import StoredToken, StoredUser
from vocabulary.access import Principal
from vocabulary.pools import Pool
from vocabulary.services import ServiceBook


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


class SettingRow(Protocol):
    """One setting as it holds.

    name           with its group: server.port
    value          in words; of a secret only whether it is set
    origin         where the value comes from: default, a file with its line, the environment, an option
    restart_needed  whether a change takes effect only at the next start
    """

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def default(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def sentence(self) -> str: ...
    @property
    def is_secret(self) -> bool: ...
    @property
    def restart_needed(self) -> bool: ...


class ChangeRow(Protocol):
    """One change of the configuration that took effect, or was refused.

    subject  what changed: a file, a table, a setting
    summary  one sentence
    actor    who or what made it, '' when unknown
    """

    @property
    def at_ns(self) -> int: ...
    @property
    def subject(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def actor(self) -> str: ...


class SettingsView(Protocol):
    """What the page of settings is drawn from; changes go through the API, never through here.

    Each verb blocks for the time of one small query at most. The page asks only for what its caller may read.
    """

    @property
    def access_is_on(self) -> bool:
        """Whether callers are asked who they are."""

    def tokens(self) -> Sequence[StoredToken]:
        """All tokens, newest first, ended ones included."""

    def users(self) -> Sequence[StoredUser]:
        """All users by name."""

    def keeps_password_of(self, principal: Principal) -> bool:
        """Whether the caller is a local user, who may change their own password."""

    def settings(self) -> Sequence[SettingRow]:
        """The effective configuration in the order of its documentation."""

    def changes(self, limit: int) -> Sequence[ChangeRow]:
        """The newest `limit` changes of the configuration, newest first."""

    def reload_problems(self) -> Sequence[str]:
        """Sentences about files that changed and could not be adopted, none when all is well."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where emitters and people reach this server, as they would type it.

    main_url       dashboard, API and OTLP/HTTP, for example http://127.0.0.1:8600
    otlp_http_url  OTLP/HTTP listener, for example http://127.0.0.1:4318; the main one when it has no port of its own
    wants_token    whether senders must show one
    """

    main_url: str
    otlp_http_url: str
    wants_token: bool = False


@dataclass(frozen=True, slots=True)
class DashboardHouse:
    """Everything that is passed in for one caller.

    reader           answers questions within the caller's tenants; thread-safe
    alerts           states and transitions of the alert rules
    clock_ns         nanoseconds since the epoch
    pending_minutes  minutes with newer data that are not rolled up yet
    endpoints        called at each page, because ports are known only once they are bound
    principal        who looks
    settings         what the page of settings shows
    failing          names of background works that fail now
    services         risk thresholds, kinds that count, prices, as they are configured now
    """

    reader: TelemetryReader
    alerts: AlertsView
    clock_ns: Callable[[], int]
    pending_minutes: Callable[[], int]
    endpoints: Callable[[], Endpoints]
    principal: Principal
    settings: SettingsView
    failing: Callable[[], Sequence[str]] = tuple
    services: Callable[[], ServiceBook] = ServiceBook


HouseFor = Callable[[Principal], DashboardHouse]
"""The house of a caller; there is none without a caller. Called at each page: it must be cheap."""
