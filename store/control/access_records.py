"""Tokens, users and sessions as they are stored; no record holds a secret, only digests and hashes are kept."""

from dataclasses import dataclass
from enum import StrEnum

from vocabulary.access import Role


class UserKind(StrEnum):
    """Who keeps the password: Peakline, or an identity provider."""

    LOCAL = "local"
    OIDC = "oidc"


class TokenState(StrEnum):
    """Whether a token lets anybody in."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class StoredToken:
    """An API token without its secret. Times are nanoseconds since the epoch.

    id            public half, 12 characters, part of the token's text
    tenants       tenants whose rows it may read, None for all
    created_by    name of the principal, or `command line`
    expires_ns    None: never
    revoked_ns    None: not revoked
    last_used_ns  None: never used; at most a minute behind
    """

    id: str
    name: str
    role: Role
    tenants: frozenset[str] | None
    created_ns: int
    created_by: str
    expires_ns: int | None = None
    revoked_ns: int | None = None
    last_used_ns: int | None = None

    def state(self, now_ns: int) -> TokenState:
        """Revoked wins over expired; a token ends at the nanosecond that it expires."""
        if self.revoked_ns is not None:
            return TokenState.REVOKED
        if self.expires_ns is not None and self.expires_ns <= now_ns:
            return TokenState.EXPIRED
        return TokenState.ACTIVE


@dataclass(frozen=True, slots=True)
class StoredUser:
    """A person.

    name           unique; local ones are lower case
    issuer         of the identity provider, '' for local users
    subject        the provider's id of the person, '' for local users
    is_disabled    may not log in; open sessions end with it
    """

    id: str
    name: str
    kind: UserKind
    role: Role
    tenants: frozenset[str] | None
    created_ns: int
    created_by: str
    issuer: str = ""
    subject: str = ""
    is_disabled: bool = False
    last_login_ns: int | None = None


@dataclass(frozen=True, slots=True)
class StoredSession:
    """An open session; its cookie is known by digest only.

    csrf        what unsafe requests of this session must carry in a header
    seen_ns     last request, at most a minute behind
    expires_ns  end at the latest, whatever is done in it
    """

    digest: str
    user_id: str
    csrf: str
    created_ns: int
    seen_ns: int
    expires_ns: int
