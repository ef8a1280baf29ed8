"""A finished request as spans: the gateway's SERVER span and, where an engine finished it, vLLM's `llm_request`.

As in real clusters (see the engine notes in the documentation): the engine sends one span per request that it
finished itself, without status, model name or finish reason; it sends nothing for what was refused, timed out
or left by its client. The gateway's span tells how those ended.
"""

from functools import cache, lru_cache

from loadtest.emission import wire
from loadtest.emission.identifiers import Identifiers, Ids
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Attempt, End, Request

SERVER_KIND = 2
ROOT_FLAGS, REMOTE_PARENT_FLAGS = 0x100, 0x300
ERROR_STATUS = 2
GATEWAY_BEFORE_NS, GATEWAY_AFTER_NS = 900_000, 1_400_000
TOP_P = 0.95
ERROR_TYPES = {
    End.CONTEXT_TOO_LONG: "ContextWindowExceededError",
    End.RATE_LIMITED: "RateLimitError",
    End.QUEUE_FULL: "RateLimitError",
    End.CLIENT_GONE: "CancelledError",
    End.ENGINE_ERROR: "InternalServerError",
    End.DEPENDENCY_FAILED: "InternalServerError",
    End.NO_CONNECTION: "APIConnectionError",
    End.REPLICA_LOST: "APIConnectionError",
    End.OVERLOADED: "ServiceUnavailableError",
    End.NO_REPLICA: "ServiceUnavailableError",
    End.TIMED_OUT: "Timeout",
}
_NS = 1_000_000_000
_COMPLETED = End.COMPLETED  # looking up members of an Enum is slow
_HTTP_SERVER_ERROR = 500
_LATENCIES = (
    "gen_ai.latency.time_to_first_token",
    "gen_ai.latency.e2e",
    "gen_ai.latency.time_in_queue",
    "gen_ai.latency.time_in_model_prefill",
    "gen_ai.latency.time_in_model_decode",
    "gen_ai.latency.time_in_model_inference",
)
_LATENCY_PARTS = wire.double_parts(_LATENCIES)
_pack_latencies = wire.doubles_layout(_LATENCIES).pack
_WITHOUT_A_TOKEN = ("gen_ai.latency.e2e", "gen_ai.latency.time_in_queue", "gen_ai.latency.time_in_model_inference")
_FIRST_CHUNK = wire.double_parts(["gen_ai.response.time_to_first_chunk"])[0]
_pack_first_chunk = wire.doubles_layout(["gen_ai.response.time_to_first_chunk"]).pack
_ENGINE_OPENING = wire.SpanOpening("llm_request", SERVER_KIND)
_HEX_ID = "0" * 32
_CALL_ID = wire.span_attribute("litellm.call_id", _HEX_ID)[:-32]
_CONVERSATION_ID = wire.span_attribute("gen_ai.conversation.id", _HEX_ID)[:-32]
_RESPONSE_ID = wire.span_attribute("gen_ai.response.id", f"chatcmpl-{_HEX_ID}")[:-32]
_ENGINE_REQUEST_ID = wire.span_attribute("gen_ai.request.id", f"chatcmpl-{_HEX_ID}")[:-32]

_resend_count = wire.integer_writer("http.request.resend_count")
_input_tokens = wire.integer_writer("gen_ai.usage.input_tokens")
_cached_tokens = wire.integer_writer("gen_ai.usage.cache_read.input_tokens")
_output_tokens = wire.integer_writer("gen_ai.usage.output_tokens")
_prompt_tokens = wire.integer_writer("gen_ai.usage.prompt_tokens")
_completion_tokens = wire.integer_writer("gen_ai.usage.completion_tokens")
_max_tokens = wire.integer_writer("gen_ai.request.max_tokens")


