"""What somebody would try on a server with access on, over real sockets, against tokens, sessions and tenants."""

import base64
import http.client
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bench.harness.server import ServerProcess, free_port
from tests.factories.guarded import PASSWORD, TENANT, Clock, issue_tokens
from tests.factories.otlp import attributes

OTHER = "team-b"
PROTOBUF = {"Content-Type": "application/x-protobuf"}
MODEL = "llama-4-70b"


@dataclass(frozen=True)
class House:
    """A running server, and a token of each kind."""

    server: ServerProcess
    tokens: dict[str, str]

    def bearer(self, name: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[name]}"}

    def get(self, path: str, name: str = "admin") -> httpx.Response:
        return httpx.get(self.server.url + path, headers=self.bearer(name), timeout=30)

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "peakline_server.main", *words, "--data", str(self.server.data)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def browser(self) -> httpx.Client:
        """Keeps cookies and follows nothing."""
        return httpx.Client(base_url=self.server.url, timeout=30, headers={"Accept": "text/html"})

    @contextmanager
    def logged_in(self, name: str = "root") -> Iterator[httpx.Client]:
        with self.browser() as client:
            answer = client.post("/login", data=self.form(client) | {"name": name, "password": PASSWORD})
            assert answer.status_code == 303, answer.text
            yield client

    @staticmethod
    def form(client: httpx.Client) -> dict[str, str]:
        """The hidden value of the log-in form."""
        found = re.search(r'name="csrf" value="([^"]+)"', client.get("/login").text)
        assert found
        return {"csrf": found[1]}


def body(tenant: str, number: int) -> bytes:
    """One request of a tenant, now."""
    sent = ExportTraceServiceRequest()
    resource = sent.resource_spans.add()
    resource.resource.attributes.extend(attributes({"service.name": "chat"}))
    now_ns = time.time_ns()
    resource.scope_spans.add().spans.add(
        trace_id=number.to_bytes(16, "big"),
        span_id=number.to_bytes(8, "big"),
        name="chat",
        kind=2,
        start_time_unix_nano=now_ns - 10**9,
        end_time_unix_nano=now_ns,
        attributes=attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": MODEL,
                "gen_ai.usage.output_tokens": 5,
                "tenant.id": tenant,
            }
        ),
    )
    return bytes(sent.SerializeToString())


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("attacks")
    tokens = issue_tokens(folder / "data", Clock(time.time_ns() - 10 * 10**9))
    running = ServerProcess(folder / "data", free_port(), folder / "log", options=("--config", str(folder / "c.yaml")))
    (folder / "c.yaml").write_text("access:\n  enabled: true\n")
    running.start()
    found = House(running, tokens)
    for number, tenant in ((1, TENANT), (2, OTHER)):
        sent = httpx.post(
            f"{running.url}/v1/traces", content=body(tenant, number), headers=PROTOBUF | found.bearer("ingest")
        )
        assert sent.status_code == 200, sent.content
    yield found
    assert running.stop() == 0


def requests_of(house: House, name: str) -> dict[str, str]:
    """Tenant -> request key, as one caller sees it."""
    items = house.get("/api/v1/requests?from=now-15m", name).json()["items"]
    keys = {item["request_key"] for item in items}
    assert len(keys) == len(items)
    found = [house.get(f"/api/v1/requests/{key}", name).json() for key in keys]
    return {one["fields"]["tenant"]: one["request_key"] for one in found}


def records(house: House) -> dict[str, int]:
    """The record ledger of traces, by what became of the records."""
    found: dict[str, dict[str, dict[str, int]]] = house.get("/api/v1/ledger?from=now-15m").json()["ingest"]
    told = found["traces"]
    return {"stored": told["stored"], **told["rejected"]}  # type: ignore[dict-item]  # numbers by reason


@pytest.mark.parametrize("name", ["wrong", "expired", "revoked"])
def test_telemetry_with_a_bad_token_gets_a_status_is_not_stored_and_is_counted(house: House, name: str) -> None:
    before = records(house)
    sent = httpx.post(
        f"{house.server.url}/v1/traces", content=body("intruder", 99), headers=PROTOBUF | house.bearer(name)
    )
    assert (sent.status_code, sent.headers["content-type"]) == (401, "application/x-protobuf")
    assert Status.FromString(sent.content).code == 16
    assert "WWW-Authenticate" in sent.headers
    assert house.get(f"/api/v1/traces/{99:032x}").status_code == 404
    deadline = time.monotonic() + 30
    while (now := records(house)).get("unauthenticated", 0) <= before.get("unauthenticated", 0):
        assert time.monotonic() < deadline, now
        time.sleep(0.2)
    assert now["stored"] == before["stored"]


