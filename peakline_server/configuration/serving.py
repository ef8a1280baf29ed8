"""The configuration as the parts of a server are told it."""

from ipaddress import ip_network

from pydantic import SecretStr

from access.settings import AccessSettings, ThrottleSettings
from access.web.oidc_settings import OidcSettings
from access.web.settings import WebSettings
from peakline_server.configuration.loading import Loaded
from peakline_server.configuration.mistakes import ConfigurationError, Mistake
from peakline_server.configuration.parts import Access, Configuration, Oidc, Server, Tls
from peakline_server.configuration.services import service_book
from peakline_server.settings import ServeSettings
from peakline_server.tls import TlsSettings

NO_DATA = "this is not given: name the folder of everything the server keeps, or give --data"


def serve_settings(loaded: Loaded, *, init: bool = False) -> ServeSettings:
    """What `build_server` takes.

    init    make the data folder when it is missing
    raises  ConfigurationError when no data folder is named
    """
    whole = loaded.configuration
    if whole.server.data is None:
        raise ConfigurationError([Mistake(0, "", "server.data", NO_DATA)])
    return ServeSettings(
        data=whole.server.data,
        host=whole.server.host,
        port=whole.server.port,
        otlp_http_port=whole.server.otlp_http_port,
        otlp_grpc_port=whole.server.otlp_grpc_port,
        store=_secret(whole.store.telemetry_url),
        control=_secret(whole.store.control_url),
        rules=whole.alerts.rules_file,
        role=whole.server.role,
        init=init,
        capture_content=whole.ingest.capture_content,
        body_bytes_max=whole.ingest.body_bytes_max,
        alias_file=whole.ingest.alias_file,
        services=service_book(whole.services),
        web=web_settings(whole),
        access=access_settings(whole.access),
        oidc=oidc_settings(whole.access.oidc),
        tls=tls_settings(whole.server.tls),
        configuration=loaded,
    )


def web_settings(whole: Configuration) -> WebSettings:
    """How callers are met."""
    server: Server = whole.server
    return WebSettings(
        is_on=whole.access.enabled,
        public_url=server.public_url or "",
        is_tls=server.tls.certificate_file is not None,
        trusted_proxies=tuple(ip_network(one) for one in server.trusted_proxies),
        hosts=frozenset(server.hosts),
    )


def access_settings(part: Access) -> AccessSettings:
    """Sessions and the limits on log-in."""
    return AccessSettings(
        session_idle_s=int(part.session_idle.total_seconds()),
        session_lifetime_s=int(part.session_lifetime.total_seconds()),
        sessions_max=part.sessions_max,
        throttle=ThrottleSettings(
            window_s=int(part.login_window.total_seconds()),
            attempts=part.login_attempts,
            address_attempts=part.login_attempts_per_address,
            name_attempts=part.login_attempts_per_name,
        ),
    )


def oidc_settings(part: Oidc) -> OidcSettings | None:
    """Single sign-on, None where no provider is named."""
    if part.issuer is None or part.client_id is None:
        return None
    return OidcSettings(
        issuer=part.issuer,
        client_id=part.client_id,
        client_secret=_secret(part.client_secret),
        scopes=" ".join(part.scopes),
        label=part.label,
        role_claim=part.role_claim,
        roles=part.roles,
        default_role=part.default_role,
        tenant_claim=part.tenant_claim or "",
        timeout_s=part.timeout.total_seconds(),
    )


def tls_settings(part: Tls) -> TlsSettings | None:
    """Certificate and key of the listeners, None for plain http."""
    if part.certificate_file is None or part.key_file is None:
        return None
    return TlsSettings(
        certificate_file=part.certificate_file,
        key_file=part.key_file,
        key_password=_secret(part.key_password),
        client_ca_file=part.client_ca_file,
        require_client_certificate=part.require_client_certificate,
    )


def _secret(value: SecretStr | None) -> str:
    return "" if value is None else value.get_secret_value()
