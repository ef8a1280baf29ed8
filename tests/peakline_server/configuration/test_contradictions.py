"""Settings that are each right and wrong together, told where somebody wrote one of them."""

from pathlib import Path

import pytest

from peakline_server.configuration.contradictions import is_private
from tests.peakline_server.configuration.conftest import Complain, Read

ON = "access: {enabled: true}\n"
OIDC = "access:\n  enabled: true\n  oidc: {issuer: https://l, client_id: c, default_role: viewer}\n"
PUBLIC = "server: {public_url: https://p}\n"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("server: {port: 4318}\n", ["1: server.port: server.port is 4318 too"]),
        ("server: {otlp_http_port: 8600}\n", ["1: server.otlp_http_port: server.port is 8600 too"]),
        ("server: {port: 0, otlp_http_port: 0}\n", ["1: server.port: with both ports 0 nothing would listen"]),
        ("server: {role: web}\n", ["1: server.role: the role web needs stores that several processes can share"]),
        ("access: {session_idle: 13h}\n", ["1: access.session_idle: this is longer than access.session_lifetime"]),
        (
            "access: {session_lifetime: 1h}\n",
            ["1: access.session_lifetime: this is longer than access.session_lifetime"],
        ),
        ("server: {tls: {certificate_file: f}}\n", ["1: server.tls.certificate_file: needs server.tls.key_file too"]),
        ("server: {tls: {key_file: f}}\n", ["1: server.tls.key_file: needs server.tls.certificate_file too"]),
        (
            "server: {tls: {client_ca_file: f}}\n",
            ["1: server.tls.client_ca_file: needs server.tls.certificate_file too"],
        ),
        ("server: {tls: {key_password: x}}\n", ["1: server.tls.key_password: needs server.tls.key_file too"]),
        (
            "server: {tls: {require_client_certificate: true}}\n",
            ["1: server.tls.require_client_certificate: needs server.tls.client_ca_file too"],
        ),
        (
            "server: {public_url: 'http://p', tls: {certificate_file: f, key_file: f}}\n",
            ["1: server.public_url: the listeners speak https"],
        ),
        ("access: {oidc: {client_id: c}}\n", ["1: access.oidc.client_id: needs access.oidc.issuer too"]),
        (OIDC, ["3: access.oidc.issuer: needs server.public_url too"]),
        (PUBLIC + OIDC.replace("client_id: c, ", ""), ["4: access.oidc.issuer: needs access.oidc.client_id too"]),
        (PUBLIC + OIDC.replace("true", "false"), ["4: access.oidc.issuer: nobody is asked to log in"]),
        (PUBLIC + OIDC.replace(", default_role: viewer", ""), ["4: access.oidc.issuer: nobody would have a role"]),
        (PUBLIC + OIDC.replace("https://l", "http://l"), ["4: access.oidc.issuer: this must start with https://"]),
        (PUBLIC + OIDC.replace("client_id", "scopes: [email], client_id"), ["4: access.oidc.scopes: `openid` must be"]),
        ("services:\n- service: a\n- {}\n- service: a\n", ["4: services[2]: services[0] is about the same"]),
        (
            "services:\n- objectives: {ttft: 3s,\n    e2e: 2s}\n",
            ["2: services[0].objectives: the first token cannot come later"],
        ),
    ],
)
def test_what_does_not_go_together_is_told(
    complaints: Complain, tmp_path: Path, text: str, sentences: list[str]
) -> None:
    (tmp_path / "f").touch()
    found = complaints(text)
    assert len(found) == len(sentences), found
    assert [told[: len(sentence)] for told, sentence in zip(found, sentences, strict=True)] == sentences


@pytest.mark.parametrize(
    "text",
    [
        "",
        ON + "server: {host: 0.0.0.0}\n",
        "server: {host: 127.0.0.2}\n",
        "server: {host: localhost}\n",
        "server: {port: 0}\n",
        "server: {port: 4317, otlp_grpc_port: 0}\n",
        "server: {role: web}\nstore: {telemetry_url: 'clickhousedb://h/d', control_url: 'postgres://h/d'}\n",
        "server: {tls: {certificate_file: f, key_file: f, client_ca_file: f, require_client_certificate: true}}\n",
        PUBLIC + OIDC,
        PUBLIC + OIDC.replace("https://l", "http://127.0.0.1:9000"),
        "services: [{service: a}, {service: a, model: b}]\n",
    ],
)
def test_what_goes_together_is_not_complained_about(complaints: Complain, tmp_path: Path, text: str) -> None:
    (tmp_path / "f").touch()
    assert complaints(text) == []


def test_a_public_address_without_access_control_is_told_what_to_write_and_run(complaints: Complain) -> None:
    (sentence,) = complaints("server:\n  host: 0.0.0.0\n")
    assert sentence.startswith("2: server.host: refusing to listen on 0.0.0.0")
    assert "access.enabled" in sentence
    assert "PEAKLINE_ACCESS_ENABLED=true" in sentence
    assert "peakline users create NAME --role admin" in sentence
    assert "peakline tokens create NAME --role ingest" in sentence


def test_a_contradiction_is_told_at_the_source_that_made_it(complaints: Complain) -> None:
    (of_variable,) = complaints("", {"PEAKLINE_SERVER_HOST": "0.0.0.0"})  # noqa: S104 - refused
    assert of_variable.startswith("PEAKLINE_SERVER_HOST: refusing")
    (of_option,) = complaints("", {}, server__role=("--role", "web"))
    assert of_option.startswith("--role: the role web needs stores")


def test_a_value_that_cannot_be_read_makes_no_contradiction(complaints: Complain) -> None:
    assert complaints("server: {port: many, otlp_http_port: 8600}\n") == [
        "1: server.port: a whole number is wanted here"
    ]
    assert complaints("server: {host: 0.0.0.0}\naccess: {enabled: yess}\n") == [
        "2: access.enabled: true or false is wanted here"
    ]


def test_only_https_and_loopback_are_private(read: Read) -> None:
    assert is_private("https://l")
    assert is_private("http://[::1]:9")
    assert not is_private("http://login.example.com")
