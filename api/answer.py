"""How a route answers: JSON of a shape, or a problem document."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from api.principal import refusal
from api.problems import FieldError, invalid_problem, problem_of
from vocabulary.errors import PeaklineError


class Answer(Response):
    """A shape (dataclass) as JSON; never cached, since facts keep arriving."""

    media_type = "application/json"

    def __init__(self, content: object, status_code: int = 200) -> None:
        super().__init__(content, status_code, {"Cache-Control": "no-store"})

    def render(self, content: object) -> bytes:
        return msgspec.json.encode(content)


class ApiRoute(APIRoute):
    """A route whose every failure is a problem document.

    It refuses callers that its rule keeps out, and query parameters that it does not know.
    """

    def get_route_handler(self) -> Callable[[Request], Any]:
        handler = super().get_route_handler()
        known = _query_names(self.dependant)

        async def guarded(request: Request) -> Response:
            if refused := refusal(request, self.path):
                return refused
            if errors := _unusable(request, known):
                return invalid_problem(request.url.path, errors)
            return await _answered(request, handler)

        return guarded


def _query_names(dependant: Dependant) -> set[str]:
    inner = (_query_names(dependency) for dependency in dependant.dependencies)
    return {parameter.alias for parameter in dependant.query_params}.union(*inner)


async def _answered(request: Request, handler: Callable[[Request], Awaitable[Response]]) -> Response:
    try:
        return await handler(request)
    except (RequestValidationError, PeaklineError, HTTPException) as error:
        return problem_of(request, error)
    except Exception as error:  # noqa: BLE001 - the edge answers and logs what nothing below could handle
        return problem_of(request, error)


def _unusable(request: Request, known: set[str]) -> list[FieldError]:
    """Parameters that the route does not know, or that are given twice."""
    names = [name for name, _ in request.query_params.multi_items()]
    listed = ", ".join(sorted(known)) or "none"
    unknown = [
        FieldError(name, f"is not a parameter here; known: {listed}.")
        for name in dict.fromkeys(names)
        if name not in known
    ]
    return unknown + [FieldError(name, "is given more than once.") for name in known if names.count(name) > 1]
