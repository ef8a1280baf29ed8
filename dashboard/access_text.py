"""Roles and tenants in the reader's words."""

from dashboard.wording import Wording
from vocabulary.access import GRANTS, Permission, Role

MOST_NAMED = 4
"""As many tenants are named before the rest is counted."""


def tenants_text(tenants: frozenset[str] | None, say: Wording, most: int = MOST_NAMED) -> str:
    """The first few by name and how many more; all, or none, in words."""
    if tenants is None:
        return say("tenants.all")
    if not tenants:
        return say("tenants.none")
    named = sorted(tenants)
    shown = ", ".join(named[:most])
    return say("tenants.more", shown=shown, more=len(named) - most) if len(named) > most else shown


def grants_text(role: Role, say: Wording) -> str:
    """What the role may do, in the order of the permissions."""
    return say("access.separator").join(say(f"permission.{one}") for one in Permission if one in GRANTS[role])
