"""What the parts of one server process are told; `peakline_server.configuration` makes it from what people wrote."""

from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus

from access.settings import AccessSettings
from access.web.settings import WebSettings
from vocabulary.services import ServiceBook

if TYPE_CHECKING:
    from access.web.oidc_settings import OidcSettings
    from peakline_server.configuration.loading import Loaded
    from peakline_server.tls import TlsSettings

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
BODY_BYTES_MAX: Final = 64 << 20
PUBLIC_BIND: Final = (
    "refusing to listen on {host}: without access control Peakline listens on loopback only; set access.enabled to "
    "true in peakline.yaml (or PEAKLINE_ACCESS_ENABLED=true), and run `peakline users create NAME --role admin` for "
    "people and `peakline tokens create NAME --role ingest` for senders; or listen on 127.0.0.1"
)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    if host in LOOPBACK_HOSTS:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def sqlite_url(file: Path) -> str:
    """SQLAlchemy URL of an SQLite file, whatever characters its path has."""
    return f"sqlite:///{quote(str(file), safe=' +/')}"


class Role(StrEnum):
    """Which parts a process runs; `all` is the default and the only one that embedded stores allow."""

    ALL = "all"
    INGEST = "ingest"
    WEB = "web"
    EVALUATOR = "evaluator"


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Settings of one server process. The defaults are those of a server that nobody configured.

    data             folder of everything the server keeps
    host             address to listen on
    port             API, dashboard and OTLP/HTTP; 0 switches it off
    otlp_http_port   OTLP/HTTP alone; 0 switches it off
    otlp_grpc_port   OTLP/gRPC; 0 switches it off; not received yet
    store            URL of a ClickHouse, '' for the embedded one in `data`; it may hold a password
    control          URL of a PostgreSQL, '' for SQLite in `data`; it may hold a password
    rules            alert rule file, None for no rules
    role             parts to run
    init             make the data folder when it is missing
    capture_content  keep prompts and outputs instead of reducing them to length and salted hash
    body_bytes_max   largest body of one delivery, before and after inflating
    alias_file       alias table asked before those that come with the product, None for none
    services         what services promise, cost, and which of their defects count
    web              whether callers must say who they are, and how they are met
    access           sessions and the limits on log-in
    oidc             single sign-on, None for none
    tls              certificate of every listener, None for plain http
    configuration    everything as people wrote it, for those who show it; None where a test wrote the rest
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8600
    otlp_http_port: int = 4318
    otlp_grpc_port: int = 4317
    store: str = field(default="", repr=False)
    control: str = field(default="", repr=False)
    rules: Path | None = None
    role: Role = Role.ALL
    init: bool = False
    capture_content: bool = False
    body_bytes_max: int = BODY_BYTES_MAX
    alias_file: Path | None = None
    services: ServiceBook = field(default_factory=ServiceBook)
    web: WebSettings = field(default_factory=WebSettings)
    access: AccessSettings = field(default_factory=AccessSettings)
    oidc: "OidcSettings | None" = None
    tls: "TlsSettings | None" = None
    configuration: "Loaded | None" = None

    @property
    def scheme(self) -> str:
        """Of every listener: http or https."""
        return "https" if self.tls else "http"

    @property
    def telemetry_url(self) -> str:
        """SQLAlchemy URL of the telemetry store."""
        return self.store or f"clickhousedb://?interface=chdb&path={quote_plus(str(self.data / 'telemetry'), safe='/')}"

    @property
    def control_url(self) -> str:
        """SQLAlchemy URL of the control store."""
        return self.control or sqlite_url(self.data / "control.sqlite")
