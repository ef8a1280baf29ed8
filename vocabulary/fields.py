"""Canonical request fields: the columns that every emitter's names are mapped to.

Unknown is NULL, never 0. Durations are seconds, tokens are integers, times are nanoseconds since the epoch.
"""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Value type of a canonical field."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    FLAG = "flag"


class Preference(StrEnum):
    """Which hop is asked first when several hops of a request know a field."""

    ENGINE = "engine"
    GATEWAY = "gateway"


@dataclass(frozen=True, slots=True)
class Field:
    """One canonical column of a span and of a request.

    name        column name, unit last where it has one
    kind        value type
    prefer      whose view wins in the request record
    sentence    what it means, shown in the documentation and as help in the dashboard
    summed      True for token counts, which are added over attempts of the winning role
    repeats     True where few distinct values occur, so the store keeps a dictionary
    """

    name: str
    kind: Kind
    prefer: Preference
    sentence: str
    summed: bool = False
    repeats: bool = False


def _text(name: str, prefer: Preference, sentence: str, *, repeats: bool = True) -> Field:
    return Field(name, Kind.TEXT, prefer, sentence, repeats=repeats)


def _integer(name: str, prefer: Preference, sentence: str, *, summed: bool = False) -> Field:
    return Field(name, Kind.INTEGER, prefer, sentence, summed=summed)


def _number(name: str, prefer: Preference, sentence: str) -> Field:
    return Field(name, Kind.NUMBER, prefer, sentence)


_E = Preference.ENGINE
_G = Preference.GATEWAY

IDENTITY: tuple[Field, ...] = (
    _text("service", _G, "Service name the callers reach; half of the pool."),
    _text("service_namespace", _G, "Namespace of the service."),
    _text("environment", _G, "Deployment environment, for example production."),
    _text("model_requested", _G, "Model name the caller asked for; the served name, half of the pool."),
    _text("model_id", _E, "Model that answered; differs from the requested one for aliases and adapters."),
    _text("model_revision", _E, "Revision of the weights."),
    _text("quantization", _E, "Weight quantization, for example fp8."),
    _text("dtype", _E, "Compute type, for example bfloat16."),
    _text("framework", _E, "Inference engine, for example vllm."),
    _text("framework_version", _E, "Version of the inference engine."),
    _text("replica", _E, "Serving instance that answered."),
    _text("node", _E, "Host of the replica."),
    _text("rack", _E, "Rack or cabinet of the node."),
    _text("zone", _E, "Availability zone of the node."),
    _text("accelerator", _E, "Accelerator model of the replica."),
)

REQUEST: tuple[Field, ...] = (
    _text("request_id", _G, "Id the emitter gave the request; may be absent or repeat.", repeats=False),
    _text("tenant", _G, "Who called, hashed when it names a person or a key."),
    _text("service_tier", _G, "Business class: core, general, batch or free text."),
    _text("operation", _G, "Kind of inference: chat, text_completion, embeddings."),
    _text("endpoint", _G, "Route the caller used."),
    Field("stream", Kind.FLAG, _G, "Whether the answer was streamed."),
    _text("served_by", _G, "Who answered: primary, fallback, local or cache."),
    _integer("retries", _G, "Attempts after the first."),
)

DECODING: tuple[Field, ...] = (
    _number("temperature", _G, "Sampling temperature; unknown is not 1."),
    _number("top_p", _G, "Nucleus sampling mass."),
    _integer("top_k", _G, "Number of candidate tokens kept."),
    _number("min_p", _G, "Minimum relative probability kept."),
    _number("repetition_penalty", _G, "Multiplicative repetition penalty."),
    _number("frequency_penalty", _G, "Additive frequency penalty."),
    _number("presence_penalty", _G, "Additive presence penalty."),
    _integer("seed", _G, "Sampling seed."),
    _integer("max_tokens", _G, "Most output tokens the caller asked for."),
    _integer("choice_count", _G, "Answers asked for at once."),
    _integer("stop_count", _G, "Number of stop sequences; their text is not kept."),
    _text("response_format", _G, "Requested output type, for example json_schema."),
    _text("reasoning_level", _G, "Requested reasoning effort."),
)

TOKENS: tuple[Field, ...] = (
    _integer("input_tokens", _E, "Prompt tokens, cached ones included.", summed=True),
    _integer("cached_tokens", _E, "Prompt tokens read from a cache.", summed=True),
    _integer("cache_write_tokens", _E, "Prompt tokens written to a cache.", summed=True),
    _integer("output_tokens", _E, "Tokens generated.", summed=True),
    _integer("reasoning_tokens", _E, "Generated tokens spent on reasoning.", summed=True),
    _integer("context_window", _E, "Longest context the replica accepts, in tokens."),
)

RESULT: tuple[Field, ...] = (
    _text("finish_reason", _E, "Why generation stopped: stop, length, tool_calls, content_filter, abort, error."),
    _integer("http_status", _G, "HTTP status the caller saw."),
    _text("error_type", _G, "Error class: rate_limited, overloaded, timeout, context_length, engine_error and so on."),
    _text("stated_outcome", _G, "Outcome that the sender states itself; imports use it."),
)

TIMES: tuple[Field, ...] = (
    _number("queue_s", _E, "Seconds from arrival at the engine to first scheduling."),
    _number("gateway_queue_s", _G, "Seconds held at the gateway before forwarding."),
    _number("prefill_s", _E, "Seconds from scheduling to the first token."),
    _number("decode_s", _E, "Seconds from the first to the last token."),
    _number("kv_transfer_s", _E, "Seconds spent moving KV cache between prefill and decode."),
    _number("server_ttft_s", _E, "Seconds from arrival at the engine to the first token."),
    _number("client_ttft_s", _G, "Seconds until the caller saw the first chunk."),
    _number("engine_e2e_s", _E, "Seconds from arrival to the last token, as the engine tells."),
)

ORIGIN: tuple[Field, ...] = (
    _text("import_id", _G, "Import that brought the row; empty for live traffic.", repeats=True),
    _integer("import_row", _G, "Row of the import's source, from 0."),
    _text("load_test", _G, "Load test the request belongs to; such requests stay outside production tiers."),
    _integer("load_test_step", _G, "Step of the load test, from 0."),
    _number("offered_rps", _G, "Offered rate of the load-test step, requests per second."),
)

CANONICAL: tuple[Field, ...] = IDENTITY + REQUEST + DECODING + TOKENS + RESULT + TIMES + ORIGIN
"""Every canonical field, in column order."""

BY_NAME: dict[str, Field] = {field.name: field for field in CANONICAL}
