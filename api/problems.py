"""The one shape of errors: RFC 9457 problem documents."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus

import msgspec
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from analyzer.questions.pools import AmbiguousPoolError
from vocabulary.errors import PeaklineError

MEDIA_TYPE = "application/problem+json"
PROBLEM_FORBIDDEN = "urn:peakline:problem:no-permission"
RETRY_AFTER_S = 5
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of the request."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class PoolName:
    """A pool, as queries name it."""

    service: str
    model: str


@dataclass(frozen=True, slots=True)
class Problem:
    """An error, RFC 9457.

    type      stable name of the kind of problem, `about:blank` where the status says it all
    title     the status in words
    status    HTTP status
    detail    what happened and what to do, for a person
    instance  path that was asked
    errors    per field of the request, where fields are to blame
    pools     pools that fit, where the request named none or too many
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: Sequence[FieldError] = field(default_factory=tuple)
    pools: Sequence[PoolName] = field(default_factory=tuple)


class NotFoundError(PeaklineError):
    """Nothing has that name."""


class AccessOffError(PeaklineError):
    """Tokens and users were asked for while everybody is anonymous."""

    def __init__(self) -> None:
        super().__init__(
            "Access is off: there are no tokens and users, and everybody on this machine may do everything. To switch "
            "it on, run `peakline users create NAME --role admin`, set `access: {enabled: true}` in peakline.yaml or "
            "PEAKLINE_ACCESS_ENABLED=true, and start the server again."
        )


class BadBodyError(PeaklineError):
    """A body that cannot be used.

    status  400, 413 too large, 415 not JSON
    field   what of it, '' for all of it
    """

    def __init__(self, message: str, *, status: int = 400, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.field = field


class BadQueryError(PeaklineError):
    """A query parameter that cannot be used.

    name  the parameter
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def problem_response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem on the wire; empty extension members are left out."""
    members = {name: value for name, value in asdict(problem).items() if value != ()}
    return Response(msgspec.json.encode(members), problem.status, headers, MEDIA_TYPE)


def plain_problem(
    path: str, status: int, detail: str, kind: str = "about:blank", headers: Mapping[str, str] | None = None
) -> Response:
    """A problem without extension members."""
    return problem_response(Problem(kind, HTTPStatus(status).phrase, status, detail, path), headers)


def problem_of(request: Request, error: Exception) -> Response:
    """The problem document for an exception that a route raised.

    A failure that is neither the caller's nor the store's is logged with its traceback and answered without details.
    """
    path = request.url.path
    match error:
        case RequestValidationError():
            return invalid_problem(path, _field_errors(error))
        case BadQueryError():
            return invalid_problem(path, [FieldError(error.name, str(error))])
        case BadBodyError():
            return _bad_body(path, error)
        case PeaklineError():
            return _known(path, error)
        case HTTPException():
            return plain_problem(path, error.status_code, str(error.detail), headers=error.headers)
    log.error("unexpected failure on %s %s", request.method, path, exc_info=error)
    return plain_problem(path, 500, "The server failed on this request; its log has the details.", _kind("internal"))


def _kind(slug: str) -> str:
    return f"urn:peakline:problem:{slug}"


def _known(path: str, error: PeaklineError) -> Response:
    """Permanent: the same request would fail again, so it is the caller's to change. Otherwise later may work."""
    if (retry_after_s := getattr(error, "retry_after_s", None)) is not None:
        retry = {"Retry-After": str(retry_after_s)}
        return plain_problem(path, 429, str(error), _kind("too-many-attempts"), retry)
    match error:
        case AccessOffError():
            return plain_problem(path, 409, str(error), _kind("access-off"))
        case NotFoundError():
            return plain_problem(path, 404, str(error), _kind("not-found"))
        case AmbiguousPoolError():
            fitting = tuple(PoolName(pool.service, pool.model) for pool in error.pools)
            return problem_response(
                Problem(_kind("ambiguous-pool"), HTTPStatus(400).phrase, 400, str(error), path, pools=fitting)
            )
        case PeaklineError(permanent=False):
            retry = {"Retry-After": str(RETRY_AFTER_S)}
            return plain_problem(path, 503, str(error), _kind("store-unavailable"), retry)
    return plain_problem(path, 400, str(error), _kind("refused"))


def _bad_body(path: str, error: BadBodyError) -> Response:
    at = (FieldError(error.field, str(error)),) if error.field else ()
    detail = f"{error.field}: {error}" if error.field else str(error)
    title = HTTPStatus(error.status).phrase
    return problem_response(Problem(_kind("invalid-body"), title, error.status, detail, path, errors=at))


def invalid_problem(path: str, errors: Sequence[FieldError]) -> Response:
    """A request whose parameters cannot be used: 400 with a line per field."""
    detail = " ".join(f"{error.field}: {error.message}" for error in errors)
    problem = Problem(_kind("invalid-query"), HTTPStatus(400).phrase, 400, detail, path, errors=tuple(errors))
    return problem_response(problem)


def _field_errors(error: RequestValidationError) -> list[FieldError]:
    return [FieldError(str(found["loc"][-1]), f"{found['msg']}.") for found in error.errors()]
