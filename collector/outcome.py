"""How requests ended and what was wrong with them, from what their hops say.

The rules are those of the defect table in the design: client errors other than 429 are no defect,
reaching a requested max_tokens is no defect, a client's own cancelling is no defect.
Which requests are slow is told by the objectives in force when they are judged.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from collector.arrays import Indices, Mask, codes, flat, numbers
from vocabulary.outcomes import DefectKind, ErrorClass, Outcome, TruncationCause
from vocabulary.pools import Pool
from vocabulary.services import Objectives, ServiceBook

_REJECTED_STATUS = (429.0, 503.0, 529.0)
_TIMEOUT_STATUS = (408.0, 504.0)
_CLIENT_CLOSED_STATUS = 499.0
_ERROR_STATUS_CODE = 2
_CLIENT_ERRORS = (
    ErrorClass.CONTEXT_LENGTH,
    ErrorClass.INVALID_REQUEST,
    ErrorClass.AUTH,
    ErrorClass.NOT_FOUND,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """Outcomes of (n,) requests.

    outcome           text column of Outcome values
    defects           uint16 column of DefectKind bits
    truncation_cause  text column of TruncationCause values, '' where not truncated
    """

    outcome: pa.Array
    defects: pa.Array
    truncation_cause: pa.Array


def judge(
    fields: pa.Table,
    status_code: npt.NDArray[np.int64],
    has_end: Mask,
    tokens_asked: npt.NDArray[np.float64],
    is_late: Mask,
) -> Judged:
    """Judge (n,) requests by their canonical fields.

    fields       canonical columns as picked for each request
    status_code  span status of the topmost hop: 0 unset, 1 ok, 2 error
    has_end      whether the topmost hop tells its end
    tokens_asked  max_tokens as the caller asked, NaN where it did not
    is_late      whether it took longer than its service promises, see `late`; only a completed request is slow
    """
    ended = _Endings.read(fields, status_code)
    outcome = np.select(
        [
            ended.rejected,
            ended.timed_out,
            ended.cancelled | ended.engine_abort,
            ended.server_error | ended.client_error,
        ],
        [Outcome.REJECTED, Outcome.TIMED_OUT, Outcome.ABORTED, Outcome.FAILED],
        default=Outcome.COMPLETED,
    ).astype(object)
    tells_nothing = ~has_end & np.isnan(ended.http) & ~_known(fields, "finish_reason")
    outcome[(outcome == Outcome.COMPLETED) & tells_nothing] = Outcome.UNKNOWN
    stated = np.asarray(flat(fields["stated_outcome"]).to_pylist(), dtype=object)
    is_stated = np.isin(stated.astype(str), [str(value) for value in Outcome])
    outcome[is_stated] = stated[is_stated]
    completed = outcome == Outcome.COMPLETED
    cause = _truncation(fields, completed, tokens_asked)
    bits = _defect_bits(fields, outcome, ended, cause)
    bits[completed & is_late] |= np.uint16(DefectKind.SLOW)
    return Judged(
        pa.array([str(value) for value in outcome], pa.string()),
        pa.array(bits, pa.uint16()),
        pa.array(cause, pa.string()),
    )


def late(named: pa.Table, fields: pa.Table, e2e_s: npt.NDArray[np.float64], services: ServiceBook) -> Mask:
    """(n,) whether a request took longer than an objective of its service tier; what is unknown is not late.

    named   service, model and service_tier of each request
    fields  client_ttft_s, which counts where it is known, and server_ttft_s
    e2e_s   NaN where unknown
    """
    if not services.definitions:
        return np.zeros(named.num_rows, dtype=np.bool_)
    promised, which = _objectives(named, services)
    at_client, at_server = numbers(fields["client_ttft_s"]), numbers(fields["server_ttft_s"])
    ttft_s = np.where(np.isnan(at_client), at_server, at_client)
    ttft_most_s = _limits(objectives.ttft_s for objectives in promised)[which]
    e2e_most_s = _limits(objectives.e2e_s for objectives in promised)[which]
    return np.asarray((ttft_s > ttft_most_s) | (e2e_s > e2e_most_s), dtype=np.bool_)


def _objectives(named: pa.Table, services: ServiceBook) -> tuple[list[Objectives], Indices]:
    """The objectives of each distinct (service, model, service tier), and which of them is each request's."""
    coded = [codes(named[name]) for name in ("service", "model", "service_tier")]
    texts = [known for _, known in coded]
    sizes = tuple(len(known) for known in texts)
    distinct, which = np.unique(np.ravel_multi_index(tuple(code for code, _ in coded), sizes), return_inverse=True)
    places = zip(*(place.tolist() for place in np.unravel_index(distinct, sizes)), strict=True)
    names = [[known[at] for known, at in zip(texts, place, strict=True)] for place in places]
    promised = [services.objectives(Pool(service, model), service_tier) for service, model, service_tier in names]
    return promised, which


