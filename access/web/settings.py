"""What the HTTP side of access is told at start."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How callers are met. The defaults are those of a server that nobody configured.

    is_on            callers must say who they are; otherwise only this machine is answered, as anonymous
    public_url       as browsers reach the server (https://peakline.example.com), '' where nobody said it
    is_tls           the listeners speak TLS themselves
    trusted_proxies  peers whose X-Forwarded-For, -Proto and -Host count; from all others they are ignored
    hosts            names in the Host header that are answered, lower case and without port; empty: any
    """

    is_on: bool = False
    public_url: str = ""
    is_tls: bool = False
    trusted_proxies: tuple[Network, ...] = ()
    hosts: frozenset[str] = frozenset()

    @property
    def is_secure(self) -> bool:
        """Whether browsers come by https, so that cookies are `Secure` and bound to the host."""
        return self.is_tls or self.public_url.startswith("https://")
