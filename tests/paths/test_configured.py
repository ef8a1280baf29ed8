"""A server from its configuration alone: TLS on every listener, client certificates, files read again while it runs."""

import json
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme

from bench.harness.server import free_port

RULES = """rules:
  - id: near
    summary: near the line
    metric: load
    over: 60s
    line: {kind: fixed, at: 0.9, recovery: 0.5}
    for: 0s
    severity: warning
"""


@dataclass(frozen=True)
class Configured:
    """A server that speaks TLS, and who may ask it."""

    folder: Path
    port: int
    otlp_port: int
    process: subprocess.Popen[bytes]
    token: str

    def context(self, *, with_certificate: bool = True) -> ssl.SSLContext:
        found = ssl.create_default_context(cafile=str(self.folder / "ca.pem"))
        if with_certificate:
            found.load_cert_chain(self.folder / "client.pem")
        return found

    def get(self, path: str) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = httpx.get(f"https://localhost:{self.port}{path}", headers=headers, verify=self.context(), timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def until(self, path: str, holds: Callable[[Any], bool]) -> Any:
        deadline = time.monotonic() + 60
        while not holds(found := self.get(path)):
            assert time.monotonic() < deadline, found
            time.sleep(0.2)
        return found


def peakline(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "peakline_server.main", *words],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def admitted(folder: Path) -> str:
    """Makes an administrator, and a token that may do everything; returns the token."""
    (folder / "password").write_text("correct horse battery")
    created = peakline(folder, "users", "create", "ada", "--role", "admin", "--password-file", "password")
    assert created.returncode == 0, created.stderr
    made = peakline(folder, "tokens", "create", "all", "--role", "admin")
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Configured]:
    folder = tmp_path_factory.mktemp("configured")
    (folder / "data").mkdir(mode=0o700)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    own, client = authority.issue_cert("localhost"), authority.issue_cert("client.example")
    own.private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    client.private_key_and_cert_chain_pem.write_to_path(str(folder / "client.pem"))
    (folder / "server.pem").chmod(0o600)
    (folder / "rules.yaml").write_text(RULES)
    port, otlp_port = free_port(), free_port()
    tls = {"certificate_file": "server.pem", "key_file": "server.pem", "client_ca_file": "ca.pem"}
    parts = {
        "server": {
            "data": "data",
            "host": "::",
            "port": port,
            "otlp_http_port": otlp_port,
            "otlp_grpc_port": 0,
            "public_url": f"https://localhost:{port}",
            "tls": {**tls, "require_client_certificate": True},
        },
        "access": {"enabled": True},
        "alerts": {"rules_file": "rules.yaml"},
    }
    (folder / "peakline.yaml").write_text(json.dumps(parts))
    token = admitted(folder)
    with (folder / "log").open("wb") as log:
        command = [sys.executable, "-m", "peakline_server.main", "serve"]
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    found = Configured(folder, port, otlp_port, process, token)
    deadline = time.monotonic() + 60
    while "is ready" not in (folder / "log").read_text():
        assert process.poll() is None, (folder / "log").read_text()
        assert time.monotonic() < deadline, (folder / "log").read_text()
        time.sleep(0.1)
    yield found
    process.terminate()
    assert process.wait(40) == 0


def test_both_listeners_speak_tls_to_a_client_with_a_certificate(server: Configured) -> None:
    assert server.get("/api/v1/me")["name"] == "all"
    sent = httpx.post(
        f"https://localhost:{server.otlp_port}/v1/traces",
        headers={"Content-Type": "application/x-protobuf", "Authorization": f"Bearer {server.token}"},
        verify=server.context(),
    )
    assert (sent.status_code, sent.headers["strict-transport-security"]) == (200, "max-age=31536000")


def test_nobody_without_a_certificate_gets_past_the_handshake(server: Configured) -> None:
    for port in (server.port, server.otlp_port):
        with pytest.raises(httpx.TransportError):
            httpx.get(f"https://localhost:{port}/healthz", verify=server.context(with_certificate=False))
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://localhost:{port}/healthz")


def test_cookies_are_bound_to_the_host_where_browsers_come_by_https(server: Configured) -> None:
    answer = httpx.get(f"https://localhost:{server.port}/login", verify=server.context())
    assert answer.headers["set-cookie"].startswith("__Host-")
    assert "Secure" in answer.headers["set-cookie"]


def test_the_greeting_says_where_it_is_and_how_a_sender_shows_its_token(server: Configured) -> None:
    told = (server.folder / "log").read_text()
    assert f"https://localhost:{server.port}" in told
    assert f"OTEL_EXPORTER_OTLP_ENDPOINT=https://localhost:{server.otlp_port}" in told
    assert "authorization=Bearer%20TOKEN" in told


