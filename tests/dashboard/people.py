"""Who may come in: principals of every role, and what the page of settings is drawn from, kept in memory."""

from dataclasses import dataclass, field

from store.control.access_records import StoredToken, StoredUser, UserKind
from tests.dashboard.scenery import NOW_NS
from vocabulary.access import Principal, PrincipalKind, Role
from vocabulary.pools import SECOND_NS

DAY_NS = 86_400 * SECOND_NS


def person(name: str, role: Role, tenants: frozenset[str] | None = None) -> Principal:
    """Somebody with a session."""
    return Principal(PrincipalKind.USER, f"id-{name}", name, role, tenants)


ADA = person("ada", Role.ADMIN)
OTTO = person("otto", Role.AUDITOR)
VERA = person("vera", Role.VIEWER)
LIMITED = person("lim", Role.VIEWER, frozenset({"tenant-1", "tenant-2"}))
SENDER = Principal(PrincipalKind.TOKEN, "tok", "gateway", Role.INGEST)


@dataclass(frozen=True)
class FixedSetting:
    """A setting as the configuration tells it."""

    name: str
    value: str
    origin: str = "default"
    default: str = ""
    unit: str = ""
    sentence: str = "What it is for."
    is_secret: bool = False
    restart_needed: bool = True


@dataclass(frozen=True)
class FixedChange:
    """A change event as the store tells it."""

    at_ns: int
    subject: str
    summary: str
    actor: str = ""


def token(name: str, public_id: str = "aaaaaaaaaaaa", role: Role = Role.INGEST, **known: object) -> StoredToken:
    """A token made yesterday."""
    facts = {"tenants": None, "created_ns": NOW_NS - DAY_NS, "created_by": "ada", **known}
    return StoredToken(id=public_id, name=name, role=role, **facts)  # type: ignore[arg-type]  # each fact has its type


def user(name: str, role: Role = Role.VIEWER, **known: object) -> StoredUser:
    """A local user made yesterday."""
    facts = {"kind": UserKind.LOCAL, "tenants": None, "created_ns": NOW_NS - DAY_NS, "created_by": "ada", **known}
    return StoredUser(id=f"id-{name}", name=name, role=role, **facts)  # type: ignore[arg-type]  # each fact has its type


@dataclass
class FixedSettings:
    """A `SettingsView` over lists."""

    access_is_on: bool = True
    stored_tokens: list[StoredToken] = field(default_factory=list)
    stored_users: list[StoredUser] = field(default_factory=list)
    rows: list[FixedSetting] = field(
        default_factory=lambda: [
            FixedSetting("server.port", "8600", default="8600", sentence="Port of the dashboard."),
            FixedSetting("server.tls.key_password", "set", origin="environment", is_secret=True),
            FixedSetting("access.enabled", "true", origin="peakline.yaml:12", default="false"),
        ]
    )
    events: list[FixedChange] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def tokens(self) -> list[StoredToken]:
        return list(self.stored_tokens)

    def users(self) -> list[StoredUser]:
        return sorted(self.stored_users, key=lambda one: one.name)

    def keeps_password_of(self, principal: Principal) -> bool:
        return any(one.id == principal.id and one.kind is UserKind.LOCAL for one in self.stored_users)

    def settings(self) -> list[FixedSetting]:
        return self.rows

    def changes(self, limit: int) -> list[FixedChange]:
        return self.events[:limit]

    def reload_problems(self) -> list[str]:
        return self.problems
