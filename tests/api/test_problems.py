import logging
from typing import Any

import orjson
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from analyzer.questions.cursors import BadCursorError
from analyzer.questions.pools import AmbiguousPoolError
from api.problems import MEDIA_TYPE, BadQueryError, NotFoundError, problem_of
from vocabulary.errors import RefusedReadError, StoreUnavailableError
from vocabulary.pools import Pool

ASKED = Request({"type": "http", "method": "GET", "path": "/api/v1/x", "headers": [], "query_string": b""})


def document(error: Exception) -> tuple[int, dict[str, Any], dict[str, str]]:
    response = problem_of(ASKED, error)
    assert response.headers["content-type"] == MEDIA_TYPE
    return response.status_code, orjson.loads(response.body), dict(response.headers)


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (RefusedReadError("too wide"), 400, "refused"),
        (BadCursorError("damaged"), 400, "refused"),
        (BadQueryError("from", "is no time."), 400, "invalid-query"),
        (NotFoundError("nobody"), 404, "not-found"),
        (AmbiguousPoolError([Pool("a", "b")]), 400, "ambiguous-pool"),
        (StoreUnavailableError("down"), 503, "store-unavailable"),
    ],
)
def test_every_known_error_has_its_status(error: Exception, status: int, kind: str) -> None:
    found, body, _ = document(error)
    assert found == body["status"] == status
    assert body["type"] == f"urn:peakline:problem:{kind}"
    assert body["instance"] == "/api/v1/x"
    assert str(error) in body["detail"]


def test_a_store_that_is_down_says_when_to_try_again() -> None:
    assert document(StoreUnavailableError("down"))[2]["retry-after"] == "5"


def test_pools_that_fit_are_listed() -> None:
    assert document(AmbiguousPoolError([Pool("a", "b")]))[1]["pools"] == [{"service": "a", "model": "b"}]


def test_a_bad_parameter_is_named() -> None:
    assert document(BadQueryError("from", "is no time."))[1]["errors"] == [{"field": "from", "message": "is no time."}]


def test_an_http_error_keeps_its_status_and_headers() -> None:
    status, body, headers = document(HTTPException(405, "not so", headers={"Allow": "GET"}))
    assert (status, body["title"], headers["allow"]) == (405, "Method Not Allowed", "GET")


def test_an_unexpected_failure_is_logged_and_tells_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        status, body, _ = document(ZeroDivisionError("secret detail"))
    assert status == 500
    assert "secret" not in str(body)
    assert "secret detail" in caplog.text
