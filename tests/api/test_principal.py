import pytest
from fastapi import FastAPI
from starlette.requests import Request

from api.principal import caller, principal_of, refusal
from tests.api.conftest import Ask, asking, somebody, unnamed_asking
from tests.api.test_app import assert_problem, filled, paths
from vocabulary.access import ANONYMOUS, Role

POOLS, PUBLIC = "/api/v1/pools", {"/healthz", "/readyz"}


def request(state: dict[str, object], method: str = "GET") -> Request:
    scope = {"type": "http", "method": method, "path": "/x", "headers": [], "query_string": b"", "state": state}
    return Request(scope)


def test_the_principal_is_the_one_that_the_layer_named() -> None:
    named = request({"principal": ANONYMOUS})
    assert principal_of(named) is caller(named) is ANONYMOUS
    assert refusal(named, POOLS) is None


@pytest.mark.parametrize("state", [{}, {"principal": ""}, {"principal": None}, {"principal": "admin"}])
def test_without_a_principal_a_request_is_refused(state: dict[str, object]) -> None:
    assert principal_of(request(state)) is None
    refused = refusal(request(state), POOLS)
    assert refused is not None
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == 'Bearer realm="peakline"'


def test_a_route_without_a_rule_is_refused_to_everybody() -> None:
    for path, method in (("/api/v1/new", "GET"), (POOLS, "POST")):
        refused = refusal(request({"principal": ANONYMOUS}, method), path)
        assert refused is not None
        assert refused.status_code == 403


def test_a_role_that_does_not_grant_it_is_refused_in_words() -> None:
    refused = refusal(request({"principal": somebody(Role.INGEST)}), POOLS)
    assert refused is not None
    assert refused.status_code == 403
    assert b"ada has the role ingest, which may not read." in refused.body


def test_every_route_refuses_a_request_that_no_layer_named(app: FastAPI, ask: Ask) -> None:
    unnamed = unnamed_asking(app)
    for method, path in [*paths(app), ("GET", "/api/nosuch"), ("GET", "/v1/nosuch")]:
        response = unnamed(filled(path), method)
        assert (response.status_code == 401) is (path not in PUBLIC), path
        if path not in PUBLIC:
            assert_problem(response)
        assert ask(filled(path), method).status_code != 401, path


def test_every_route_checks_the_role_itself(app: FastAPI) -> None:
    ask = asking(app, somebody(Role.INGEST))
    open_to_senders = {"/healthz", "/readyz", "/api/v1/health", "/api/v1/imports/{import_id}", "/api/v1/me"}
    open_to_senders |= {"/api/v1/me/password", "/api/openapi.json", "/api/docs", "/api/docs/{name}"}
    for method, path in paths(app):
        response = ask(filled(path), method)
        assert (response.status_code == 403) is (path not in open_to_senders), (method, path, response.text)
