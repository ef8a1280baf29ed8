"""Roles, tenants and the state of tokens in the reader's words."""

from enum import StrEnum

from dashboard.wording import Wording
from store.control.access_records import StoredToken
from vocabulary.access import GRANTS, Permission, Role

MOST_NAMED = 4
"""As many tenants are named before the rest is counted."""


class TokenState(StrEnum):
    """Whether a token lets anybody in."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


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


def token_state(token: StoredToken, now_ns: int) -> TokenState:
    """Revoked wins over expired."""
    if token.revoked_ns is not None:
        return TokenState.REVOKED
    if token.expires_ns is not None and token.expires_ns <= now_ns:
        return TokenState.EXPIRED
    return TokenState.ACTIVE
