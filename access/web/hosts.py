"""Names of hosts as requests give them: what they are called, whether they are this machine, or the page's own."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.types import Scope

from access.web.header_values import listed, single, values
from access.web.settings import WebSettings

_AUTHORITY = re.compile(r"(?P<host>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?P<port>:[0-9]{1,5})?", re.IGNORECASE)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_FORWARDED = frozenset(
    {b"forwarded", b"via", b"x-real-ip", b"x-client-ip", b"x-envoy-external-address", b"cf-connecting-ip"}
    | {b"true-client-ip", b"x-original-host", b"x-original-forwarded-for"}
)
_FORWARDED_PREFIX = b"x-forwarded-"
_LOCAL_CLIENTS = frozenset({"testclient", "localhost"})
_LOCAL_NAMES = frozenset({"localhost", "testserver"})
_FOREIGN_SITES = frozenset({"cross-site", "same-site"})


def host_name(authority: str) -> str | None:
    """The host of `host:port`, lower case, without brackets or a final dot; None when it is no such thing."""
    found = _AUTHORITY.fullmatch(authority)
    return found["host"].strip("[]").rstrip(".").lower() if found else None


def is_forwarded(scope: Scope) -> bool:
    """Whether a proxy says that it stands between us and the caller."""
    names = (name.lower() for name, _ in scope["headers"])
    return any(name in _FORWARDED or name.startswith(_FORWARDED_PREFIX) for name in names)


def is_from_this_machine(scope: Scope) -> bool:
    """Whether the peer is loopback and the Host header names loopback.

    The name is asked so that a web page elsewhere cannot reach us through a name that resolves to 127.0.0.1.
    """
    return _is_loopback_peer(scope) and _names_loopback(scope)


def _is_loopback_peer(scope: Scope) -> bool:
    client = scope.get("client")
    return client is None or client[0] in _LOCAL_CLIENTS or _is_loopback(client[0])


def _names_loopback(scope: Scope) -> bool:
    hosts = values(scope, b"host")
    if not hosts or hosts == [""]:
        return True
    name = host_name(hosts[0]) if len(hosts) == 1 else None
    return name is not None and (name in _LOCAL_NAMES or _is_loopback(name))


def _is_loopback(text: str) -> bool:
    try:
        return ip_address(text).is_loopback
    except ValueError:
        return False


def is_known_host(scope: Scope, settings: WebSettings) -> bool:
    """Whether the Host header is one that the server answers to; the host of its public address always is."""
    if not settings.hosts:
        return True
    public = urlsplit(settings.public_url).hostname
    name = host_name(single(scope, b"host"))
    return name is not None and (name in settings.hosts or name == public)


def is_foreign(scope: Scope, settings: WebSettings) -> bool:
    """Whether a browser says that a page of another origin sent this; programs say nothing of the kind."""
    if _FOREIGN_SITES & {site.lower() for site in listed(scope, b"sec-fetch-site")}:
        return True
    origins = values(scope, b"origin")
    return bool(origins) and not (len(origins) == 1 and _is_own(origins[0].lower(), scope, settings))


def _is_own(origin: str, scope: Scope, settings: WebSettings) -> bool:
    """The configured origin, or the one that the Host header names: whoever set both has no cookie of ours."""
    public = urlsplit(settings.public_url)
    if public.netloc and origin == f"{public.scheme}://{public.netloc}".lower():
        return True
    scheme, _, authority = origin.partition("://")
    if scheme not in _DEFAULT_PORTS or (scope.get("scheme") in {"https", "wss"} and scheme != "https"):
        return False
    default = _DEFAULT_PORTS[scheme]
    own = single(scope, b"host").lower()
    return bool(own) and own.removesuffix(default) == authority.removesuffix(default)
