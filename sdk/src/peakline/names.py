"""Attribute names: the current OpenTelemetry GenAI ones, and Peakline's own where OpenTelemetry has none."""

from __future__ import annotations

from enum import Enum
from typing import TypedDict


class Role(str, Enum):
    """What the instrumented process is on the way of a request."""

    CLIENT = "client"
    GATEWAY = "gateway"
    ROUTER = "router"
    ENGINE = "engine"
    PREFILL = "prefill"
    DECODE = "decode"


class Decoding(TypedDict, total=False):
    """Decoding parameters as the caller sent them; leave out what it left out, unknown is not a default."""

    temperature: float
    top_p: float
    top_k: int
    min_p: float
    repetition_penalty: float
    frequency_penalty: float
    presence_penalty: float
    seed: int
    max_tokens: int
    choice_count: int
    stream: bool
    response_format: str
    reasoning_level: str


DECODING: dict[str, str] = {
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "top_k": "gen_ai.request.top_k",
    "min_p": "gen_ai.request.min_p",
    "repetition_penalty": "gen_ai.request.repetition_penalty",
    "frequency_penalty": "gen_ai.request.frequency_penalty",
    "presence_penalty": "gen_ai.request.presence_penalty",
    "seed": "gen_ai.request.seed",
    "max_tokens": "gen_ai.request.max_tokens",
    "choice_count": "gen_ai.request.choice.count",
    "stream": "gen_ai.request.stream",
    "response_format": "gen_ai.output.type",
    "reasoning_level": "gen_ai.request.reasoning.level",
}
"""Span attribute of every decoding parameter."""

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_ID = "gen_ai.request.id"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
FIRST_CHUNK_S = "gen_ai.response.time_to_first_chunk"
FIRST_TOKEN_S = "gen_ai.latency.time_to_first_token"  # noqa: S105  # a name, no secret
QUEUE_S = "gen_ai.latency.time_in_queue"
PREFILL_S = "gen_ai.latency.time_in_model_prefill"
DECODE_S = "gen_ai.latency.time_in_model_decode"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
HTTP_STATUS = "http.response.status_code"
ERROR_TYPE = "error.type"
TENANT = "tenant.id"
SERVICE_TIER = "peakline.service_tier"
HOP_ROLE = "peakline.hop_role"