def _limits(promised_s: Iterable[float | None]) -> npt.NDArray[np.float64]:
    return np.asarray([np.inf if seconds is None else seconds for seconds in promised_s], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Endings:
    http: npt.NDArray[np.float64]
    rejected: Mask
    timed_out: Mask
    cancelled: Mask
    engine_abort: Mask
    server_error: Mask
    client_error: Mask

    @classmethod
    def read(cls, fields: pa.Table, status_code: npt.NDArray[np.int64]) -> "_Endings":
        http = numbers(fields["http_status"])
        rejected = np.isin(http, _REJECTED_STATUS) | _is(
            fields, "error_type", ErrorClass.RATE_LIMITED, ErrorClass.OVERLOADED
        )
        timed_out = ~rejected & (np.isin(http, _TIMEOUT_STATUS) | _is(fields, "error_type", ErrorClass.TIMEOUT))
        cancelled = (http == _CLIENT_CLOSED_STATUS) | _is(fields, "error_type", ErrorClass.CANCELLED)
        client_error = _is(fields, "error_type", *_CLIENT_ERRORS) | ((http >= 400) & (http < 500))  # noqa: PLR2004 - HTTP classes
        engine_error = _is(fields, "error_type", ErrorClass.ENGINE_ERROR, ErrorClass.KV_TRANSFER, ErrorClass.UNKNOWN)
        says_error = (status_code == _ERROR_STATUS_CODE) | _is(fields, "finish_reason", "error") | engine_error
        return cls(
            http=http,
            rejected=rejected,
            timed_out=timed_out,
            cancelled=cancelled,
            engine_abort=_is(fields, "finish_reason", "abort") & ~cancelled,
            server_error=(http >= 500) | (says_error & ~client_error),  # noqa: PLR2004 - HTTP classes
            client_error=client_error,
        )


def _is(fields: pa.Table, name: str, *values: str) -> Mask:
    wanted = pa.array([str(value) for value in values], pa.string())
    return np.asarray(pc.is_in(flat(fields[name]), value_set=wanted).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _known(fields: pa.Table, name: str) -> Mask:
    return np.asarray(pc.not_equal(flat(fields[name]), "").to_numpy(zero_copy_only=False), dtype=np.bool_)


def _truncation(fields: pa.Table, completed: Mask, asked: npt.NDArray[np.float64]) -> npt.NDArray[np.object_]:
    """Cut at the context window, or by the engine before the tokens asked for; NaN compares false everywhere."""
    output = numbers(fields["output_tokens"])
    filled = numbers(fields["input_tokens"]) + output >= numbers(fields["context_window"]) - 1
    at_length = completed & _is(fields, "finish_reason", "length")
    short = output < asked
    by_context = at_length & filled & (short | np.isnan(asked))
    by_engine = at_length & short & ~by_context
    causes = [str(TruncationCause.CONTEXT), str(TruncationCause.ENGINE)]
    return np.select([by_context, by_engine], causes, default="").astype(object)


def _defect_bits(
    fields: pa.Table, outcome: npt.NDArray[np.object_], ended: _Endings, cause: npt.NDArray[np.object_]
) -> npt.NDArray[np.uint16]:
    generates = ~_is(fields, "operation", "embeddings", "embedding", "rerank", "score")
    empty = (outcome == Outcome.COMPLETED) & (numbers(fields["output_tokens"]) == 0) & generates
    kinds: list[tuple[Any, DefectKind]] = [
        ((outcome == Outcome.FAILED) & ended.server_error, DefectKind.ERROR),
        (outcome == Outcome.REJECTED, DefectKind.REJECTED),
        (outcome == Outcome.TIMED_OUT, DefectKind.TIMEOUT),
        ((outcome == Outcome.ABORTED) & ended.engine_abort, DefectKind.ABORTED),
        (cause != "", DefectKind.TRUNCATED),
        (empty, DefectKind.EMPTY),
        (_is(fields, "finish_reason", "repetition", "invalid"), DefectKind.INVALID),
    ]
    bits = np.zeros(len(outcome), dtype=np.uint16)
    for mask, kind in kinds:
        bits[mask] |= np.uint16(kind)
    return bits
