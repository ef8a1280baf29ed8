"""Every setting there is, part by part: type, default, unit, sentence. Attribute names are the keys of the file."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from peakline_server.configuration.kinds import (
    DatabaseUrl,
    Duration,
    FilePath,
    FolderPath,
    Host,
    Hosts,
    Networks,
    Origin,
    Size,
    WebAddress,
    Word,
    Words,
)
from peakline_server.configuration.services import Services
from peakline_server.settings import Role
from vocabulary.access import Role as AccessRole

_TIME, _BYTES = "ms, s, m, h, d", "B, KiB, MiB, GiB"
PORT_MAX = 65_535
BODY_BYTES_MAX = 1 << 30
TELEMETRY_KINDS = ("clickhousedb", "clickhousedb+connect")
CONTROL_KINDS = ("postgresql+psycopg", "postgresql", "postgres", "sqlite", "sqlite+pysqlite")


class Part(BaseModel):
    """Settings that belong together. Frozen; a key that is not there is refused; inputs are never repeated."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def setting(default: Any, sentence: str, *, unit: str = "", example: str = "", reloads: bool = False) -> Any:
    """A setting of a part.

    unit     of its value, '' for a value without one
    example  what stands in the example file where there is no default
    reloads  whether a change in the file takes effect while the server runs
    """
    extra: dict[str, Any] = {"unit": unit, "example": example, "reloads": reloads}
    return Field(default, description=sentence, json_schema_extra=extra)


def _database(kinds: tuple[str, ...], example: str) -> AfterValidator:
    def check(url: DatabaseUrl) -> DatabaseUrl:
        if url.get_secret_value().partition("://")[0] not in kinds:
            raise ValueError(f"this is no database URL that can be used; write {example}")
        return url

    return AfterValidator(check)


Port = Annotated[int, Field(ge=0, le=PORT_MAX)]
SessionLength = Annotated[Duration, Field(ge=timedelta(seconds=1))]
Attempts = Annotated[int, Field(ge=1, le=100_000)]
TelemetryUrl = Annotated[
    DatabaseUrl, _database(TELEMETRY_KINDS, "clickhousedb://USER@HOST:8123/DATABASE"), Word("database URL, secret")
]
ControlUrl = Annotated[
    DatabaseUrl, _database(CONTROL_KINDS, "postgresql+psycopg://USER@HOST/DATABASE"), Word("database URL, secret")
]
Secret = Annotated[SecretStr, Field(min_length=1), Word("secret")]
Text = Annotated[str, Field(min_length=1, max_length=500)]


class Tls(Part):
    """Encryption of every listener."""

    certificate_file: FilePath | None = setting(
        None, "Certificate with its chain, PEM; every listener speaks https with it.", example="tls/server.pem"
    )
    key_file: FilePath | None = setting(None, "Private key of the certificate, PEM.", example="tls/server.key")
    key_password: Secret | None = setting(None, "Password of the key file.", example="tls/key.password")
    client_ca_file: FilePath | None = setting(
        None, "Authority whose client certificates are asked for, PEM.", example="tls/clients.pem"
    )
    require_client_certificate: bool = setting(
        default=False, sentence="Refuse clients without such a certificate at the handshake."
    )


class Server(Part):
    """Where the process keeps its things and listens."""

    data: FolderPath | None = setting(
        None, "Folder of everything the server keeps; `serve` needs one.", example="/var/lib/peakline"
    )
    host: Host = setting("127.0.0.1", "Address to listen on; another one than loopback needs access control.")
    port: Port = setting(8600, "API, dashboard and OTLP/HTTP.", unit="port")
    otlp_http_port: Port = setting(4318, "OTLP/HTTP alone; 0 switches it off.", unit="port")
    otlp_grpc_port: Port = setting(4317, "OTLP/gRPC; 0 switches it off. Not received yet.", unit="port")
    role: Role = setting(Role.ALL, "Parts that run in this process; others than all need both store URLs.")
    public_url: Origin | None = setting(
        None,
        "How browsers and senders reach the server; single sign-on and cookies go by it.",
        example="https://peakline.example.com",
    )
    trusted_proxies: Networks = setting(
        (), "Proxies whose X-Forwarded headers count; those of anybody else are ignored.", example="[10.0.0.0/8]"
    )
    hosts: Hosts = setting(
        (),
        "Host names that requests may ask for with access control on; none given: any.",
        example="[peakline.example.com]",
    )
    tls: Tls = Tls()


