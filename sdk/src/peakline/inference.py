"""`inference_span`: one inference request, from its arrival to its outcome, never its content.

Nothing here raises into the request path: what goes wrong while recording is logged at debug level and forgotten.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, Span, SpanKind, Status, StatusCode, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from peakline import names
from peakline.names import Role

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from peakline.names import Decoding

LOG = logging.getLogger("peakline")
SCOPE = "peakline"
NO_CAPACITY = (503, 529)
CANCELLED = (asyncio.CancelledError, CancelledError, GeneratorExit, KeyboardInterrupt)

Method = TypeVar("Method", bound=Callable[..., None])


def quietly(method: Method) -> Method:
    """A method that records and never raises."""

    @functools.wraps(method)
    def quiet(*arguments: Any, **named: Any) -> None:
        try:
            method(*arguments, **named)
        except Exception:  # the request matters more than its record
            LOG.debug("recording an inference failed", exc_info=True)

    return cast("Method", quiet)


class _Emitter:
    """Where spans go: the provider that `configure` made, else OpenTelemetry's global one."""

    provider: TracerProvider | None = None
    role: Role = Role.ENGINE


def emit_through(provider: TracerProvider, role: Role) -> None:
    """Send the spans of `inference_span` through `provider`, as those of `role`."""
    _Emitter.provider = provider
    _Emitter.role = role


class Inference(AbstractContextManager["Inference"]):
    """One inference request under way; made by `inference_span`."""

    def __init__(
        self, operation: str, model: str, headers: Mapping[str, str] | None, attributes: Mapping[str, object]
    ) -> None:
        self._started_s = time.perf_counter()
        self._span: Span = INVALID_SPAN
        self._scope: AbstractContextManager[Span] | None = None
        self._has_first_token = False
        self._is_decided = False
        self._start(operation, model, headers, attributes)

    @quietly
    def _start(
        self, operation: str, model: str, headers: Mapping[str, str] | None, attributes: Mapping[str, object]
    ) -> None:
        tracer = trace.get_tracer(SCOPE, tracer_provider=_Emitter.provider)
        kind = SpanKind.CLIENT if _Emitter.role is Role.CLIENT else SpanKind.SERVER
        self._span = tracer.start_span(f"{operation} {model}", context=_parent(headers), kind=kind)
        self._set({names.OPERATION: operation, names.REQUEST_MODEL: model, names.HOP_ROLE: _Emitter.role.value})
        self._set(attributes)

    def _set(self, attributes: Mapping[str, object]) -> None:
        for name, value in attributes.items():
            if isinstance(value, (str, bool, int, float)):
                self._span.set_attribute(name, value)

    def __enter__(self) -> Self:
        """Make the span current, so that spans of the engine become its children."""
        self._enter()
        return self

    @quietly
    def _enter(self) -> None:
        scope = trace.use_span(self._span, record_exception=False, set_status_on_exception=False)
        scope.__enter__()
        self._scope = scope

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Record how it ended; an exception goes on to the caller."""
        if kind is not None and not self._is_decided:
            self._judge(kind)
        self._leave()
        self._end()

    @quietly
    def _leave(self) -> None:
        if self._scope is not None:
            self._scope.__exit__(None, None, None)

    @quietly
    def _end(self) -> None:
        self._span.end()

    @quietly
    def _judge(self, kind: type[BaseException]) -> None:
        if issubclass(kind, CANCELLED):
            self.aborted()
        elif issubclass(kind, (TimeoutError, asyncio.TimeoutError)):
            self.timed_out()
        else:
            self.failed(kind.__qualname__)

    @quietly
    def first_token(self) -> None:
        """The first token left, or arrived at, this process; later calls change nothing."""
        if self._has_first_token:
            return
        self._has_first_token = True
        is_engine = _Emitter.role in {Role.ENGINE, Role.PREFILL, Role.DECODE}
        name = names.FIRST_TOKEN_S if is_engine else names.FIRST_CHUNK_S
        self._set({name: time.perf_counter() - self._started_s})

    @quietly
    def phases(
        self, *, queue_s: float | None = None, prefill_s: float | None = None, decode_s: float | None = None
    ) -> None:
        """Seconds in the queue, in prefill and in decode, as the engine measured them."""
        self._set({names.QUEUE_S: queue_s, names.PREFILL_S: prefill_s, names.DECODE_S: decode_s})

    @quietly
    def answered(  # one keyword per fact of an answer; all are optional
        self,
        *,
        model: str | None = None,
        input_tokens: int | None = None,
        cached_tokens: int | None = None,
        output_tokens: int | None = None,
        reasoning_tokens: int | None = None,
        finish_reason: str | None = None,
    ) -> None:
        """The request has an answer. `input_tokens` include cached ones; `model` is the one that answered."""
        self._is_decided = True
        self._set(
            {
                names.RESPONSE_MODEL: model,
                names.INPUT_TOKENS: input_tokens,
                names.CACHED_TOKENS: cached_tokens,
                names.OUTPUT_TOKENS: output_tokens,
                names.REASONING_TOKENS: reasoning_tokens,
            }
        )
        if isinstance(finish_reason, str):
            self._span.set_attribute(names.FINISH_REASONS, [finish_reason])

    def rejected(self, http_status: int | None = None) -> None:
        """It was not admitted: a limit (429), or no capacity (503, 529)."""
        self._unanswered("overloaded" if http_status in NO_CAPACITY else "rate_limited", http_status)

    def timed_out(self, http_status: int | None = None) -> None:
        """Time ran out before the answer was complete."""
        self._unanswered("timeout", http_status)

    def aborted(self, http_status: int | None = None) -> None:
        """The caller went away."""
        self._unanswered("cancelled", http_status)

    def failed(self, error_type: str = "engine_error", http_status: int | None = None) -> None:
        """It failed. `error_type` is a class of errors, never a message: messages quote prompts."""
        self._unanswered(error_type, http_status)

    @quietly
    def _unanswered(self, error_type: str, http_status: int | None) -> None:
        self._is_decided = True
        self._set({names.ERROR_TYPE: error_type, names.HTTP_STATUS: http_status})
        self._span.set_status(Status(StatusCode.ERROR))


def inference_span(
    operation: str,
    model: str,
    *,
    request_id: str | None = None,
    tenant: str | None = None,
    service_tier: str | None = None,
    headers: Mapping[str, str] | None = None,
    **decoding: Unpack[Decoding],
) -> Inference:
    """Record one inference request as a span; use it in a `with` statement, also in coroutines.

    An exception that leaves the block is recorded by its class and goes on; nothing is raised from here.

    operation     chat, text_completion, embeddings, ...
    model         the name the caller asked for
    service_tier  business class: core, general, batch or your own word
    headers       of the incoming request, lower-case; a `traceparent` among them makes the span part of that trace
    decoding      parameters as the caller sent them; see `peakline.names.Decoding`
    """
    attributes = {
        names.REQUEST_ID: request_id,
        names.TENANT: tenant,
        names.SERVICE_TIER: service_tier,
        **{name: decoding.get(parameter) for parameter, name in names.DECODING.items()},
    }
    return Inference(operation, model, headers, attributes)


def _parent(headers: Mapping[str, str] | None) -> Context | None:
    """The caller's span, when the headers name one; else what is current here."""
    if headers is None or "traceparent" not in headers:
        return None
    return TraceContextTextMapPropagator().extract(headers)
