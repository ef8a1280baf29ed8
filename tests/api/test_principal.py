import pytest
from fastapi import FastAPI
from starlette.requests import Request

from api.principal import principal_of, refusal
from tests.api.conftest import Ask, unnamed_asking
from tests.api.test_app import assert_problem, filled, routes


def request(state: dict[str, object]) -> Request:
    return Request({"type": "http", "path": "/x", "headers": [], "query_string": b"", "state": state})


def test_the_principal_is_the_one_that_the_layer_named() -> None:
    assert principal_of(request({"principal": "ada"})) == "ada"
    assert refusal(request({"principal": "ada"})) is None


@pytest.mark.parametrize("state", [{}, {"principal": ""}, {"principal": None}, {"principal": 7}])
def test_without_a_principal_a_request_is_refused(state: dict[str, object]) -> None:
    assert principal_of(request(state)) == ""
    refused = refusal(request(state))
    assert refused is not None
    assert refused.status_code == 401


def test_every_route_refuses_a_request_that_no_layer_named(app: FastAPI, ask: Ask) -> None:
    unnamed = unnamed_asking(app)
    for path in [*map(filled, routes(app)), "/api/nosuch", "/v1/nosuch"]:
        assert_problem(response := unnamed(path))
        assert response.status_code == 401, path
        assert ask(path).status_code != 401, path