def test_telemetry_without_the_right_to_send_is_refused_with_a_status(house: House) -> None:
    sent = httpx.post(
        f"{house.server.url}/v1/traces", content=body("intruder", 98), headers=PROTOBUF | house.bearer("viewer")
    )
    assert (sent.status_code, Status.FromString(sent.content).code) == (403, 7)


def test_a_limited_caller_sees_its_tenant_and_no_other(house: House) -> None:
    everything, own = requests_of(house, "admin"), requests_of(house, "limited")
    assert set(everything) == {TENANT, OTHER}
    assert own == {TENANT: everything[TENANT]}


def test_what_another_tenant_has_cannot_be_read_by_its_id(house: House) -> None:
    foreign = requests_of(house, "admin")[OTHER]
    for path in (f"/api/v1/requests/{foreign}", f"/api/v1/traces/{2:032x}"):
        assert house.get(path, "viewer").status_code == 200
        hidden, unknown = house.get(path, "limited"), house.get(path[:-4] + "ffff", "limited")
        assert hidden.status_code == unknown.status_code == 404
        assert hidden.json()["title"] == unknown.json()["title"]
        assert OTHER not in hidden.text
    assert house.get(f"/api/v1/traces/{1:032x}", "limited").status_code == 200
    assert house.get(f"/api/v1/requests?from=now-15m&tenant={OTHER}", "limited").json()["items"] == []


def test_the_counts_of_a_limited_caller_are_those_of_its_tenant(house: House) -> None:
    def completed(name: str) -> int:
        return int(house.get("/api/v1/ledger?from=now-15m", name).json()["requests"]["completed"])

    for _ in range(100):  # until the rollup has both
        if completed("admin") == 2:
            break
        time.sleep(0.2)
    assert (completed("admin"), completed("limited")) == (2, 1)
    assert house.get("/api/v1/pools?from=now-15m", "limited").json()["items"][0]["requests"] == 1
    assert house.get("/api/v1/ledger?from=now-15m", "limited").json()["ingest"] == {}


def test_a_token_revoked_by_the_command_line_is_refused_by_the_next_request(house: House) -> None:
    made = house.command("tokens", "create", "short-lived", "--role", "viewer")
    token = made.stdout.strip()
    asked = {"Authorization": f"Bearer {token}"}
    assert httpx.get(f"{house.server.url}/api/v1/me", headers=asked).json()["name"] == "short-lived"
    assert house.command("tokens", "revoke", token.split("_")[1]).returncode == 0
    assert httpx.get(f"{house.server.url}/api/v1/me", headers=asked).status_code == 401


def test_a_session_planted_before_the_log_in_is_not_the_one_that_is_opened(house: House) -> None:
    with house.browser() as client:
        planted = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
        client.cookies.set("peakline_session", planted)
        answer = client.post("/login", data=house.form(client) | {"name": "root", "password": PASSWORD})
        issued = answer.cookies["peakline_session"]
        assert issued != planted
    assert httpx.get(f"{house.server.url}/api/v1/me", cookies={"peakline_session": planted}).status_code == 401
    assert httpx.get(f"{house.server.url}/api/v1/me", cookies={"peakline_session": issued}).status_code == 200


def test_a_cookie_taken_before_the_log_out_is_worth_nothing_after_it(house: House) -> None:
    with house.logged_in() as client:
        taken = client.cookies["peakline_session"]
        csrf = client.cookies["peakline_csrf"]
        assert client.get("/api/v1/me").json()["name"] == "root"
        assert client.post("/logout", data={"csrf": csrf}).status_code == 303
    assert httpx.get(f"{house.server.url}/api/v1/me", cookies={"peakline_session": taken}).status_code == 401


