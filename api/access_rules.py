"""What each route of the API asks of its caller. A route that is not here is refused to everybody."""

from vocabulary.access import Objection, Permission, Principal, Rule

ALL_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"})
"""What the catch-alls take, so that every unknown path below them is a problem document."""

_GET, _POST = frozenset({"GET"}), frozenset({"POST"})
_READ = frozenset({Permission.READ})
_SEE_SETTINGS = frozenset({Permission.READ_SETTINGS})
_ADMINISTER = frozenset({Permission.ADMINISTER})

RULES: tuple[Rule, ...] = (
    Rule(_GET, "/healthz", is_public=True),
    Rule(_GET, "/readyz", is_public=True),
    Rule(_GET, "/api/v1/health"),
    Rule(_GET, "/api/v1/requests", _READ),
    Rule(_GET, "/api/v1/requests/{request_key}", _READ),
    Rule(_GET, "/api/v1/traces/{trace_id}", _READ),
    Rule(_GET, "/api/v1/reports/tiers", _READ),
    Rule(_GET, "/api/v1/ledger", _READ),
    Rule(_GET, "/api/v1/pools", _READ),
    Rule(_GET, "/api/v1/loadtests", _READ),
    Rule(_GET, "/api/v1/alerts", _READ, whole_fleet=True),
    Rule(_GET, "/api/v1/changes", _READ, whole_fleet=True),
    Rule(_GET, "/api/v1/imports/{import_id}", frozenset({Permission.READ, Permission.SEND})),
    Rule(_GET, "/api/v1/me"),
    Rule(_POST, "/api/v1/me/password"),
    Rule(_GET, "/api/v1/tokens", _SEE_SETTINGS, whole_fleet=True),
    Rule(_POST, "/api/v1/tokens", _ADMINISTER, whole_fleet=True),
    Rule(frozenset({"DELETE"}), "/api/v1/tokens/{token_id}", _ADMINISTER, whole_fleet=True),
    Rule(_GET, "/api/v1/users", _SEE_SETTINGS, whole_fleet=True),
    Rule(_POST, "/api/v1/users", _ADMINISTER, whole_fleet=True),
    Rule(frozenset({"PATCH", "DELETE"}), "/api/v1/users/{user_id}", _ADMINISTER, whole_fleet=True),
    Rule(_GET, "/api/v1/settings", _SEE_SETTINGS, whole_fleet=True),
    Rule(_GET, "/api/openapi.json"),
    Rule(_GET, "/api/docs"),
    Rule(_GET, "/api/docs/{name}"),
    Rule(ALL_METHODS, "/api"),
    Rule(ALL_METHODS, "/api/{path:path}"),
)


def rule_of(method: str, path: str) -> Rule | None:
    """The rule of a route as it is registered, None where nobody wrote one."""
    asked = "GET" if method == "HEAD" else method
    return next((rule for rule in RULES if rule.path == path and asked in rule.methods), None)


def objection(principal: Principal, rule: Rule) -> str | None:
    """Why this rule keeps this principal out, in words; None where it lets them in."""
    match rule.objection(principal):
        case Objection.PERMISSION:
            wanted = " or ".join(sorted(rule.needs))
            return f"{principal.name} has the role {principal.role}, which may not {wanted}."
        case Objection.WHOLE_FLEET:
            return f"{principal.name} is limited to some tenants, and this answer is about the whole fleet."
    return None