def test_rules_that_change_are_adopted_and_become_a_change_event(server: Configured) -> None:
    (server.folder / "rules.yaml").write_text(RULES.replace("at: 0.9", "at: 0.8"))
    found = server.until("/api/v1/changes?from=now-1h", lambda told: len(told["items"]) >= 1)
    (event,) = found["items"]
    assert (event["kind"], event["subject"], event["actor"]) == ("configuration", "alert rules", "file")
    assert event["before_digest"] != event["after_digest"]
    (server.folder / "rules.yaml").write_text(RULES.replace("at: 0.9", "at: high"))
    server.until("/api/v1/health", lambda told: "alert rules" in told["failing"])
    (server.folder / "rules.yaml").write_text(RULES)
    server.until("/api/v1/health", lambda told: told["failing"] == [])
    subjects = [item["summary"] for item in server.get("/api/v1/changes?from=now-1h")["items"]]
    assert ["not adopted" in summary for summary in subjects] == [False, True, False]


def test_the_effective_configuration_tells_where_each_value_is_from(server: Configured) -> None:
    rows = {row["name"]: row for row in server.get("/api/v1/settings")["items"]}
    assert (rows["server.port"]["value"], rows["server.port"]["origin"]) == (str(server.port), "peakline.yaml:1")
    assert rows["access.session_idle"]["origin"] == "default"


def test_a_public_address_without_access_is_refused_with_what_to_do(tmp_path: Path) -> None:
    refused = peakline(tmp_path, "serve", "--data", "d", "--init", "--host", "::")
    assert refused.returncode == 2
    assert all(word in refused.stderr for word in ("access.enabled", "users create", "tokens create"))
    assert not (tmp_path / "d").exists()


def doctor(server: Configured, *words: str, **variables: str) -> tuple[int, list[dict[str, str]]]:
    told = {"PEAKLINE_TOKEN": server.token, "SSL_CERT_FILE": str(server.folder / "ca.pem")} | variables
    found = peakline(server.folder, "doctor", "--json", *words, **told)
    assert found.stdout, found.stderr
    return found.returncode, json.loads(found.stdout)["findings"]


def wrong(findings: list[dict[str, str]]) -> list[str]:
    return [one["name"] for one in findings if one["state"] in {"problem", "warning"}]


def test_the_doctor_finds_nothing_wrong_when_it_shows_a_certificate(server: Configured) -> None:
    code, findings = doctor(server, "--client-certificate", "client.pem")
    # Whether a request has arrived depends on the order of these tests, the disk on the machine.
    assert set(wrong(findings)) <= {"pools", "disk", "file system"}, findings
    assert code == 0
    well = {one["name"] for one in findings if one["state"] == "ok"}
    assert {"configuration", "alert rules", "ports", "data folder", "secrets", "access", "certificate"} <= well
    assert {"server", "store", "background work", "control database", "tokens", "rejected records"} <= well


def test_the_doctor_says_that_the_server_wants_a_certificate(server: Configured) -> None:
    code, findings = doctor(server)
    (told,) = (one for one in findings if one["name"] == "server")
    assert (code, told["state"]) == (1, "problem")
    assert told["sentence"] == f"The server at https://localhost:{server.port} ended the TLS handshake."
    assert told["fix"] == "It may want a client certificate: --client-certificate FILE."


def test_the_doctor_says_that_its_token_is_not_valid(server: Configured) -> None:
    _, findings = doctor(server, "--client-certificate", "client.pem", PEAKLINE_TOKEN="pkl_made_up")
    (told,) = (one for one in findings if one["name"] == "store")
    assert told["sentence"] == "The token in PEAKLINE_TOKEN (or --token-file) is not valid, expired or revoked."


def test_a_report_is_asked_with_a_certificate_from_the_environment(server: Configured) -> None:
    words = ("report", "tiers", "--server", f"https://localhost:{server.port}", "--ca-file", "ca.pem")
    bare = peakline(server.folder, *words, PEAKLINE_TOKEN=server.token)
    assert bare.returncode == 2
    assert "ended the TLS handshake; it may want a client certificate: --client-certificate FILE." in bare.stderr
    shown = peakline(server.folder, *words, PEAKLINE_TOKEN=server.token, PEAKLINE_CLIENT_CERTIFICATE="client.pem")
    assert (shown.returncode, "No requests from" in shown.stderr) == (1, True), shown.stderr
