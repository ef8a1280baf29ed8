"""The documentation of the API: its OpenAPI document, and a page that shows it without any outside help."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response
from fastapi.routing import iter_route_contexts
from pydantic import TypeAdapter

from api.access_rules import rule_of
from api.house import ApiHouse
from api.problems import MEDIA_TYPE, NotFoundError, Problem
from api.routes import receiving
from vocabulary.access import Rule

ASSETS = Path(__file__).parents[1] / "assets"
MEDIA_TYPES = {"docs.html": "text/html", "docs.css": "text/css", "docs.js": "text/javascript"}
SHOWN = ("/api/", "/v1/", "/healthz", "/readyz")
ERRORS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "What went wrong, as RFC 9457 says",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}
"""The `responses` of every route: one shape for all errors."""
SECURITY_SCHEMES: dict[str, Any] = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token, made with `peakline tokens create` or on the page /settings.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "peakline_session",
        "description": "The session of a browser (on https `__Host-peakline_session`). Requests that change something "
        "also carry the value of the cookie `peakline_csrf` in the header `X-CSRF-Token`.",
    },
}
NEEDS_EITHER: list[dict[str, list[str]]] = [{name: []} for name in SECURITY_SCHEMES]


@dataclass(frozen=True, slots=True)
class DocumentRoutes:
    """The OpenAPI document and the page around it."""

    house: ApiHouse

    def openapi(self, request: Request) -> Response:
        return JSONResponse(document(request.app.routes, self.house.version))

    def page(self) -> Response:
        return self.asset("docs.html")

    def asset(self, name: str) -> Response:
        if name not in MEDIA_TYPES:
            message = f"The documentation has no file '{name}'."
            raise NotFoundError(message)
        return Response((ASSETS / name).read_bytes(), media_type=MEDIA_TYPES[name])


def document(routes: Any, version: str) -> dict[str, Any]:
    """OpenAPI document of the application's routes that are part of its HTTP surface.

    The receiver of traces is in it where this process has one; it is no route that FastAPI could describe.
    """
    shown = [route for route in iter_route_contexts(routes) if (route.path or "").startswith(SHOWN)]
    found = get_openapi(title="Peakline", version=version, routes=shown)
    schemas = found.setdefault("components", {}).setdefault("schemas", {})
    problem = TypeAdapter(Problem).json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs", {}))
    schemas["Problem"] = problem
    if any(route.path == receiving.PATH for route in shown):
        found["paths"][receiving.PATH] = receiving.PATH_ITEM | {
            "post": receiving.PATH_ITEM["post"] | {"security": [{"token": []}]}
        }
    found["components"]["securitySchemes"] = SECURITY_SCHEMES
    found["security"] = NEEDS_EITHER
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            _tell_rule(operation, rule_of(method.upper(), path))
    return found


def _tell_rule(operation: dict[str, Any], rule: Rule | None) -> None:
    """What the caller needs, in the description; nothing where everybody is answered."""
    if rule is None:
        return
    if rule.is_public:
        operation["security"] = []
        return
    needs = " or ".join(f"`{permission}`" for permission in sorted(rule.needs))
    scope = "; not answered to callers that are limited to tenants" if rule.whole_fleet else ""
    told = f"Needs {needs}{scope}." if needs else "Needs any token or session."
    operation["description"] = f"{operation.get('description', '')}\n\n{told}".strip()


def add_to(router: APIRouter, house: ApiHouse) -> None:
    routes = DocumentRoutes(house)
    router.add_api_route("/api/openapi.json", routes.openapi, include_in_schema=False)
    router.add_api_route("/api/docs", routes.page, include_in_schema=False)
    router.add_api_route("/api/docs/{name}", routes.asset, include_in_schema=False)
