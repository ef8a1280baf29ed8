"""Which roles may be limited to tenants."""

from access.contract import AccessError
from access.names import check_tenants
from vocabulary.access import Role

_REASONS = {
    Role.INGEST: "A sender names the tenant of each request itself, so the role ingest cannot be limited to tenants.",
    Role.ADMIN: "An admin can change every limit, so the role admin cannot be limited to tenants.",
}


def check_scope(role: Role, tenants: frozenset[str] | None) -> None:
    """Refuse a limit that would promise what it cannot hold.

    raises  AccessError
    """
    check_tenants(tenants)
    if tenants is not None and role in _REASONS:
        raise AccessError(_REASONS[role])


def is_scope(role: Role, tenants: frozenset[str] | None) -> bool:
    """Whether `check_scope` lets it pass."""
    try:
        check_scope(role, tenants)
    except AccessError:
        return False
    return True
