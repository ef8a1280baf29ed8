"""Who may do what: roles, what they grant, and the principal that every request has."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a token or a user is for."""

    INGEST = "ingest"
    VIEWER = "viewer"
    OPERATOR = "operator"
    AUDITOR = "auditor"
    ADMIN = "admin"


class Permission(StrEnum):
    """What a route can ask for.

    send             deliver telemetry
    read             see requests, reports, alerts
    read_settings    see the effective configuration, tokens and users, but no secret
    operate          change silences and incidents
    append_evidence  add replays and evidence; nothing that exists is changed
    administer       change tokens, users and settings
    """

    SEND = "send"
    READ = "read"
    READ_SETTINGS = "read_settings"
    OPERATE = "operate"
    APPEND_EVIDENCE = "append_evidence"
    ADMINISTER = "administer"


GRANTS: Mapping[Role, frozenset[Permission]] = {
    Role.INGEST: frozenset({Permission.SEND}),
    Role.VIEWER: frozenset({Permission.READ}),
    Role.OPERATOR: frozenset({Permission.READ, Permission.OPERATE}),
    Role.AUDITOR: frozenset({Permission.READ, Permission.READ_SETTINGS, Permission.APPEND_EVIDENCE}),
    Role.ADMIN: frozenset(Permission),
}


class PrincipalKind(StrEnum):
    """How somebody came in."""

    ANONYMOUS = "anonymous"
    TOKEN = "token"  # noqa: S105 - a kind, no secret
    USER = "user"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request is from.

    id       of the token or the user, '' for anonymous
    name     as people know it: a user's name, a token's name, anonymous@loopback
    tenants  tenants whose rows may be read, None for all; an empty set reads nothing
    """

    kind: PrincipalKind
    id: str
    name: str
    role: Role
    tenants: frozenset[str] | None = None

    def may(self, permission: Permission) -> bool:
        """Whether the role grants it."""
        return permission in GRANTS[self.role]

    @property
    def is_limited(self) -> bool:
        """Whether rows of some tenants are out of sight, so that answers about the whole fleet are refused."""
        return self.tenants is not None


ANONYMOUS = Principal(PrincipalKind.ANONYMOUS, "", "anonymous@loopback", Role.ADMIN)
"""Everybody, while access is not configured and the server listens on loopback only."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What one route asks of its caller. A route without a rule is refused to everybody.

    methods      HTTP methods, or "WEBSOCKET"; GET covers HEAD
    path         as the route is registered: /api/v1/requests/{request_key}, /v1/{path:path}
    needs        any one of these is enough; empty with `is_public` False means: anybody with a principal
    is_public    answered without a principal
    whole_fleet  refused to a principal that is limited to tenants: the answer is about everybody's traffic
    """

    methods: frozenset[str]
    path: str
    needs: frozenset[Permission] = frozenset()
    is_public: bool = False
    whole_fleet: bool = False

    def objection(self, principal: Principal) -> "Objection | None":
        """Why this principal is kept out, None where it is let in."""
        if self.is_public:
            return None
        if self.needs and not any(principal.may(permission) for permission in self.needs):
            return Objection.PERMISSION
        return Objection.WHOLE_FLEET if self.whole_fleet and principal.is_limited else None


class Objection(StrEnum):
    """Why a rule keeps somebody out.

    permission   the role grants none of what is needed
    whole_fleet  the answer is about everybody's traffic, and the caller is limited to tenants
    """

    PERMISSION = "permission"
    WHOLE_FLEET = "whole_fleet"
