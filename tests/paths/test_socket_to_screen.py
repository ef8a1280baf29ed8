"""One request from socket to screen: the real SDK, the server, its API, and the text in real Chromium."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from bench.harness.server import ServerProcess, free_port
from tests.paths.emitters import MODEL, emitter, serve_one


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server of its own for this module."""
    folder = tmp_path_factory.mktemp("screen")
    running = ServerProcess(folder / "data", free_port(), folder / "server.log")
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def trace_id(server: ServerProcess) -> str:
    """One served and one rejected request, exported by the SDK; the trace id of the served one."""
    with (
        emitter(server.url, service_name="chat") as gateway,
        emitter(server.url, service_name="chat", k8s_pod_name="vllm-0", model_revision="9213176") as engine,
    ):
        served = serve_one(gateway, engine)
        serve_one(gateway, engine, status=429)
    return served


def _request(server: ServerProcess, trace_id: str) -> dict[str, Any]:
    items = server.get("/api/v1/requests?from=now-15m")["items"]
    found: dict[str, Any] = next(item for item in items if item["trace_id"] == trace_id)
    return found


def test_two_exporters_make_one_request(server: ServerProcess, trace_id: str) -> None:
    request = server.get(f"/api/v1/requests/{_request(server, trace_id)['request_key']}")
    assert request["outcome"] == "completed"
    assert request["hop_roles"] == ["gateway", "engine"]
    fields = request["fields"]
    assert (fields["tenant"], fields["replica"], fields["model_revision"]) == ("acme", "vllm-0", "9213176")
    assert (fields["input_tokens"], fields["output_tokens"], fields["queue_s"]) == (1234, 321, 0.03125)
    assert (request["service"], request["model"]) == ("chat", MODEL)


def test_the_trace_carries_both_spans_with_their_sources(server: ServerProcess, trace_id: str) -> None:
    spans = server.get(f"/api/v1/traces/{trace_id}")["spans"]
    assert [span["name"] for span in spans] == ["Received Proxy Server Request", "llm_request"]
    assert spans[1]["sources"]["input_tokens"] == "gen_ai.usage.prompt_tokens"
    assert spans[1]["parent_span_id"] == spans[0]["span_id"]


def test_the_tier_report_counts_the_rejection(server: ServerProcess, trace_id: str) -> None:
    assert trace_id
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        report = server.get(f"/api/v1/reports/tiers?service=chat&model={MODEL}&from=now-15m")
        if sum(row["requests_all"] for row in report["rows"]) == 2:
            break
        time.sleep(0.5)
    assert sum(row["defects"]["rejected"] for row in report["rows"]) == 1
    assert {row["service_tier"] for row in report["rows"]} == {"core"}


def test_the_request_is_on_the_screen(server: ServerProcess, trace_id: str, page: Page) -> None:
    key = _request(server, trace_id)["request_key"]
    page.goto(f"{server.url}/requests?range=15m")
    page.wait_for_function("key => document.querySelector(`a[href*='${key}']`) !== null", arg=key, timeout=20_000)
    page.goto(f"{server.url}/requests/{key}")
    page.wait_for_function("() => document.body.innerText.includes('vllm-0')", timeout=20_000)
    text = page.inner_text("body")
    assert all(word in text for word in ("acme", "9213176", "1,234", "llm_request", trace_id))
