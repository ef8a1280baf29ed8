"""Every route of the API has a rule, every rule a route, and a rule means what it says."""

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from api.access_rules import RULES, objection, rule_of
from api.routes.missing import PATHS
from tests.api.conftest import somebody
from vocabulary.access import Permission, Role, Rule

NO_TENANT = frozenset({"a"})


def registered(app: FastAPI) -> set[tuple[str, str]]:
    """(method, path) of all routes of the API, catch-alls and other parts' left out."""
    return {
        (method, route.path)
        for route in iter_route_contexts(app.routes)
        if route.path and route.path.startswith(("/api/", "/healthz", "/readyz")) and "{path:path}" not in route.path
        for method in (route.methods or set()) - {"HEAD"}
    }


def test_every_route_has_a_rule(app: FastAPI) -> None:
    assert [found for found in sorted(registered(app)) if rule_of(*found) is None] == []


def test_every_rule_has_a_route(app: FastAPI) -> None:
    known = registered(app) | {(method, path) for path in PATHS for method in ("GET", "POST", "DELETE", "PATCH")}
    assert [rule.path for rule in RULES if not {(method, rule.path) for method in rule.methods} & known] == []


def test_no_two_rules_speak_of_the_same_route() -> None:
    spoken = [(method, rule.path) for rule in RULES for method in rule.methods]
    assert len(spoken) == len(set(spoken))


def test_head_is_under_the_rule_of_get() -> None:
    assert rule_of("HEAD", "/api/v1/pools") is rule_of("GET", "/api/v1/pools") is not None
    assert rule_of("POST", "/api/v1/pools") is None


def test_what_changes_tokens_and_users_is_for_those_who_administer() -> None:
    changing = [rule for rule in RULES if rule.path.startswith(("/api/v1/tokens", "/api/v1/users")) and rule.needs]
    unsafe = [rule for rule in changing if not rule.methods & {"GET"}]
    assert len(unsafe) == 4
    assert {rule.needs for rule in unsafe} == {frozenset({Permission.ADMINISTER})}


@pytest.mark.parametrize(
    ("role", "opens"),
    [(Role.INGEST, False), (Role.VIEWER, True), (Role.OPERATOR, True), (Role.AUDITOR, True), (Role.ADMIN, True)],
)
def test_a_role_opens_what_it_grants(role: Role, *, opens: bool) -> None:
    found = objection(somebody(role), Rule(frozenset({"GET"}), "/x", frozenset({Permission.READ})))
    assert (found is None) is opens
    assert opens or found == "ada has the role ingest, which may not read."


def test_one_of_several_permissions_is_enough() -> None:
    rule = Rule(frozenset({"GET"}), "/x", frozenset({Permission.READ, Permission.SEND}))
    assert objection(somebody(Role.INGEST), rule) is None


def test_answers_about_everybody_are_not_for_the_limited() -> None:
    rule = Rule(frozenset({"GET"}), "/x", whole_fleet=True)
    assert objection(somebody(Role.ADMIN, NO_TENANT), rule) == (
        "ada is limited to some tenants, and this answer is about the whole fleet."
    )
    assert objection(somebody(Role.ADMIN), rule) is None
