from typing import Any

import pytest
from google.rpc.status_pb2 import Status
from starlette.responses import Response

from access.web.answers import Answers, close_code
from access.web.refusal import Reason, RefusedError
from collector.answers import refused as otlp_status
from tests.access.web.asking import principal
from vocabulary.access import Permission, Role

ANSWERS = Answers(otlp_status)


def _scope(path: str, method: str = "GET", **headers: str) -> dict[str, Any]:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": method, "path": path, "headers": pairs, "query_string": b""}


def _of(scope: dict[str, Any], reason: Reason = Reason.NO_CREDENTIALS) -> Response:
    return ANSWERS.of(scope, RefusedError(reason))


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/metrics", "/v1/logs"])
@pytest.mark.parametrize(
    ("reason", "http", "grpc"),
    [(Reason.NO_CREDENTIALS, 401, 16), (Reason.BAD_TOKEN, 401, 16), (Reason.NO_RULE, 403, 7), (Reason.STORE, 503, 14)],
)
def test_exporters_get_a_status_in_protobuf(path: str, reason: Reason, http: int, grpc: int) -> None:
    response = _of(_scope(path, "POST", content_type="application/x-protobuf"), reason)
    status = Status.FromString(bytes(response.body))
    assert (response.status_code, status.code) == (http, grpc)
    assert status.message
    assert response.media_type == "application/x-protobuf"


def test_exporters_that_speak_json_get_it_in_json() -> None:
    response = _of(_scope("/v1/traces", "POST", content_type="Application/JSON; charset=utf-8"))
    assert response.media_type == "application/json"
    assert b'"code": 16' in bytes(response.body)


def test_exporters_never_get_a_page_whatever_they_accept() -> None:
    assert _of(_scope("/v1/traces", "POST", accept="text/html")).status_code == 401


def test_programs_get_a_problem_that_says_how_to_come_in() -> None:
    response = _of(_scope("/api/v1/me"))
    assert response.media_type == "application/problem+json"
    assert response.headers["www-authenticate"] == 'Bearer realm="peakline"'
    assert b"Authorization: Bearer pkl_" in bytes(response.body)
    assert b'"instance": "/api/v1/me"' in bytes(response.body)


def test_a_bad_token_is_named_as_the_standard_says() -> None:
    assert 'error="invalid_token"' in _of(_scope("/api/v1/me"), Reason.BAD_TOKEN).headers["www-authenticate"]


def test_a_browser_is_sent_to_the_log_in_and_back() -> None:
    scope = {**_scope("/requests", accept="text/html"), "raw_path": b"/requests", "query_string": b"from=-1h&to=now"}
    response = _of(scope)
    assert response.status_code == 303
    assert response.headers["location"] == "/login?next=%2Frequests%3Ffrom%3D-1h%26to%3Dnow"
    assert "www-authenticate" not in response.headers


def test_a_browser_with_an_ended_session_is_told_so() -> None:
    response = _of(_scope("/", accept="text/html"), Reason.SESSION_ENDED)
    assert response.headers["location"] == "/login?next=%2F&reason=ended"


def test_a_form_of_an_ended_session_leads_to_the_log_in_and_then_home() -> None:
    response = _of(_scope("/logout", "POST", accept="text/html"), Reason.SESSION_ENDED)
    assert response.headers["location"] == "/login?next=%2F&reason=ended"


def test_where_there_is_no_log_in_page_nobody_is_sent_to_it() -> None:
    bare = Answers(otlp_status, has_log_in=False)
    scope = _scope("/", accept="text/html")
    assert bare.of(scope, RefusedError(Reason.NO_CREDENTIALS)).status_code == 401
    assert bare.of(scope, RefusedError(Reason.NO_RULE)).media_type == "text/html"


def test_a_script_of_a_page_is_not_redirected() -> None:
    assert _of(_scope("/_dash-update-component", "POST", accept="application/json")).status_code == 401


def test_a_page_without_permission_is_a_page() -> None:
    refused = RefusedError(Reason.NO_PERMISSION, principal(Role.INGEST), frozenset({Permission.READ}))
    response = ANSWERS.of(_scope("/", accept="text/html", accept_language="zh"), refused)
    assert (response.status_code, response.media_type) == (403, "text/html")
    assert "ingest-name 的角色是 采集" in bytes(response.body).decode()


def test_below_the_api_even_browsers_get_a_problem() -> None:
    assert _of(_scope("/api/v1/requests", accept="text/html")).media_type == "application/problem+json"


@pytest.mark.parametrize("scope", [_scope("/v1/traces", "POST"), _scope("/api/v1/me"), _scope("/", accept="text/html")])
def test_while_the_store_is_away_everybody_is_asked_to_come_back(scope: dict[str, Any]) -> None:
    response = _of(scope, Reason.STORE)
    assert (response.status_code, response.headers["retry-after"]) == (503, "5")


def test_a_sender_that_waits_for_permission_to_send_gets_a_closed_connection() -> None:
    assert _of(_scope("/v1/traces", "POST", expect="100-continue")).headers["connection"] == "close"
    assert "connection" not in _of(_scope("/v1/traces", "POST")).headers


@pytest.mark.parametrize(
    ("reason", "code"), [(Reason.NO_CREDENTIALS, 4401), (Reason.FOREIGN_ORIGIN, 4403), (Reason.STORE, 1013)]
)
def test_a_websocket_is_closed_with_a_code_that_says_why(reason: Reason, code: int) -> None:
    assert close_code(RefusedError(reason)) == code
