"""How an identity provider is asked, checked at start."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from vocabulary.access import Role
from vocabulary.errors import PeaklineError


class OidcSettingsError(PeaklineError):
    """The provider cannot be used as it is configured."""


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """An OpenID Connect provider.

    issuer         its address, as its tokens name it; https, or http on loopback
    client_id      as it was registered there; the redirect address to register is PUBLIC_URL/login/oidc/callback
    client_secret  '' for a public client; it never appears in logs or representations
    scopes         asked for, separated by spaces
    label          on the button of the log-in page
    role_claim     claim with a text or a list of texts; dots lead into objects (realm_access.roles)
    roles          texts of that claim, and the role that each stands for; the most powerful one counts
    default_role   for somebody whom no text gives a role; None: they are refused
    tenant_claim   claim with the tenants whose rows may be read; '' : all. Configured, but missing in a token: none
    timeout_s      seconds that one question to the provider may take

    raises  OidcSettingsError
    """

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    scopes: str = "openid profile email"
    label: str = "single sign-on"
    role_claim: str = "groups"
    roles: Mapping[str, Role] = field(default_factory=dict)
    default_role: Role | None = None
    tenant_claim: str = ""
    timeout_s: float = 10.0

    def __post_init__(self) -> None:
        if not is_usable_address(self.issuer):
            raise OidcSettingsError(
                f"The issuer {self.issuer!r} is no address of an identity provider; give one with https, such as "
                "https://login.example.com/realms/main (http is for loopback only)."
            )
        if not self.client_id:
            raise OidcSettingsError("The identity provider needs a client_id; register Peakline there first.")
        if "openid" not in self.scopes.split():
            raise OidcSettingsError("The scopes of the identity provider must contain openid.")
        if not self.roles and self.default_role is None:
            raise OidcSettingsError(
                "Nobody could log in through the identity provider: give roles, which maps texts of the claim "
                f"{self.role_claim} to roles, or a default_role."
            )


def is_usable_address(address: str) -> bool:
    """Whether secrets may travel there: https, or http to this machine."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    if not host or parts.username is not None or parts.fragment:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
