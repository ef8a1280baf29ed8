"""Paths below /api and /v1 that no route takes: a problem document, never a page."""

from fastapi import APIRouter, Request
from fastapi.responses import Response
from fastapi.routing import iter_route_contexts

from api.access_rules import ALL_METHODS
from api.principal import refusal
from api.problems import plain_problem

METHODS = sorted(ALL_METHODS)
PATHS = ("/api", "/api/{path:path}", "/v1", "/v1/{path:path}")
BELOW = ("/api/", "/v1/")
CATCH_ALL = ":path}"
RULE = "/api/{path:path}"
"""All catch-alls are under one rule: anybody with a principal may be told that nothing is there."""


async def missing(request: Request) -> Response:
    """404, or 405 with Allow where the path exists under another method."""
    path = request.url.path
    if refused := refusal(request, RULE):
        return refused
    if allowed := _allowed(request):
        detail = f"{path} takes {' and '.join(allowed)}, not {request.method}."
        return plain_problem(path, 405, detail, headers={"Allow": ", ".join(allowed)})
    return plain_problem(path, 404, f"Nothing is at {path}; /api/docs lists what there is.")


def _allowed(request: Request) -> list[str]:
    """Methods of the routes that take this path; catch-alls, here or anywhere, do not count."""
    methods: set[str] = set()
    for route in iter_route_contexts(request.app.routes):
        path = route.path or ""
        is_known = path.startswith(BELOW) and not path.endswith(CATCH_ALL) and route.methods is not None
        if is_known and route.path_regex.match(request.url.path):
            methods |= route.methods or set()
    return sorted(methods)


def add_to(router: APIRouter) -> None:
    """Must come after every route below /api and /v1 and before the dashboard's catch-all."""
    for path in PATHS:
        router.add_route(path, missing, METHODS, include_in_schema=False)
