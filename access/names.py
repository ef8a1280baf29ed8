"""Names of people, tokens and tenants: which are usable, and how they are written in the database."""

import unicodedata
from hashlib import sha256

from access.contract import AccessError, Identity

NAME_LENGTH_MAX = 64
LABEL_LENGTH_MAX = 200
TENANT_LENGTH_MAX = 500
IDENTITY_LENGTH_MAX = 255
_TYPED_LENGTH_MAX = 1000
_MARKS = "._-@"
_INVISIBLE = "\u115f\u1160"
"""Hangul fillers: letters to Unicode, nothing to the eye."""


def local_name(typed: str) -> str | None:
    """A local user's name as it is stored: NFKC, case folded; None when nobody can have it.

    Letters and digits of any script and . _ - @ are usable, 1 to 64 of them. Blanks and parentheses are not, so that no
    local name looks like `external_names`.
    """
    if len(typed) > _TYPED_LENGTH_MAX:
        return None
    name = _folded(typed)
    return name if 0 < len(name) <= NAME_LENGTH_MAX and all(map(_is_usable, name)) else None


def external_names(identity: Identity) -> tuple[str, str]:
    """Names for a provider's user, the first that is free is taken: `ann (oidc)`, `ann (oidc 1a2b3c4d)`.

    The provider decides what people are called, so the name says that it comes from there and cannot be a local
    user's. The number is from issuer and subject, so two people of one name stay apart.
    """
    usable = "".join(letter if _is_usable(letter) else "_" for letter in _folded(identity.name[:_TYPED_LENGTH_MAX]))
    name = usable[:NAME_LENGTH_MAX] or "user"
    number = sha256(f"{identity.issuer}\0{identity.subject}".encode(errors="replace")).hexdigest()[:8]
    return f"{name} (oidc)", f"{name} (oidc {number})"


def is_identity(identity: Identity) -> bool:
    """Whether issuer and subject can be stored and found again."""
    halves = (identity.issuer, identity.subject)
    return all(0 < len(half) <= IDENTITY_LENGTH_MAX and half.isprintable() for half in halves)


def token_label(typed: str) -> str:
    """A token's name as it is stored.

    raises  AccessError
    """
    label = typed.strip()
    if not label:
        raise AccessError("A token needs a name that says what it is for.")
    if len(label) > LABEL_LENGTH_MAX or not label.isprintable():
        message = f"A token's name has at most {LABEL_LENGTH_MAX} printable characters."
        raise AccessError(message)
    return label


def check_tenants(tenants: frozenset[str] | None) -> None:
    """Refuse tenants that no request can have.

    raises  AccessError
    """
    for tenant in tenants or ():
        if not tenant or len(tenant) > TENANT_LENGTH_MAX or not tenant.isprintable():
            message = f"A tenant's name has 1 to {TENANT_LENGTH_MAX} printable characters; {tenant[:40]!r} has not."
            raise AccessError(message)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()


def _is_usable(letter: str) -> bool:
    category = unicodedata.category(letter)
    return letter in _MARKS or ((category[0] == "L" or category == "Nd") and letter not in _INVISIBLE)
