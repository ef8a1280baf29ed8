"""Users whom an identity provider vouches for: made at their first log-in, brought up to date at each later one."""

import secrets
from dataclasses import replace

from access.contract import Identity
from access.names import external_names, is_identity
from access.scope import is_scope
from store.control.access_records import StoredUser, UserKind
from store.control.access_users import UserBook
from vocabulary.access import Role


def remembered(book: UserBook, identity: Identity, now_ns: int) -> StoredUser | None:
    """The user of an identity as it is now, kept under issuer and subject; the name may change.

    returns  None when they may not come in: no role, a role that cannot be limited to the tenants, nothing that can be
             stored, or disabled here
    """
    if identity.role is None or not is_identity(identity) or not is_scope(identity.role, identity.tenants):
        return None
    for name in external_names(identity):
        known = book.external(identity.issuer, identity.subject)
        if known is None:
            user = _new(identity, identity.role, name, now_ns)
            if book.add(user, None):
                return user
            continue  # the name is taken, or the same person came in at the same moment: look again
        if known.is_disabled:
            return None
        user = replace(known, name=name, role=identity.role, tenants=identity.tenants)
        if user == known or book.refresh(user):
            return user
    return None


def _new(identity: Identity, role: Role, name: str, now_ns: int) -> StoredUser:
    return StoredUser(
        id=secrets.token_hex(8),
        name=name,
        kind=UserKind.OIDC,
        role=role,
        tenants=identity.tenants,
        created_ns=now_ns,
        created_by=identity.issuer,
        issuer=identity.issuer,
        subject=identity.subject,
    )
