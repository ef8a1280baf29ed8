"""Answers that say no, in the shape of vLLM's errors: `{"error": {message, type, param, code}}`."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from loadtest.fleet.request import End

SITE_OVERLOADED = 529
_TYPES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    405: "MethodNotAllowedError",
    413: "RequestEntityTooLargeError",
    415: "UnsupportedMediaTypeError",
    429: "RateLimitError",
    500: "InternalServerError",
    502: "BadGatewayError",
    503: "ServiceUnavailableError",
    504: "GatewayTimeoutError",
    SITE_OVERLOADED: "OverloadedError",
}
_SENTENCES = {
    End.CONTEXT_TOO_LONG: "The prompt does not fit into the model's context window.",
    End.RATE_LIMITED: "Rate limit reached for this caller. Please retry later.",
    End.QUEUE_FULL: "Too many requests are waiting. Please retry later.",
    End.ENGINE_ERROR: "EngineCore encountered an issue. See stack trace (above) for the root cause.",
    End.DEPENDENCY_FAILED: "A service that the gateway needs did not answer.",
    End.NO_CONNECTION: "The gateway could not connect to the engine.",
    End.REPLICA_LOST: "The engine closed the connection.",
    End.OVERLOADED: "The engine's queue is full. Please retry later.",
    End.NO_REPLICA: "No engine is ready for this model. Please retry later.",
    End.TIMED_OUT: "The request timed out.",
}
_RETRY_AFTER = frozenset({End.RATE_LIMITED, End.QUEUE_FULL, End.OVERLOADED, End.NO_REPLICA})


class Refusal(Exception):  # noqa: N818 - it is an answer, not a failure of the program
    """An answer with an error status, raised where it becomes clear."""

    def __init__(
        self, status: int, message: str, param: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.headers = dict(headers or {})

    @property
    def body(self) -> dict[str, Any]:
        """The JSON document."""
        kind = _TYPES.get(self.status, "APIError")
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.status}}

    def response(self) -> JSONResponse:
        """The whole answer."""
        return JSONResponse(self.body, self.status, self.headers)


def bad_request(message: str, param: str | None = None) -> Refusal:
    """400: the same request would be refused again."""
    return Refusal(HTTPStatus.BAD_REQUEST, message, param)


def refused_by(end: End) -> Refusal:
    """What a client is told about a request that ended so before its answer had begun."""
    headers = {"retry-after": "1"} if end in _RETRY_AFTER else None
    return Refusal(end.status or HTTPStatus.BAD_GATEWAY, _SENTENCES.get(end, "The request ended."), headers=headers)
