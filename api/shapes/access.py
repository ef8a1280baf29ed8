"""Who is asking, tokens, users and settings on the wire. Times are RFC 3339 UTC; no answer holds a password.

The bodies are msgspec structs, strict: an unknown field or a wrong type is refused by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from vocabulary.access import Role

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Tenant = Annotated[str, Meta(min_length=1, max_length=500)]
Tenants = Annotated[frozenset[Tenant], Meta(max_length=10_000)]
Password = Annotated[str, Meta(max_length=10_000)]


class NewToken(Struct, frozen=True, forbid_unknown_fields=True):
    """An API token to make; `tenants` null for all, `expires` null for never, else RFC 3339."""

    name: Name
    role: Role
    tenants: Tenants | None = None
    expires: str | None = None


class NewUser(Struct, frozen=True, forbid_unknown_fields=True):
    """A local user to make; `tenants` null for all."""

    name: Name
    role: Role
    password: Password
    tenants: Tenants | None = None


class UserChange(Struct, frozen=True, forbid_unknown_fields=True):
    """What to change about a user; what is absent stays. A password is changed alone."""

    role: Role | UnsetType = UNSET
    tenants: Tenants | UnsetType | None = UNSET
    is_disabled: bool | UnsetType = UNSET
    password: Password | UnsetType = UNSET


class PasswordChange(Struct, frozen=True, forbid_unknown_fields=True):
    """The caller's own password, old and new."""

    old: Password
    new: Password


@dataclass(frozen=True, slots=True)
class MeItem:
    """Who the caller is.

    kind          anonymous, token or user
    permissions   what the role grants
    tenants       whose rows the caller reads, null for all
    session_ends  null where there is no session
    """

    name: str
    kind: str
    role: str
    permissions: Sequence[str]
    tenants: Sequence[str] | None
    session_ends: str | None


@dataclass(frozen=True, slots=True)
class TokenItem:
    """An API token without its secret.

    state      active, expired or revoked
    expires    null for never
    last_used  null for never; at most a minute behind
    """

    id: str
    name: str
    role: str
    tenants: Sequence[str] | None
    state: str
    created: str
    created_by: str
    expires: str | None
    revoked: str | None
    last_used: str | None


@dataclass(frozen=True, slots=True)
class TokenList:
    """All tokens, newest first, ended ones included."""

    items: Sequence[TokenItem]
    next: None = None


@dataclass(frozen=True, slots=True)
class CreatedToken:
    """A new token; `text` is told this once."""

    token: TokenItem
    text: str


@dataclass(frozen=True, slots=True)
class UserItem:
    """A person; `kind` is local, or oidc where an identity provider (`issuer`) keeps the password."""

    id: str
    name: str
    kind: str
    role: str
    tenants: Sequence[str] | None
    is_disabled: bool
    created: str
    created_by: str
    issuer: str
    last_login: str | None


@dataclass(frozen=True, slots=True)
class UserList:
    """All users by name."""

    items: Sequence[UserItem]
    next: None = None


@dataclass(frozen=True, slots=True)
class SettingItem:
    """One setting as it holds; `value` of a secret is `set` or `not set`, `origin` says where it comes from."""

    name: str
    value: str
    origin: str
    default: str
    unit: str
    sentence: str
    is_secret: bool
    restart_needed: bool


@dataclass(frozen=True, slots=True)
class SettingList:
    """The effective configuration, in the order of its documentation."""

    items: Sequence[SettingItem]
    next: None = None
