"""Where emitters and people reach a server, as they would type it."""

import socket
from urllib.parse import urlsplit

from dashboard.house import Endpoints
from peakline_server.settings import ServeSettings

_EVERYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, never bound


def endpoints_of(settings: ServeSettings) -> Endpoints:
    """The public address where one is configured, else the address that is listened on."""
    public = settings.web.public_url
    host = (urlsplit(public).hostname if public else None) or _named(settings.host)
    main = public or _url(settings.scheme, host, settings.port or settings.otlp_http_port)
    port = settings.otlp_http_port
    otlp = _url(settings.scheme, host, port) if port and port != settings.port else main
    return Endpoints(main_url=main, otlp_http_url=otlp, wants_token=settings.web.is_on)


def _named(host: str) -> str:
    """A name that others can use where every address of this machine is listened on."""
    return socket.gethostname() if host in _EVERYWHERE else host


def _url(scheme: str, host: str, port: int) -> str:
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