def test_a_second_log_in_of_a_browser_ends_its_first_session(house: House) -> None:
    with house.logged_in() as client, house.browser() as fresh:
        first = client.cookies["peakline_session"]
        form = house.form(fresh)  # whoever is logged in is not shown one: the page was open before
        client.cookies.set("peakline_login", fresh.cookies["peakline_login"])
        answer = client.post("/login", data=form | {"name": "root", "password": PASSWORD})
        assert answer.cookies["peakline_session"] != first
    assert httpx.get(f"{house.server.url}/api/v1/me", cookies={"peakline_session": first}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-CSRF-Token": "guessed"},
        {"X-CSRF-Token": "right", "Origin": "https://evil.example"},
        {"X-CSRF-Token": "right", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_page_elsewhere_cannot_change_anything_with_the_session_of_a_visitor(
    house: House, headers: dict[str, str]
) -> None:
    with house.logged_in() as client:
        sent = {**headers}
        if sent.get("X-CSRF-Token") == "right":
            sent["X-CSRF-Token"] = client.cookies["peakline_csrf"]
        wanted = {"name": "planted", "role": "admin", "tenants": None, "expires": None}
        assert client.post("/api/v1/tokens", json=wanted, headers=sent).status_code == 403
        right = {"X-CSRF-Token": client.cookies["peakline_csrf"], "Origin": house.server.url}
        assert client.post("/api/v1/tokens", json=wanted | {"name": "wanted"}, headers=right).status_code == 201
    assert "planted" not in [token["name"] for token in house.get("/api/v1/tokens").json()["items"]]


def test_the_csrf_value_of_one_session_is_worth_nothing_in_another(house: House) -> None:
    with house.logged_in() as one, house.logged_in() as other:
        wanted = {"name": "planted", "role": "admin", "tenants": None, "expires": None}
        foreign = {"X-CSRF-Token": other.cookies["peakline_csrf"]}
        assert one.post("/api/v1/tokens", json=wanted, headers=foreign).status_code == 403


def test_a_viewer_cannot_become_more_than_a_viewer(house: House) -> None:
    with house.logged_in("vera") as client:
        csrf = {"X-CSRF-Token": client.cookies["peakline_csrf"]}
        me = client.get("/api/v1/me").json()
        assert (me["name"], me["role"]) == ("vera", "viewer")
        for method, path in (("POST", "/api/v1/tokens"), ("POST", "/api/v1/users"), ("GET", "/api/v1/users")):
            assert client.request(method, path, json={}, headers=csrf).status_code == 403


@pytest.mark.parametrize(
    "way", ["//evil.example", "/\\evil.example", "https://evil.example", "/%2F/evil.example", "\t//e.x"]
)
def test_the_log_in_leads_nowhere_but_into_the_house(house: House, way: str) -> None:
    with house.browser() as client:
        form = house.form(client) | {"name": "root", "password": PASSWORD, "next": way}
        answer = client.post("/login", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "peakline_session" in answer.cookies


def test_forwarded_headers_of_anybody_are_not_believed(house: House) -> None:
    forged = {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    assert httpx.get(f"{house.server.url}/api/v1/me", headers=forged).status_code == 401
    with house.browser() as client:
        answer = client.get("/", headers=forged)
        assert answer.headers["location"].startswith("/login?next=")
        assert "evil" not in str(answer.headers)


def test_a_websocket_without_a_session_is_refused_before_it_opens(house: House) -> None:
    key = base64.b64encode(os.urandom(16)).decode()
    asked = (
        f"GET /_dash-ws-callback HTTP/1.1\r\nHost: 127.0.0.1:{house.server.port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", house.server.port), 20) as link:
        link.sendall(asked.encode())
        status = link.recv(100).split(b"\r\n")[0]
    assert status.split()[1] in {b"401", b"403"}


def test_a_large_body_of_a_stranger_is_answered_and_not_read(house: House) -> None:
    link = http.client.HTTPConnection("127.0.0.1", house.server.port, timeout=30)
    link.putrequest("POST", "/v1/traces")
    link.putheader("Content-Type", "application/x-protobuf")
    link.putheader("Content-Length", str(50 << 20))
    link.endheaders()
    assert link.getresponse().status == 401
    link.close()


def test_attempts_are_limited_and_then_not_even_the_right_password_helps(house: House) -> None:
    made = house.command("users", "create", "hunted", "--role", "viewer", "--password-file", str(password_file(house)))
    assert made.returncode == 0, made.stderr
    with house.browser() as client:
        for _ in range(10):
            form = house.form(client) | {"name": "hunted", "password": "wrong wrong wrong"}
            assert client.post("/login", data=form).status_code == 403
        answer = client.post("/login", data=house.form(client) | {"name": "hunted", "password": PASSWORD})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0


def password_file(house: House) -> Path:
    path = house.server.data.parent / "password"
    path.write_text(PASSWORD)
    path.chmod(0o600)
    return path


def test_no_secret_is_in_the_log_or_the_database(house: House) -> None:
    files = [house.server.log, *house.server.data.glob("control.sqlite*")]
    content = b"".join(path.read_bytes() for path in files)
    secrets = [token.split("_", 2)[2].encode() for name, token in house.tokens.items() if name != "wrong"]
    assert content
    assert not [secret for secret in [*secrets, PASSWORD.encode()] if secret in content]
