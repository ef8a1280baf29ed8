"""What a process of each role answers, and in which words it refuses telemetry."""

from google.rpc.status_pb2 import Status

from peakline_server.guarding import counted, otlp_status, rules_of
from peakline_server.settings import Role


def paths(role: Role) -> set[str]:
    return {rule.path for rule in rules_of(role)}


def test_a_process_without_the_dashboard_has_no_rule_for_pages_and_log_in() -> None:
    assert {"/v1/traces", "/api/v1/requests"} <= paths(Role.INGEST)
    assert not {"/", "/login", "/_dash-update-component"} & paths(Role.INGEST)


def test_a_process_that_only_shows_takes_no_telemetry() -> None:
    assert {"/", "/login", "/api/v1/requests"} <= paths(Role.WEB)
    assert "/v1/traces" not in paths(Role.WEB)


def test_no_route_has_two_rules() -> None:
    asked = [(method, rule.path) for rule in rules_of(Role.ALL) for method in rule.methods]
    assert len(asked) == len(set(asked))


def test_a_refusal_is_a_status_in_the_encoding_of_the_body() -> None:
    answer = otlp_status(401, "who are you?", "application/x-protobuf", None)
    assert Status.FromString(bytes(answer.body)) == Status(code=16, message="who are you?")
    assert otlp_status(503, "later", "application/json", 3).headers["retry-after"] == "3"


def test_telemetry_that_the_door_refuses_is_counted_by_reason() -> None:
    counts: list[str] = []
    told = counted(counts.append, ["/v1/traces"])
    for status in (401, 403, 503):
        told("POST", "/v1/traces", status)
    told("GET", "/v1/traces", 401)
    told("POST", "/api/v1/tokens", 403)
    assert counts == ["unauthenticated", "forbidden", "access_unavailable"]
