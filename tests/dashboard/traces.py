"""The trace of a request: gateway, router, cache look-up, engine, and fourteen decode steps."""

import json
from collections.abc import Iterator
from typing import Any

from tests.factories.stores import new_id
from vocabulary.pools import SECOND_NS

Row = dict[str, Any]
STEPS = 14
_GATEWAY_SOURCES = {
    "tenant": "metadata.user_api_key_team_id",
    "http_status": "http.response.status_code",
    "service_tier": "peakline.service_tier",
    "temperature": "gen_ai.request.temperature",
}
_ENGINE_SOURCES = {
    "input_tokens": "gen_ai.usage.prompt_tokens",
    "output_tokens": "gen_ai.usage.completion_tokens",
    "queue_s": "gen_ai.latency.time_in_queue",
    "prefill_s": "gen_ai.latency.time_in_model_prefill",
    "server_ttft_s": "gen_ai.latency.time_to_first_token",
    "model_id": "gen_ai.response.model",
    "replica": "service.instance.id",
}


def trace_of(row: Row) -> Iterator[Row]:
    """Spans of a request row; its root span is the row's own."""
    engine, router = new_id(8), new_id(8)
    yield _gateway(row)
    yield _span(row, 0.033, 0.975, "route", "router", span_id=router, parent_span_id=row["root_span_id"])
    yield _span(row, 0.01, 0.025, "GET cache", "dependency", parent_span_id=row["root_span_id"], is_inference=False)
    yield _engine(row, span_id=engine, parent_span_id=router)
    for step in range(STEPS):
        at = 0.375 + step * 0.025
        yield _span(row, at, at + 0.025, "decode_step", "other", parent_span_id=engine, is_inference=False)


def _span(row: Row, begin: float, end: float, name: str, role: str, **facts: Any) -> Row:
    """A span from one share of the request's duration to another."""
    start_ns, length_ns = row["anchor_ns"], row["end_ns"] - row["anchor_ns"]
    service = {"other": "engine", "dependency": "redis"}.get(role, role)
    return {
        "span_id": new_id(8),
        "trace_id": row["trace_id"],
        "start_ns": start_ns + int(length_ns * begin),
        "end_ns": start_ns + int(length_ns * end),
        "received_ns": row["end_ns"] + SECOND_NS,
        "name": name,
        "hop_role": role,
        "emitter": service,
        "service": row["service"],
        "model_requested": row["model"],
        "resource": json.dumps({"service.name": service, "deployment.environment.name": "production"}),
        **facts,
    }


def _gateway(row: Row) -> Row:
    is_error = row["outcome"] in {"failed", "timed_out"}
    told = {name: row[name] for name in _GATEWAY_SOURCES}
    facts = {
        "span_id": row["root_span_id"],
        "kind": 2,
        "status_code": 2 if is_error else 0,
        "status_message": "upstream failed" if is_error else "",
        "sources": json.dumps(_GATEWAY_SOURCES),
        "attr_text": [("http.request.method", "POST"), ("metadata.user_api_key_team_id", row["tenant"])],
        "attr_int": [("http.response.status_code", row["http_status"])],
        "attr_double": [("gen_ai.request.temperature", row["temperature"])],
        "scope_name": "litellm",
        "scope_version": "1.80.0",
        "event_times_ns": [row["end_ns"] - 1000] if is_error else [],
        "event_names": ["exception"] if is_error else [],
        "event_attributes": ['{"exception.type": "APIConnectionError"}'] if is_error else [],
    }
    return _span(row, 0, 1, "POST /v1/chat/completions", "gateway", **told, **facts)


def _engine(row: Row, **ids: bytes) -> Row:
    told = {name: row[name] for name in _ENGINE_SOURCES}
    facts = {
        "kind": 2,
        "sources": json.dumps(_ENGINE_SOURCES),
        "decode_s": round(row["decode_s"] * 0.8, 4),
        "attr_text": [("gen_ai.response.model", row["model_id"])],
        "attr_int": [("gen_ai.usage.prompt_tokens", row["input_tokens"])],
        "attr_double": [("gen_ai.latency.time_in_queue", row["queue_s"])],
        "attr_json": [("gen_ai.request.stop", '["</s>"]')],
        "scope_name": "vllm.llm_engine",
    }
    return _span(row, 0.125, 0.95, "llm_request", "engine", **ids, **told, **facts)
