import pytest

from access.web.access_rules import RULES as OWN
from access.web.rulebook import WEBSOCKET, RuleBook
from collector.access_rules import RULES as TELEMETRY
from tests.access.web.asking import RULES
from vocabulary.access import Permission, Rule

BOOK = RuleBook(RULES)


@pytest.mark.parametrize(
    ("method", "path", "rule"),
    [
        ("GET", "/api/v1/me", "/api/v1/me"),
        ("HEAD", "/api/v1/me", "/api/v1/me"),
        ("POST", "/api/v1/me", "/api/{path:path}"),
        ("POST", "/v1/traces", "/v1/traces"),
        ("POST", "/v1/traces/", "/v1/{path:path}"),
        ("GET", "/v1/traces", "/v1/{path:path}"),
        ("GET", "//api/v1/tokens", "/{rest:path}"),
        ("GET", "/api/v1/../v1/tokens", "/api/{path:path}"),
        ("GET", "/api/v1/tokens/", "/api/{path:path}"),
        (WEBSOCKET, "/live", "/live"),
        ("GET", "/live", "/{rest:path}"),
    ],
)
def test_the_most_specific_rule_of_method_and_path_is_found(method: str, path: str, rule: str) -> None:
    found = BOOK.find(method, path)
    assert found is not None
    assert found.path == rule


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/api/v1/me"),
        ("get", "/api/v1/me"),
        ("DELETE", "/"),
        (WEBSOCKET, "/other"),
        ("GET", "/healthz\n"),
        ("GET", "/api/v1/tokens\n"),
        ("GET", "/a\x00b"),
        ("GET", "/a\x7f"),
    ],
)
def test_what_no_rule_names_has_none(method: str, path: str) -> None:
    assert BOOK.find(method, path) is None


def test_plain_text_wins_over_a_parameter_and_a_parameter_over_the_rest_whatever_the_order() -> None:
    rules = [Rule(frozenset({"GET"}), path) for path in ("/a/{rest:path}", "/a/{x}", "/a/v{x}", "/a/b", "/a/{x}/c")]
    for order in (rules, rules[::-1]):
        book = RuleBook(order)
        asked = {"/a/b": "/a/b", "/a/q": "/a/{x}", "/a/v1": "/a/v{x}", "/a/q/c": "/a/{x}/c", "/a/q/d": "/a/{rest:path}"}
        for path, expected in asked.items():
            found = book.find("GET", path)
            assert found is not None
            assert found.path == expected


@pytest.mark.parametrize("path", ["/a", "/a/{x}"])
def test_two_rules_for_one_route_are_a_mistake(path: str) -> None:
    with pytest.raises(ValueError, match="two rules for GET"):
        RuleBook([Rule(frozenset({"GET"}), path), Rule(frozenset({"GET", "POST"}), path)])


def test_telemetry_wants_the_permission_to_send_and_unknown_paths_only_somebody() -> None:
    book = RuleBook([*TELEMETRY, *OWN])
    traces, other = book.find("POST", "/v1/traces"), book.find("POST", "/v1/nothing")
    assert traces is not None
    assert traces.needs == {Permission.SEND}
    assert other is not None
    assert (other.needs, other.is_public) == (frozenset(), False)


def test_only_log_in_is_public_and_log_out_is_for_somebody() -> None:
    assert {rule.path for rule in OWN if not rule.is_public} == {"/logout"}
    assert not [rule.path for rule in TELEMETRY if rule.is_public]