class SpanWriter:
    """Writes the spans of a fleet's requests; equal plans give equal bytes."""

    def __init__(self, plan: FleetPlan, identifiers: Identifiers) -> None:
        self.plan = plan
        self._origin_ns = plan.origin_ns
        self._opens_ns, self._closes_ns = plan.origin_ns - GATEWAY_BEFORE_NS, plan.origin_ns + GATEWAY_AFTER_NS
        self._openings = [wire.SpanOpening(f"chat {model.name}", SERVER_KIND) for model in plan.models]
        self._asked: dict[tuple[int, int, bool, float, int], bytes] = {}
        self._answers = [tuple(_answer(model.name, reason) for reason in ("stop", "length")) for model in plan.models]
        self._conversation_of = lru_cache(maxsize=1 << 14)(identifiers.of_conversation)

    def gateway(self, request: Request, ids: Ids) -> bytes:
        """The gateway's span of a finished request."""
        is_answering = request.is_streamed and request.tokens > 0
        return b"".join(
            (
                self._openings[request.model].root(
                    ids.trace_id,
                    ids.gateway_span_id,
                    self._opens_ns + int(request.arrival_s * _NS),
                    self._closes_ns + int(request.ended_s * _NS),
                ),
                self._what_was_asked(request),
                ids.request_id,
                self._conversation(request) if request.session >= 0 else b"",
                _resend_count(request.client_attempt) if request.client_attempt else b"",
                _first_chunk(request) if is_answering else b"",
                self._completion(request, ids)
                if request.end is _COMPLETED
                else _failure(request.end, is_answering=is_answering),
                ids.trace_state,
            )
        )

    def engine(self, request: Request, attempt: Request | Attempt, ids: Ids, span_id: bytes) -> bytes:
        """The `llm_request` span of an attempt that its engine finished itself: COMPLETED or ENGINE_ERROR.

        attempt  the request itself for its last one
        """
        clock_ns = self._origin_ns + attempt.skew_ns
        return b"".join(
            (
                _ENGINE_OPENING.child(
                    ids.trace_id,
                    span_id,
                    ids.gateway_span_id,
                    clock_ns + int(attempt.forwarded_s * _NS),
                    clock_ns + int(attempt.ended_s * _NS),
                ),
                _latencies(attempt),
                _prompt_tokens(request.prompt_tokens),
                _completion_tokens(int(attempt.tokens)),
                self._engine_parameters(request),
                ids.request_id,
                ids.trace_state,
            )
        )

    def _what_was_asked(self, request: Request) -> bytes:
        key = (request.model, request.tenant, request.is_streamed, request.temperature, request.max_tokens)
        known = self._asked.get(key)
        if known is None:
            known = self._asked[key] = wire.span_attributes(self._request_attributes(request)) + _CALL_ID
        return known

    def _request_attributes(self, request: Request) -> dict[str, wire.AttributeValue]:
        tenant = self.plan.tenants[request.tenant]
        attributes: dict[str, wire.AttributeValue] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "hosted_vllm",
            "gen_ai.request.model": self.plan.models[request.model].name,
            "gen_ai.request.temperature": request.temperature,
            "http.request.method": "POST",
            "http.route": "/v1/chat/completions",
            "tenant.id": tenant.name,
            "peakline.service_tier": tenant.service_tier,
        }
        if request.is_streamed:
            attributes["gen_ai.request.stream"] = True
        if request.max_tokens:
            attributes["gen_ai.request.max_tokens"] = request.max_tokens
        return attributes

    def _conversation(self, request: Request) -> bytes:
        return _CONVERSATION_ID + self._conversation_of(request.session)

    def _completion(self, request: Request, ids: Ids) -> bytes:
        return b"".join(
            (
                _input_tokens(request.prompt_tokens),
                _cached_tokens(request.cached_tokens),
                _output_tokens(int(request.tokens)),
                self._answers[request.model][request.is_cut],
                ids.request_id,
            )
        )

    def _engine_parameters(self, request: Request) -> bytes:
        """Only truthy values leave vLLM; without a limit from the caller it fills in the room that is left."""
        room = self.plan.models[request.model].context_window - request.prompt_tokens
        return _max_tokens(min(request.max_tokens or room, room)) + _engine_tail(request.temperature)


def _answer(model: str, reason: str) -> bytes:
    """What every complete answer of a model tells, up to its response id."""
    told: dict[str, wire.AttributeValue] = {
        "http.response.status_code": 200,
        "gen_ai.response.model": model,
        "gen_ai.response.finish_reasons": (reason,),
        "peakline.served_by": "primary",
    }
    return wire.span_attributes(told) + wire.span_tail(0, ROOT_FLAGS) + _RESPONSE_ID


@cache
def _failure(end: End, *, is_answering: bool) -> bytes:
    """How a request failed; an answer that had begun has its status 200 for good."""
    told: dict[str, wire.AttributeValue] = {
        "http.response.status_code": 200 if is_answering else end.status,
        "error.type": ERROR_TYPES[end],
    }
    status = ERROR_STATUS if end.status >= _HTTP_SERVER_ERROR else 0
    return wire.span_attributes(told) + wire.span_tail(status, ROOT_FLAGS)


@lru_cache(maxsize=1 << 10)
def _engine_tail(temperature: float) -> bytes:
    """What follows max_tokens, up to the request id."""
    warm: dict[str, wire.AttributeValue] = {"gen_ai.request.temperature": temperature, "gen_ai.request.top_p": TOP_P}
    told: dict[str, wire.AttributeValue] = {**(warm if temperature else {}), "gen_ai.request.n": 1}
    return wire.span_attributes(told) + wire.span_tail(0, REMOTE_PARENT_FLAGS) + _ENGINE_REQUEST_ID


def _latencies(attempt: Request | Attempt) -> bytes:
    arrival, end = attempt.forwarded_s, attempt.ended_s
    scheduled, first = attempt.scheduled_s, attempt.first_token_s
    if first < 0.0:
        told = zip(_WITHOUT_A_TOKEN, (end - arrival, scheduled - arrival, end - scheduled), strict=True)
        return wire.span_attributes(dict(told))
    parts = _LATENCY_PARTS
    return _pack_latencies(
        *(parts[0], first - arrival, parts[1], end - arrival, parts[2], scheduled - arrival),
        *(parts[3], first - scheduled, parts[4], end - first, parts[5], end - scheduled),
    )


def _first_chunk(request: Request) -> bytes:
    return _pack_first_chunk(_FIRST_CHUNK, request.first_token_s - request.arrival_s)
