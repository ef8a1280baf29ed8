"""From the claims of an identity provider to one of our identities."""

from collections.abc import Mapping
from typing import Any

from access.contract import Identity
from access.web.oidc_errors import OidcError
from access.web.oidc_settings import OidcSettings
from vocabulary.access import Role

_POWER = (Role.INGEST, Role.VIEWER, Role.AUDITOR, Role.OPERATOR, Role.ADMIN)
_NAME_MAX = 200
_SUBJECT_MAX = 255
Claims = Mapping[str, Any]


def identity_of(claims: Claims, settings: OidcSettings) -> Identity:
    """Who it is, as the mapping of the settings says.

    raises  OidcError when the claims name no subject
    """
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _SUBJECT_MAX:
        raise OidcError("the identity token names no usable subject")
    return Identity(
        settings.issuer, subject, _name(claims, subject), _role(claims, settings), _tenants(claims, settings)
    )


def claimed(claims: Claims, name: str) -> object:
    """The value of a claim; a name with dots leads into objects where no claim is called so. None where missing."""
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _role(claims: Claims, settings: OidcSettings) -> Role | None:
    names = _texts(claimed(claims, settings.role_claim))
    found = [settings.roles[name] for name in names if name in settings.roles]
    return max(found, key=_POWER.index, default=settings.default_role)


def _tenants(claims: Claims, settings: OidcSettings) -> frozenset[str] | None:
    if not settings.tenant_claim:
        return None
    return frozenset(name for name in _texts(claimed(claims, settings.tenant_claim)) if name)


def _texts(value: object) -> list[str]:
    several = value if isinstance(value, list) else [value]
    return [text for text in several if isinstance(text, str)]


def _name(claims: Claims, subject: str) -> str:
    """As people know them; an address that the provider has not verified is no name."""
    email = claims.get("email") if claims.get("email_verified", True) is True else None
    for name in (claims.get("preferred_username"), email, subject):
        shown = "".join(sign for sign in name if sign.isprintable()).strip() if isinstance(name, str) else ""
        if shown:
            return shown[:_NAME_MAX]
    return "nameless"
