"""Parts that only a configuration switches on, seen on a running server: single sign-on, aliases, services."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bench.harness.server import ServerProcess, free_port
from tests.factories.guarded import Clock, issue_tokens
from tests.factories.identity_provider import CLIENT_ID, consent, real_provider
from tests.factories.otlp import attributes

ALIASES = "fields:\n  tenant: [{attribute: ATTRIBUTE, convert: tenant}]\n"
MODEL = "llama-4-70b"


@dataclass(frozen=True)
class House:
    folder: Path
    server: ServerProcess
    token: str

    def send(self, number: int, **told: object) -> None:
        """One request of two seconds, with attributes of its own."""
        sent, now_ns = ExportTraceServiceRequest(), time.time_ns()
        resource = sent.resource_spans.add()
        resource.resource.attributes.extend(attributes({"service.name": "chat"}))
        facts = {"gen_ai.operation.name": "chat", "gen_ai.request.model": MODEL, "http.response.status_code": 200}
        tokens = {"gen_ai.usage.input_tokens": 1_000_000, "gen_ai.usage.output_tokens": 500_000}
        resource.scope_spans.add().spans.add(
            trace_id=number.to_bytes(16, "big"),
            span_id=number.to_bytes(8, "big"),
            name="chat",
            kind=2,
            start_time_unix_nano=now_ns - 3 * 10**9,
            end_time_unix_nano=now_ns - 10**9,
            attributes=attributes({**facts, **tokens, **told}),
        )
        headers = {"Content-Type": "application/x-protobuf", "Authorization": f"Bearer {self.token}"}
        url = f"{self.server.url}/v1/traces"
        assert httpx.post(url, content=sent.SerializeToString(), headers=headers).status_code == 200

    def get(self, path: str) -> Any:
        answer = httpx.get(self.server.url + path, headers={"Authorization": f"Bearer {self.token}"}, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def request(self, number: int) -> Any:
        items = self.get("/api/v1/requests?from=now-15m")["items"]
        key = next(item["request_key"] for item in items if item["trace_id"] == f"{number:032x}")
        return self.get(f"/api/v1/requests/{key}")


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    people: dict[str, dict[str, object]] = {
        "u-ada": {"groups": ["sre"], "preferred_username": "ada"},
        "u-bob": {"groups": ["sales"]},
    }
    with real_provider(people) as found:
        yield found


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, issuer: str) -> Iterator[House]:
    folder, port = tmp_path_factory.mktemp("parts"), free_port()
    tokens = issue_tokens(folder / "data", Clock(time.time_ns() - 10 * 10**9))
    (folder / "aliases.yaml").write_text(ALIASES.replace("ATTRIBUTE", "customer.code"))
    (folder / "oidc.secret").write_text("a secret of the provider\n")
    service = {"service": "chat", "model": "*", "tiers": {"general": 0.002}, "objectives": {"e2e": "1s"}}
    prices = {"input_per_million": 2, "output_per_million": 8, "currency": "EUR"}
    provider = {
        "issuer": issuer,
        "client_id": CLIENT_ID,
        "client_secret_file": "oidc.secret",
        "roles": {"sre": "operator"},
    }
    parts = {
        "server": {"public_url": f"http://127.0.0.1:{port}"},
        "access": {"enabled": True, "oidc": provider},
        "ingest": {"alias_file": "aliases.yaml"},
        "services": [{**service, "prices": prices}],
    }
    (folder / "peakline.yaml").write_text(json.dumps(parts))
    options = ("--config", str(folder / "peakline.yaml"))
    running = ServerProcess(folder / "data", port, folder / "log", options=options)
    running.start()
    yield House(folder, running, tokens["admin"])
    assert running.stop() == 0


def test_somebody_whom_the_provider_knows_comes_in_with_the_role_of_their_group(house: House) -> None:
    with httpx.Client(base_url=house.server.url) as browser:
        away = browser.get("/login/oidc?next=/settings").headers["location"]
        back = browser.get(consent(away, "u-ada"))
        assert (back.status_code, back.headers["location"]) == (303, "/settings")
        me = browser.get("/api/v1/me").json()
    assert (me["name"], me["role"], me["kind"]) == ("ada (oidc)", "operator", "user")


def test_somebody_without_a_role_is_sent_back_to_the_log_in(house: House) -> None:
    with httpx.Client(base_url=house.server.url) as browser:
        back = browser.get(consent(browser.get("/login/oidc").headers["location"], "u-bob"))
        assert back.headers["location"].startswith("/login?")
        assert browser.get("/api/v1/me").status_code == 401


def test_an_attribute_of_ones_own_is_understood_and_another_after_the_file_changed(house: House) -> None:
    house.send(1, **{"customer.code": "acme"})
    assert house.request(1)["fields"]["tenant"] == "acme"
    (house.folder / "aliases.yaml").write_text(ALIASES.replace("ATTRIBUTE", "customer.name"))
    deadline = time.monotonic() + 60
    while not house.get("/api/v1/changes?from=now-1h")["items"]:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    house.send(2, **{"customer.name": "globex"})
    assert house.request(2)["fields"]["tenant"] == "globex"


def test_a_request_over_its_objective_is_slow_and_has_its_price(house: House) -> None:
    house.send(3)
    found = house.request(3)
    assert found["defects"] == ["slow"]
    assert found["cost"] == {"amount": 6.0, "currency": "EUR"}


def test_the_threshold_of_the_definition_is_in_the_tier_report(house: House) -> None:
    house.send(4)
    deadline = time.monotonic() + 60
    while not (rows := house.get(f"/api/v1/reports/tiers?service=chat&model={MODEL}&from=now-15m")["rows"]):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert {row["risk_threshold"] for row in rows} == {0.002}
