"""What the parts of this room ask of one another, so that each can be read and tested alone.

Everything here is synchronous and may block on the control database or on argon2: the event loop calls it in threads.
Every verb raises StoreUnavailableError while the control database cannot be asked: nobody is let in then.
"""

from dataclasses import dataclass
from typing import Protocol

from vocabulary.access import Principal, Role
from vocabulary.errors import PeaklineError


class AccessError(PeaklineError):
    """A change that cannot be made; the message says why, for a person."""


class LogInRefusedError(PeaklineError):
    """Wrong name or password, disabled, or no role: the message does not say which.

    retry_after_s  seconds to wait where there were too many attempts, None otherwise
    """

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session just opened, or found by its cookie.

    cookie         the secret; '' where the session was found by it
    csrf           value of the readable cookie and of the header of unsafe requests
    max_age_s      seconds until it ends at the latest
    """

    principal: Principal
    cookie: str
    csrf: str
    max_age_s: int


@dataclass(frozen=True, slots=True)
class Identity:
    """Who an identity provider says that somebody is.

    role     from the provider's claims by the configured mapping, None when nothing maps
    tenants  from the provider's claims, None for all
    """

    issuer: str
    subject: str
    name: str
    role: Role | None
    tenants: frozenset[str] | None


class Gate(Protocol):
    """Lets callers in. Implemented by `access.gate.AccessGate`."""

    def by_token(self, text: str) -> Principal | None:
        """The principal of an API token; None when it is malformed, unknown, expired or revoked."""

    def by_session(self, cookie: str) -> OpenSession | None:
        """The session of a cookie; None when it is unknown, ended, idle for too long, or its user is disabled."""

    def log_in(self, name: str, password: str, address: str, old_cookie: str = "") -> OpenSession:
        """Open a new session for a local user; an old session of the same browser ends.

        address  of the caller, for the limit on attempts
        raises   LogInRefusedError
        """

    def log_in_external(self, identity: Identity, address: str, old_cookie: str = "") -> OpenSession:
        """Open a session for somebody that a provider vouches for; remembers role and tenants as they are now.

        raises  LogInRefusedError
        """

    def log_out(self, cookie: str) -> None:
        """End the session; an unknown cookie is no error."""
