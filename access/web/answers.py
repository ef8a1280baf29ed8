"""How a refusal is told: to exporters as google.rpc.Status, to programs as a problem, to browsers as a page."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from access.web.header_values import single, wants_page
from access.web.next_path import HOME, asked_path
from access.web.pages import refused_page, sentence
from access.web.refusal import RETRY_AFTER_S, Reason, RefusedError
from access.web.wording import ENGLISH, language_of, wording

OTLP_PATHS = frozenset({"/v1/traces", "/v1/metrics", "/v1/logs"})
LOG_IN = "/login"
CHALLENGE = 'Bearer realm="peakline"'
_BAD_TOKEN_CHALLENGE = f'{CHALLENGE}, error="invalid_token"'
_JSON = "application/json"
_PROTOBUF = "application/x-protobuf"
_UNAUTHORIZED = 401
_CLOSE_CODES = {401: 4401, 503: 1013}
_CLOSED_FORBIDDEN = 4403
_MACHINE_PATHS = ("/api/", "/v1/")

StatusAnswer = Callable[[int, str, str, int | None], Response]
"""HTTP status, sentence, media type and seconds to wait -> an answer with a google.rpc.Status."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Refusals in the shape that the sender of a request can read.

    has_log_in  this process has a log-in page, so that browsers can be sent there
    """

    otlp_status: StatusAnswer
    has_log_in: bool = True

    def of(self, scope: Scope, refused: RefusedError) -> Response:
        """The answer to an HTTP request. Its body has not been read, and nothing of it is kept."""
        response = self._shaped(scope, refused)
        response.headers["Cache-Control"] = "no-store"
        if refused.status == _UNAUTHORIZED and response.status_code == _UNAUTHORIZED:
            is_token = refused.reason is Reason.BAD_TOKEN
            response.headers["WWW-Authenticate"] = _BAD_TOKEN_CHALLENGE if is_token else CHALLENGE
        if refused.reason is Reason.STORE:
            response.headers["Retry-After"] = str(RETRY_AFTER_S)
        if single(scope, b"expect"):  # the body will not come, so the next request would be taken for it
            response.headers["Connection"] = "close"
        return response

    def _shaped(self, scope: Scope, refused: RefusedError) -> Response:
        if scope["path"] in OTLP_PATHS:
            return self._otlp(scope, refused)
        is_for_people = wants_page(scope) and not scope["path"].startswith(_MACHINE_PATHS)
        if is_for_people and (self.has_log_in or refused.status != _UNAUTHORIZED):
            return _page(scope, refused)
        return _problem(scope, refused)

    def _otlp(self, scope: Scope, refused: RefusedError) -> Response:
        media_type = single(scope, b"content-type").partition(";")[0].strip().lower()
        shape = _JSON if media_type == _JSON else _PROTOBUF
        retry_after_s = RETRY_AFTER_S if refused.reason is Reason.STORE else None
        return self.otlp_status(refused.status, sentence(wording(ENGLISH), refused), shape, retry_after_s)


def close_code(refused: RefusedError) -> int:
    """With what a websocket is closed before it opened."""
    return _CLOSE_CODES.get(refused.status, _CLOSED_FORBIDDEN)


def _page(scope: Scope, refused: RefusedError) -> Response:
    """People without a session are asked to log in, and come back to where they were."""
    if refused.status != _UNAUTHORIZED:
        return refused_page(wording(language_of(scope)), refused)
    back = asked_path(scope) if scope["method"] in {"GET", "HEAD"} else HOME
    reason = "&reason=ended" if refused.reason is Reason.SESSION_ENDED else ""
    return RedirectResponse(f"{LOG_IN}?next={quote(back, safe='')}{reason}", 303)


def _problem(scope: Scope, refused: RefusedError) -> Response:
    problem = {
        "type": f"urn:peakline:problem:{refused.reason.replace('_', '-')}",
        "title": HTTPStatus(refused.status).phrase,
        "status": refused.status,
        "detail": sentence(wording(ENGLISH), refused),
        "instance": scope["path"],
    }
    return Response(json.dumps(problem), refused.status, media_type="application/problem+json")
