"""Who is behind a proxy: forwarded headers count from trusted peers only."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from starlette.types import Scope

from access.web.header_values import listed
from access.web.hosts import host_name
from access.web.settings import Network

_HOPS_MAX = 32
_HEADERS = frozenset({b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host"})
_SCHEMES = frozenset({"http", "https"})
Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class Proxies:
    """Peers whose word counts about where a request came from.

    `Forwarded` (RFC 7239) is not read.
    """

    networks: Sequence[Network]

    def behind(self, scope: Scope) -> Scope:
        """The request as the client sent it: client, scheme and Host of the last hop that is no trusted proxy.

        The headers are taken out in any case, so that nothing further in believes them.
        """
        client = scope.get("client")
        peer = _address(client[0]) if client else None
        seen: Scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0].lower() not in _HEADERS]}
        if peer is None or not self._trust(peer):
            return seen
        seen["client"] = (str(self._client(peer, listed(scope, b"x-forwarded-for"))), 0)
        scheme = _last(listed(scope, b"x-forwarded-proto")).lower()
        if scheme in _SCHEMES:
            seen["scheme"] = scheme.replace("http", "ws") if scope["type"] == "websocket" else scheme
        host = _last(listed(scope, b"x-forwarded-host"))
        if host_name(host) is not None:
            others = [pair for pair in seen["headers"] if pair[0].lower() != b"host"]
            seen["headers"] = [(b"host", host.encode("latin-1")), *others]
        return seen

    def _client(self, peer: Address, hops: list[str]) -> Address:
        """From the right: the first hop that is not trusted. What cannot be read ends the search at its reporter."""
        for hop in reversed(hops[-_HOPS_MAX:]):
            found = _address(hop)
            if found is None:
                return peer
            peer = found
            if not self._trust(found):
                return found
        return peer

    def _trust(self, address: Address) -> bool:
        return any(address in network for network in self.networks)


def _last(parts: list[str]) -> str:
    return parts[-1] if parts else ""


def _address(text: str) -> Address | None:
    """An address with or without a port; IPv4 in IPv6 is IPv4."""
    bare = text[1 : text.find("]")] if text.startswith("[") else text
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        found = ip_address(bare)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