class Store(Part):
    """Databases; without these settings both are in the data folder."""

    telemetry_url: TelemetryUrl | None = setting(
        None, "ClickHouse for telemetry.", example="clickhousedb://peakline@clickhouse:8123/peakline"
    )
    control_url: ControlUrl | None = setting(
        None, "PostgreSQL for everything else.", example="postgresql+psycopg://peakline@postgres/peakline"
    )


class Ingest(Part):
    """What comes in."""

    capture_content: bool = setting(
        default=False, sentence="Keep prompts and outputs instead of reducing them to length and salted hash."
    )
    body_bytes_max: Annotated[Size, Field(ge=1 << 16, le=BODY_BYTES_MAX)] = setting(
        64 << 20, "Largest body of one delivery, before and after inflating.", unit=_BYTES
    )
    alias_file: FilePath | None = setting(
        None,
        "More attribute names for canonical fields, asked before those that come with Peakline.",
        example="aliases.yaml",
    )


class Alerts(Part):
    """What is watched."""

    rules_file: FilePath | None = setting(
        None, "Alert rules; a changed file is read again by itself.", example="rules.yaml"
    )


class Oidc(Part):
    """Single sign-on through OpenID Connect."""

    issuer: WebAddress | None = setting(
        None,
        "Address of the identity provider; giving it switches single sign-on on.",
        example="https://login.example.com",
    )
    client_id: Text | None = setting(None, "Name of this server at the provider.", example="peakline")
    client_secret: Secret | None = setting(None, "Secret of this server at the provider.", example="oidc.secret")
    scopes: Words = setting(("openid", "profile", "email"), "What the provider is asked for.")
    label: Text = setting("Single sign-on", "Text of the button on the log-in page.")
    role_claim: Text = setting("groups", "Claim that tells the roles of somebody.")
    roles: dict[str, AccessRole] = setting(
        {}, "Value of that claim -> role; the most powerful one counts.", example="{sre: operator, platform: admin}"
    )
    default_role: AccessRole | None = setting(
        None, "Role of those whom no value of the claim names; without it they are refused.", example="viewer"
    )
    tenant_claim: Text | None = setting(
        None, "Claim that tells the tenants somebody is limited to; without it they see all.", example="tenants"
    )
    timeout: Duration = setting(timedelta(seconds=10), "How long an answer of the provider is waited for.", unit=_TIME)


class Access(Part):
    """Who may come in."""

    enabled: bool = setting(
        default=False, sentence="Ask everybody for a token or a log-in; off, only loopback is served."
    )
    session_idle: SessionLength = setting(
        timedelta(hours=2), "A session ends after so long without a request.", unit=_TIME
    )
    session_lifetime: SessionLength = setting(
        timedelta(hours=12), "A session ends after so long in any case.", unit=_TIME
    )
    sessions_max: Annotated[int, Field(ge=1, le=10_000)] = setting(
        20, "Open sessions of one user; a further log-in ends the oldest.", unit="sessions"
    )
    login_window: SessionLength = setting(timedelta(minutes=5), "How long a failed log-in counts.", unit=_TIME)
    login_attempts: Attempts = setting(10, "Failed log-ins of one name from one address in that time.", unit="attempts")
    login_attempts_per_address: Attempts = setting(50, "Failed log-ins from one address in that time.", unit="attempts")
    login_attempts_per_name: Attempts = setting(100, "Failed log-ins of one name in that time.", unit="attempts")
    oidc: Oidc = Oidc()


class Configuration(Part):
    """Everything that a server can be told."""

    server: Server = Server()
    store: Store = Store()
    ingest: Ingest = Ingest()
    alerts: Alerts = Alerts()
    access: Access = Access()
    services: Services = setting(
        (), "What services promise, cost, and which of their defects count; the most specific one holds.", reloads=True
    )
