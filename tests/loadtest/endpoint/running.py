"""A simulated endpoint on a free port, and short ways to ask it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec

from loadtest.endpoint.app import create_app
from loadtest.endpoint.desk import Desk
from loadtest.endpoint.options import EndpointOptions
from loadtest.endpoint.plans import default_plan
from loadtest.fleet.plan import FleetPlan
from tests.factories.serving import served

QUICK = 40.0
"""Simulated seconds per second: an answer of 150 tokens takes about 50 ms."""


@dataclass(frozen=True)
class Endpoint:
    """A running endpoint and its inside."""

    url: str
    desk: Desk
    client: httpx.Client

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(path, json=body, headers=named)

    def chat(self, text: str = "hello there", headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
        asked = {"messages": [{"role": "user", "content": text}], **body}
        return self.client.post("/v1/chat/completions", json=asked, headers=headers)

    def events(self, text: str = "hello there", headers: dict[str, str] | None = None, **body: Any) -> list[Any]:
        """The events of a stream; `[DONE]` stays text."""
        return parsed(self.chat(text, headers, stream=True, **body).text)

    def count(self, kind: str) -> int:
        return int(self.client.get("/simulate/faults").json()["counts"][kind])


def parsed(stream: str) -> list[Any]:
    data = [line.removeprefix("data: ") for line in stream.splitlines() if line]
    return [item if item == "[DONE]" else json.loads(item) for item in data]


def said(events: list[Any]) -> str:
    """The text of a chat's stream."""
    choices = [event["choices"][0] for event in events if event != "[DONE]" and event.get("choices")]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def content(response: httpx.Response) -> str:
    """The text of a chat's answer."""
    assert response.status_code == 200, response.text
    return str(response.json()["choices"][0]["message"]["content"])


@contextmanager
def running(plan: FleetPlan | None = None, speed: float = QUICK, **options: Any) -> Iterator[Endpoint]:
    """An endpoint until the end of the block."""
    app = create_app(EndpointOptions(plan=plan or default_plan(), speed=speed, **options))
    with served(app) as url, httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        yield Endpoint(url, app.state.desk, client)


def narrow_plan(seed: int = 0, **engine: Any) -> FleetPlan:
    """The default plan with one replica whose engine is changed."""
    plan = default_plan(replicas=1, seed=seed)
    model = plan.models[0]
    changed = msgspec.structs.replace(model, engine=msgspec.structs.replace(model.engine, **engine))
    return msgspec.structs.replace(plan, models=(changed,))
