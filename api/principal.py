"""Who is asking: the layer around the application names a principal, and without one nothing is answered."""

from starlette.requests import Request
from starlette.responses import Response

from api.problems import plain_problem


def principal_of(request: Request) -> str:
    """The caller as `scope["state"]["principal"]` names it, '' when nothing named one."""
    named = request.scope.get("state", {}).get("principal", "")
    return named if isinstance(named, str) else ""


def refusal(request: Request) -> Response | None:
    """A 401 problem for a request that has no principal, None for one that has."""
    if principal_of(request):
        return None
    detail = "This request has no principal: it did not come through the part of the server that names callers."
    return plain_problem(request.url.path, 401, detail)
