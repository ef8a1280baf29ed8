"""Who is asking: the layer around the application names a principal, and without one nothing is answered."""

from starlette.requests import Request
from starlette.responses import Response

from api.access_rules import objection, rule_of
from api.problems import PROBLEM_FORBIDDEN, plain_problem
from vocabulary.access import Principal

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="peakline"'}


def principal_of(request: Request) -> Principal | None:
    """The caller as `scope["state"]["principal"]` names it, None when nothing named one."""
    named = request.scope.get("state", {}).get("principal")
    return named if isinstance(named, Principal) else None


def caller(request: Request) -> Principal:
    """The caller of a route that is only reached by somebody."""
    principal = principal_of(request)
    assert principal is not None, "refusal() has let nobody pass without a principal"
    return principal


def refusal(request: Request, path: str) -> Response | None:
    """A problem for a request that may not pass, None for one that may.

    path  as the route is registered; without a rule for it everybody is refused

    The layer around the application has asked the same; this is the second time, so that a route that
    is reached without the layer, or by a mistake of it, does not open up.
    """
    rule, principal = rule_of(request.method, path), principal_of(request)
    if rule is not None and rule.is_public:
        return None
    if principal is None:
        detail = "This request has no principal: it did not come through the part of the server that names callers."
        return plain_problem(request.url.path, 401, detail, headers=CHALLENGE)
    refused = "Nobody wrote down who may do this, so nobody may." if rule is None else objection(principal, rule)
    return plain_problem(request.url.path, 403, refused, PROBLEM_FORBIDDEN) if refused else None
