"""The configuration as the parts of a server are told it."""

from pathlib import Path

import pytest

from access.settings import AccessSettings
from access.web.settings import WebSettings
from peakline_server.configuration.mistakes import ConfigurationError
from peakline_server.configuration.serving import serve_settings
from peakline_server.settings import BODY_BYTES_MAX, Role, ServeSettings
from peakline_server.tls import TlsSettings
from tests.peakline_server.configuration.conftest import Read
from vocabulary.access import Role as AccessRole
from vocabulary.pools import Pool


def test_without_a_word_the_defaults_of_the_parts_hold(read: Read, tmp_path: Path) -> None:
    loaded = read("server: {data: d}")
    assert serve_settings(loaded) == ServeSettings(data=tmp_path / "d", configuration=loaded)
    assert ServeSettings(data=Path()).web == WebSettings()
    assert ServeSettings(data=Path()).access == AccessSettings()


def test_without_a_data_folder_one_sentence_says_so(read: Read) -> None:
    with pytest.raises(ConfigurationError, match=r"^server\.data: .*--data$"):
        serve_settings(read(""))


EVERYTHING = """
server:
  data: d
  host: 0.0.0.0
  port: 1
  otlp_http_port: 2
  otlp_grpc_port: 3
  role: web
  public_url: https://p
  trusted_proxies: [10.0.0.0/8]
  hosts: [p]
  tls: {certificate_file: cert, key_file: key, key_password: x, client_ca_file: ca, require_client_certificate: true}
store: {telemetry_url: 'clickhousedb://h/d', control_url: 'postgres://u:hunter2@h/d'}
ingest: {capture_content: true, body_bytes_max: 1MiB, alias_file: aliases}
alerts: {rules_file: rules}
access:
  enabled: true
  session_idle: 1h
  session_lifetime: 2h
  sessions_max: 3
  login_window: 1m
  login_attempts: 4
  login_attempts_per_address: 5
  login_attempts_per_name: 6
  oidc: {issuer: https://l, client_id: c, client_secret: hunter2, roles: {a: viewer}, tenant_claim: t, timeout: 2s}
services: [{service: a, tiers: {core: 3%}}]
"""


def test_everything_reaches_its_part(read: Read, tmp_path: Path) -> None:
    for name in ("cert", "key", "ca", "rules", "aliases"):
        (tmp_path / name).touch()
    settings = serve_settings(read(EVERYTHING), init=True)
    assert (settings.host, settings.port, settings.otlp_http_port, settings.otlp_grpc_port) == ("0.0.0.0", 1, 2, 3)  # noqa: S104 - read only
    assert (settings.role, settings.init, settings.scheme) == (Role.WEB, True, "https")
    assert (settings.store, settings.control) == ("clickhousedb://h/d", "postgres://u:hunter2@h/d")
    assert (settings.capture_content, settings.body_bytes_max) == (True, 1 << 20)
    assert (settings.rules, settings.alias_file) == (tmp_path / "rules", tmp_path / "aliases")
    assert settings.tls == TlsSettings(tmp_path / "cert", tmp_path / "key", "x", tmp_path / "ca", True)  # noqa: FBT003 - as the file has it
    assert settings.web.is_on
    assert settings.web.is_tls
    assert (settings.web.public_url, settings.web.hosts) == ("https://p", frozenset({"p"}))
    assert [str(one) for one in settings.web.trusted_proxies] == ["10.0.0.0/8"]
    assert (settings.access.session_idle_s, settings.access.session_lifetime_s, settings.access.sessions_max) == (
        3600,
        7200,
        3,
    )
    throttle = settings.access.throttle
    assert (throttle.window_s, throttle.attempts, throttle.address_attempts, throttle.name_attempts) == (60, 4, 5, 6)
    assert settings.oidc is not None
    assert (settings.oidc.issuer, settings.oidc.client_secret, settings.oidc.timeout_s) == ("https://l", "hunter2", 2.0)
    assert (settings.oidc.roles, settings.oidc.tenant_claim) == ({"a": AccessRole.VIEWER}, "t")
    assert settings.services.threshold(Pool("a", "m"), "core") == 0.03
    assert "hunter2" not in repr(settings)


def test_the_largest_body_is_the_same_for_everybody(read: Read) -> None:
    assert read("").configuration.ingest.body_bytes_max == BODY_BYTES_MAX
