"""A finished request as spans: the gateway's SERVER span and, when the engine finished it, vLLM's `llm_request`.

As in real clusters (see the engine notes in the documentation): the engine sends one span per request that it
finished itself, without status, model name or finish reason; it sends nothing for what was refused, timed out
or left by its client. The gateway's span tells how those ended.
"""

from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from loadtest.fleet import wire
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import End, Request

SERVER_KIND = 2
ROOT_FLAGS, REMOTE_PARENT_FLAGS = 0x100, 0x300
ERROR_STATUS = 2
GATEWAY_BEFORE_NS, GATEWAY_AFTER_NS = 900_000, 1_400_000
TOP_P = 0.95
ERROR_TYPES = {
    End.CONTEXT_TOO_LONG: "ContextWindowExceededError",
    End.RATE_LIMITED: "RateLimitError",
    End.CLIENT_GONE: "CancelledError",
    End.ENGINE_ERROR: "InternalServerError",
    End.OVERLOADED: "ServiceUnavailableError",
    End.TIMED_OUT: "Timeout",
}
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
_FIRST_CHUNK = wire.double_parts(["gen_ai.response.time_to_first_chunk"])[0]
_pack_first_chunk = wire.doubles_layout(["gen_ai.response.time_to_first_chunk"]).pack
_ENGINE_NAME = wire.span_name("llm_request", SERVER_KIND)
_ENGINE_TAIL = wire.span_tail(0, REMOTE_PARENT_FLAGS)
_HEX_ID = "0" * 32
_CALL_ID = wire.span_attribute("litellm.call_id", _HEX_ID)[:-32]
_RESPONSE_ID = wire.span_attribute("gen_ai.response.id", f"chatcmpl-{_HEX_ID}")[:-32]
_ENGINE_REQUEST_ID = wire.span_attribute("gen_ai.request.id", f"chatcmpl-{_HEX_ID}")[:-32]
_N_IS_ONE = wire.span_attribute("gen_ai.request.n", 1)

attribute = lru_cache(maxsize=1 << 17)(wire.span_attribute)
"""Span attributes repeat (token counts, statuses); the cache holds each once."""


class Ids(NamedTuple):
    """Ids of one request; request_id is 32 hexadecimal digits in ASCII."""

    trace_id: bytes
    gateway_span_id: bytes
    engine_span_id: bytes
    request_id: bytes


class SpanWriter:
    """Writes the spans of a fleet; equal plans give equal bytes."""

    def __init__(self, plan: FleetPlan) -> None:
        self.plan = plan
        self._id_key = blake2b(f"{plan.seed} {plan.origin_ns}".encode(), digest_size=32).digest()
        self._names = [wire.span_name(f"chat {model.name}", SERVER_KIND) for model in plan.models]
        self._asked: dict[tuple[int, int, bool, float, int], bytes] = {}

    def ids(self, request: Request) -> Ids:
        """Ids of a request: a hash of the plan's seed and origin and the request's number."""
        digest = blake2b(request.number.to_bytes(8, "little"), key=self._id_key, digest_size=48).digest()
        return Ids(digest[:16], digest[16:24], digest[24:32], digest[32:].hex().encode())

    def gateway(self, request: Request, ids: Ids) -> bytes:
        """The gateway's span of a finished request."""
        streaming = request.is_streamed and request.tokens > 0
        status = 200 if streaming else request.end.value
        has_failed = request.end.value >= _HTTP_SERVER_ERROR
        return b"".join(
            (
                wire.span_head(ids.trace_id, ids.gateway_span_id),
                self._names[request.model],
                wire.span_times(
                    self._ns(request.arrival_s) - GATEWAY_BEFORE_NS, self._ns(request.ended_s) + GATEWAY_AFTER_NS
                ),
                self._what_was_asked(request),
                _CALL_ID,
                ids.request_id,
                attribute("http.response.status_code", status),
                _first_chunk(request) if streaming else b"",
                self._answer(request, ids)
                if request.end is End.COMPLETED
                else attribute("error.type", ERROR_TYPES[request.end]),
                wire.span_tail(ERROR_STATUS if has_failed else 0, ROOT_FLAGS),
            )
        )

    def engine(self, request: Request, ids: Ids) -> bytes:
        """The `llm_request` span of a request that it finished itself; empty when it did not."""
        if request.end is not End.COMPLETED and request.end is not End.ENGINE_ERROR:
            return b""
        arrival, scheduled, first, end = (
            request.forwarded_s,
            request.scheduled_s,
            request.first_token_s,
            request.ended_s,
        )
        parts = _LATENCY_PARTS
        return b"".join(
            (
                wire.span_head(ids.trace_id, ids.engine_span_id),
                b"\x22\x08",
                ids.gateway_span_id,
                _ENGINE_NAME,
                wire.span_times(self._ns(arrival), self._ns(end)),
                _pack_latencies(
                    *(parts[0], first - arrival, parts[1], end - arrival, parts[2], scheduled - arrival),
                    *(parts[3], first - scheduled, parts[4], end - first, parts[5], end - scheduled),
                ),
                attribute("gen_ai.usage.prompt_tokens", request.prompt_tokens),
                attribute("gen_ai.usage.completion_tokens", int(request.tokens)),
                _ENGINE_REQUEST_ID,
                ids.request_id,
                self._engine_parameters(request),
                _ENGINE_TAIL,
            )
        )

    def _ns(self, seconds: float) -> int:
        return self.plan.origin_ns + int(seconds * 1_000_000_000)

    def _what_was_asked(self, request: Request) -> bytes:
        key = (request.model, request.tenant, request.is_streamed, request.temperature, request.max_tokens)
        known = self._asked.get(key)
        if known is None:
            known = self._asked[key] = wire.span_attributes(self._request_attributes(request))
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

    def _answer(self, request: Request, ids: Ids) -> bytes:
        return b"".join(
            (
                attribute("gen_ai.response.model", self.plan.models[request.model].name),
                _RESPONSE_ID,
                ids.request_id,
                attribute("gen_ai.response.finish_reasons", ("length" if ended_at_limit(request) else "stop",)),
                attribute("gen_ai.usage.input_tokens", request.prompt_tokens),
                attribute("gen_ai.usage.output_tokens", int(request.tokens)),
                attribute("peakline.served_by", "primary"),
            )
        )

    def _engine_parameters(self, request: Request) -> bytes:
        """Only truthy values leave vLLM; without a limit from the caller it fills in the room that is left."""
        room = self.plan.models[request.model].context_window - request.prompt_tokens
        limit = attribute("gen_ai.request.max_tokens", min(request.max_tokens or room, room))
        if not request.temperature:
            return limit + _N_IS_ONE
        warm = attribute("gen_ai.request.temperature", request.temperature) + attribute("gen_ai.request.top_p", TOP_P)
        return warm + limit + _N_IS_ONE


def ended_at_limit(request: Request) -> bool:
    """Whether generation stopped at max_tokens or at the context window instead of by itself."""
    return request.is_cut and request.tokens >= request.output_tokens


def _first_chunk(request: Request) -> bytes:
    return _pack_first_chunk(_FIRST_CHUNK, request.first_token_s - request.arrival_s)
