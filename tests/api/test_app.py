"""Promises that hold for every route."""

import dataclasses
from typing import Any

import orjson
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from pydantic import TypeAdapter

from api.house import ApiHouse
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.api.conftest import Ask, Switchboard, application, asking
from tests.factories.requests import minute_of_traffic, shown
from tests.factories.stores import new_id, request, requests, span, spans
from vocabulary.errors import RefusedReadError, StoreUnavailableError

KEY, TRACE = new_id(16), new_id(16)
FILLED = {"{request_key}": KEY.hex(), "{trace_id}": TRACE.hex(), "{import_id}": "none", "{name}": "docs.css"}
WITHOUT_STORE = {"/healthz", "/api/v1/health", "/api/v1/alerts", "/api/openapi.json", "/api/docs", "/api/docs/{name}"}


def routes(app: FastAPI) -> dict[str, Any]:
    """Response model by path of all routes that the API itself has, catch-alls left out."""
    found = {
        route.path: route.response_model
        for route in iter_route_contexts(app.routes)
        if hasattr(route, "response_model")
    }
    return {path: model for path, model in found.items() if path and "{path:path}" not in path}


def filled(path: str) -> str:
    for name, value in FILLED.items():
        path = path.replace(name, value)
    return path


def fill(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, minute_of_traffic(0, 40, failed=4), minute_of_traffic(1, 90, failed=20))
    shown(telemetry, control, minute_of_traffic(3, 40, load_test="sweep", load_test_step=0, offered_rps=5.0))
    telemetry.writer.append_requests(requests(request(5.0, request_key=KEY, seed=1, temperature=0.5)))
    telemetry.writer.append_spans(spans(span(trace_id=TRACE, attr_json=[("stop", "[1]")])))


def test_the_http_surface_is_the_promised_one(app: FastAPI) -> None:
    assert set(routes(app)) == {
        *("/healthz", "/readyz", "/api/v1/health", "/api/v1/requests", "/api/v1/requests/{request_key}"),
        *("/api/v1/traces/{trace_id}", "/api/v1/reports/tiers", "/api/v1/ledger", "/api/v1/pools"),
        *("/api/v1/loadtests", "/api/v1/alerts", "/api/v1/imports/{import_id}"),
        *("/api/openapi.json", "/api/docs", "/api/docs/{name}"),
    }


def test_every_answer_is_exactly_what_the_documentation_says(
    app: FastAPI, ask: Ask, telemetry: Telemetry, control: Control
) -> None:
    fill(telemetry, control)
    for path, model in routes(app).items():
        if path.startswith(("/api/docs", "/api/openapi")):
            continue
        response = ask(filled(path))
        assert response.status_code == 200, (path, response.text)
        shape = TypeAdapter(model)
        assert shape.dump_python(shape.validate_json(response.content), mode="json") == response.json(), path


def test_every_route_refuses_an_unknown_parameter_as_a_problem(app: FastAPI, ask: Ask) -> None:
    for path in routes(app):
        response = ask(filled(path) + "?nonsense=1")
        assert response.status_code == 400, path
        assert_problem(response)
        assert response.json()["errors"][0]["field"] == "nonsense"


def test_every_route_refuses_another_method_as_a_problem(app: FastAPI, ask: Ask) -> None:
    for path in routes(app):
        if path.startswith("/api/"):
            response = ask(filled(path), "DELETE")
            assert (response.status_code, response.headers["allow"]) == (405, "GET"), path
            assert_problem(response)


@pytest.mark.parametrize(
    ("error", "status"),
    [(StoreUnavailableError("disk full"), 503), (RefusedReadError("too wide"), 400), (KeyError("x"), 500)],
)
def test_every_route_that_reads_turns_a_failing_store_into_a_problem(
    house: ApiHouse, board: Switchboard, error: Exception, status: int
) -> None:
    class Failing:
        def __getattr__(self, name: str) -> object:
            raise error

    board.healthy = False
    app = application(dataclasses.replace(house, reader=Failing()))  # type: ignore[arg-type]
    ask = asking(app)
    for path in sorted(set(routes(app)) - WITHOUT_STORE - {"/readyz"}):
        response = ask(filled(path) + ("?service=a&model=b" if path.endswith("tiers") else ""))
        assert response.status_code == status, path
        assert_problem(response)
        assert ("retry-after" in response.headers) == (status == 503)


def assert_problem(response: Any) -> None:
    assert response.headers["content-type"] == "application/problem+json"
    body = orjson.loads(response.content)
    assert {"type", "title", "status", "detail", "instance"} <= set(body)
    assert body["status"] == response.status_code
    assert body["detail"]
