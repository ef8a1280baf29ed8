import dataclasses
from typing import Annotated

import msgspec
import pytest
from fastapi import APIRouter, Depends, FastAPI, Response

from api.answer import Answer, ApiRoute
from api.queries import PoolQuery
from tests.api.conftest import Ask, asking

PATH = "/api/v1/pools"
"""Has a rule, whatever answers there in these tests."""


def test_an_answer_is_json_that_is_never_cached() -> None:
    answer = Answer(PoolQuery("a", "b"))
    assert msgspec.json.decode(answer.body) == {"service": "a", "model": "b"}
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"


@pytest.fixture
def small() -> Ask:
    """An application of one route that takes a pool and a number, and fails at 13."""

    def one(pool: Annotated[PoolQuery, Depends()], number: int = 0) -> Response:
        if number == 13:
            raise ArithmeticError
        return Answer(dataclasses.replace(pool, model=str(number)))

    router = APIRouter(route_class=ApiRoute)
    router.add_api_route(PATH, one)
    app = FastAPI()
    app.include_router(router)
    return asking(app)


def test_known_parameters_reach_the_route_through_its_dependencies(small: Ask) -> None:
    assert small(f"{PATH}?service=a&number=7").json() == {"service": "a", "model": "7"}


def test_unknown_parameters_are_named_with_the_known_ones(small: Ask) -> None:
    response = small(f"{PATH}?servise=a&number=7&x=")
    assert response.status_code == 400
    assert [error["field"] for error in response.json()["errors"]] == ["servise", "x"]
    assert "model, number, service" in response.json()["detail"]


def test_a_parameter_given_twice_is_refused(small: Ask) -> None:
    response = small(f"{PATH}?service=a&service=b")
    assert response.json()["errors"] == [{"field": "service", "message": "is given more than once."}]


def test_a_parameter_of_the_wrong_type_is_a_400_with_its_name(small: Ask) -> None:
    response = small(f"{PATH}?number=many")
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["errors"][0]["field"] == "number"


def test_any_failure_is_a_problem_document(small: Ask) -> None:
    response = small(f"{PATH}?number=13")
    assert response.status_code == 500
    assert response.headers["content-type"] == "application/problem+json"
