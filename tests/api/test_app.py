"""Promises that hold for every route."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from pydantic import TypeAdapter

from api.house import ApiHouse
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.api.conftest import Ask, Switchboard, application, asking, somebody
from tests.factories.requests import minute_of_traffic, shown
from tests.factories.stores import new_id, request, requests, span, spans
from vocabulary.access import Principal, Role
from vocabulary.errors import RefusedReadError, StoreUnavailableError

KEY, TRACE = new_id(16), new_id(16)
FILLED = {
    "{request_key}": KEY.hex(),
    "{trace_id}": TRACE.hex(),
    "{name}": "docs.css",
    **dict.fromkeys(("{import_id}", "{token_id}", "{user_id}"), "none"),
}
WITHOUT_STORE = {
    *("/healthz", "/api/v1/health", "/api/v1/alerts", "/api/openapi.json", "/api/docs", "/api/docs/{name}"),
    *("/api/v1/me", "/api/v1/tokens", "/api/v1/users", "/api/v1/settings"),
}


def routes(app: FastAPI) -> dict[str, Any]:
    """Response model by path of all GET routes that the API itself has, catch-alls left out."""
    return {path: model for method, path, model in _routes(app) if method == "GET"}


def paths(app: FastAPI) -> list[tuple[str, str]]:
    """(method, path) of all routes that the API itself has, catch-alls left out."""
    return sorted((method, path) for method, path, _ in _routes(app))


def _routes(app: FastAPI) -> Iterator[tuple[str, str, Any]]:
    for route in iter_route_contexts(app.routes):
        if hasattr(route, "response_model") and route.path and "{path:path}" not in route.path:
            for method in (route.methods or set()) - {"HEAD"}:
                yield method, route.path, route.response_model


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
    assert {path for _, path in paths(app)} == {
        *("/healthz", "/readyz", "/api/v1/health", "/api/v1/requests", "/api/v1/requests/{request_key}"),
        *("/api/v1/traces/{trace_id}", "/api/v1/reports/tiers", "/api/v1/ledger", "/api/v1/pools"),
        *("/api/v1/loadtests", "/api/v1/alerts", "/api/v1/imports/{import_id}"),
        *("/api/v1/me", "/api/v1/me/password", "/api/v1/tokens", "/api/v1/tokens/{token_id}", "/api/v1/users"),
        *("/api/v1/users/{user_id}", "/api/v1/settings", "/api/v1/changes"),
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
    for method, path in paths(app):
        response = ask(filled(path) + "?nonsense=1", method)
        assert response.status_code == 400, path
        assert_problem(response)
        assert response.json()["errors"][0]["field"] == "nonsense"


def test_every_route_refuses_another_method_as_a_problem(app: FastAPI, ask: Ask) -> None:
    allowed: dict[str, list[str]] = {}
    for method, path in paths(app):
        allowed.setdefault(path, []).append(method)
    for path in (path for path in allowed if path.startswith("/api/")):
        response = ask(filled(path), "PUT")
        assert (response.status_code, response.headers["allow"]) == (405, ", ".join(allowed[path])), path
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
    app = application(dataclasses.replace(house, reader_for=lambda _: Failing()))  # type: ignore[arg-type, return-value]  # fails
    ask = asking(app)
    for path in sorted(set(routes(app)) - WITHOUT_STORE - {"/readyz"}):
        response = ask(filled(path) + ("?service=a&model=b" if path.endswith("tiers") else ""))
        assert response.status_code == status, path
        assert_problem(response)
        assert ("retry-after" in response.headers) == (status == 503)


def test_every_route_that_reads_reads_as_its_caller(house: ApiHouse, app: FastAPI) -> None:
    asked: list[Principal] = []

    def reader_for(principal: Principal) -> Any:
        asked.append(principal)
        return house.reader_for(principal)

    ada = somebody(Role.ADMIN)
    ask = asking(application(dataclasses.replace(house, reader_for=reader_for)), ada)
    for path in sorted(set(routes(app)) - WITHOUT_STORE - {"/readyz"}):
        asked.clear()
        ask(filled(path))
        assert asked == [ada], path


def test_what_belongs_to_another_tenant_is_as_good_as_absent(
    house: ApiHouse, telemetry: Telemetry, control: Control
) -> None:
    shown(telemetry, control, minute_of_traffic(0, 40, failed=4, tenant="theirs"))
    telemetry.writer.append_requests(requests(request(5.0, request_key=KEY, tenant="theirs", trace_id=TRACE)))
    telemetry.writer.append_spans(spans(span(trace_id=TRACE)))
    app = application(dataclasses.replace(house, reader_for=lambda caller: telemetry.reader.within(caller.tenants)))
    limited, theirs = (asking(app, somebody(Role.VIEWER, frozenset({tenant}))) for tenant in ("mine", "theirs"))
    by_id = (f"/api/v1/requests/{KEY.hex()}", f"/api/v1/traces/{TRACE.hex()}")
    assert [limited(path).status_code for path in by_id] == [404, 404]
    assert [theirs(path).status_code for path in by_id] == [200, 200]
    assert limited("/api/v1/requests?tenant=theirs").json()["items"] == []
    assert limited("/api/v1/pools").json()["items"] == []
    assert limited("/api/v1/ledger").json()["requests"]["offered"] == 0
    assert limited("/api/v1/reports/tiers").json()["rows"] == []
    assert len(theirs("/api/v1/requests?tenant=theirs").json()["items"]) > 1


def assert_problem(response: Any) -> None:
    assert response.headers["content-type"] == "application/problem+json"
    body = orjson.loads(response.content)
    assert {"type", "title", "status", "detail", "instance"} <= set(body)
    assert body["status"] == response.status_code
    assert body["detail"]
