"""What the API needs from the rest of the house."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from store.contract import TelemetryReader
from store.control.access_records import StoredToken, StoredUser
from vocabulary.access import Principal, Role
from vocabulary.services import ServiceBook


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


class AccessAdministration(Protocol):
    """Changes tokens and users. Thread-safe; may block. `by` is the name of who does it.

    raises  PeaklineError with a sentence for a person; one with `retry_after_s` where there were too many attempts
    """

    def tokens(self) -> Sequence[StoredToken]:
        """All tokens, newest first, ended ones included."""

    def create_token(
        self, name: str, role: Role, tenants: frozenset[str] | None, expires_ns: int | None, by: str
    ) -> tuple[StoredToken, str]:
        """A new token and its text, which is told this once."""

    def revoke_token(self, token_id: str, by: str) -> StoredToken:
        """End a token at once. Revoking twice is no error."""

    def users(self) -> Sequence[StoredUser]:
        """All users by name."""

    def create_user(self, name: str, role: Role, tenants: frozenset[str] | None, password: str, by: str) -> StoredUser:
        """A new local user."""

    def change_user(
        self,
        user_id: str,
        by: str,
        *,
        role: Role | None = None,
        tenants: Mapping[str, frozenset[str] | None] | None = None,
        is_disabled: bool | None = None,
    ) -> StoredUser:
        """Change what is given; {"tenants": value} for tenants, None to leave them."""

    def set_password(self, user_id: str, password: str, by: str) -> None:
        """A new password; open sessions of the user end."""

    def change_own_password(self, user_id: str, old: str, new: str, address: str) -> None:
        """As `set_password`, by somebody who knows the old one; counts as a log-in attempt."""

    def delete_user(self, user_id: str, by: str) -> None:
        """Remove a user and their sessions."""


class Setting(Protocol):
    """One setting as it holds.

    value           in words; of a secret only whether it is set
    origin          where the value comes from: default, a file with its line, the environment, an option
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


@dataclass(frozen=True, slots=True)
class ApiHouse:
    """Everything the routes stand on.

    reader_for       what a caller may read: limited to their tenants; there is no reader without a caller
    clock_ns         now, nanoseconds since the epoch
    pending_minutes  minutes whose rollup is behind the facts
    version          version of the server, as `peakline --version` tells
    started_ns       when the server started
    store_healthy    whether the store answers and takes rows
    failing          names of background works that fail now
    administration   None while access is off
    settings         the effective configuration
    services         what services promise and cost, as it is configured now
    """

    reader_for: Callable[[Principal], ApiReader]
    alerts: AlertsView
    clock_ns: Callable[[], int]
    pending_minutes: Callable[[], int]
    version: str
    started_ns: int
    store_healthy: Callable[[], bool]
    failing: Callable[[], Sequence[str]] = tuple
    administration: AccessAdministration | None = None
    settings: Callable[[], Sequence[Setting]] = tuple
    services: Callable[[], ServiceBook] = ServiceBook
