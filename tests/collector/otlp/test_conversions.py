"""Odd raw values become canonical ones, or nothing."""

import pytest

from collector.otlp.alias_tables import Convert, Source
from collector.otlp.conversions import convert
from collector.otlp.privacy import Privacy
from collector.otlp.values import Plain
from vocabulary.fields import BY_NAME

PRIVACY = Privacy(b"salt")


def converted(field: str, raw: Plain, how: Convert = Convert.PLAIN, scale: float = 1.0, json_key: str = "") -> object:
    source = Source(1, BY_NAME[field], "name", convert=how, scale=scale, json_key=json_key)
    return convert(source, raw, PRIVACY)


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (7, 7),
        (7.0, 7),
        ("7", 7),
        (" 7 ", 7),
        ("7.0", 7),
        (7.5, None),
        ("seven", None),
        ("", None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        ("1e400", None),
        (2**64, None),
        ("9223372036854775807", 2**63 - 1),
        ("9" * 30, None),
        (b"7", None),
        ([7], None),
        (None, None),
    ],
)
def test_an_integer(raw: Plain, wanted: int | None) -> None:
    assert converted("input_tokens", raw) == wanted


@pytest.mark.parametrize(
    ("raw", "wanted"), [(True, True), ("True", True), ("false", False), (1, True), (2, None), ("yes", None)]
)
def test_a_flag(raw: Plain, wanted: object) -> None:
    assert converted("stream", raw) is wanted


@pytest.mark.parametrize(
    ("raw", "wanted"), [("None", None), ("", None), (3, "3"), (True, "true"), ("x" * 999, "x" * 256)]
)
def test_a_text(raw: Plain, wanted: str | None) -> None:
    assert converted("model_id", raw) == wanted


def test_milliseconds_become_seconds() -> None:
    assert converted("prefill_s", 250, scale=1e-3) == 0.25
    assert converted("prefill_s", "250", scale=1e-3) == 0.25


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [("1.5ms", 0.0015), ("12µs", 1.2e-05), ("2.1s", 2.1), ("7ns", 7e-9), ("soon", None), ("1.2.3s", None)],
)
def test_a_duration_in_rust_debug_text(raw: str, wanted: float | None) -> None:
    assert converted("queue_s", raw, Convert.DEBUG) == (None if wanted is None else pytest.approx(wanted))


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (["stop"], "stop"),
        ('["length"]', "length"),
        ("eos_token", "stop"),
        ("END_TURN", "stop"),
        (["max_tokens", "stop"], "length"),
        ("function_call", "tool_calls"),
        ("tool_use", "tool_calls"),
        ("cancelled", "abort"),
        ("content_filter", "content_filter"),
        ({"type": "length"}, "length"),
        ([], None),
        ("[broken", None),
        (3, None),
    ],
)
def test_a_finish_reason(raw: Plain, wanted: str | None) -> None:
    assert converted("finish_reason", raw, Convert.FINISH_REASON) == wanted


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("/v1/chat/completions?api_key=x", "/v1/chat/completions"),
        ("https://host:1/v1/x", "/v1/x"),
        ("", None),
        (3, None),
    ],
)
def test_a_path_has_no_query(raw: Plain, wanted: str | None) -> None:
    assert converted("endpoint", raw, Convert.PATH) == wanted


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("/v1/chat/completions", "chat"),
        ("/v1/completions/", "text_completion"),
        ("/v1/embeddings", "embeddings"),
        ("/health", None),
    ],
)
def test_an_operation_by_its_path(raw: str, wanted: str | None) -> None:
    assert converted("operation", raw, Convert.OPERATION_OF_PATH) == wanted


@pytest.mark.parametrize(("raw", "wanted"), [(["a", "b"], 2), ('["a"]', 1), ("a", 1), ([], 0)])
def test_stop_sequences_are_counted(raw: Plain, wanted: int) -> None:
    assert converted("stop_count", raw, Convert.COUNT) == wanted


def test_parameters_in_a_json_text() -> None:
    text = '{"temperature": 0.5, "stream": true, "response_format": {"type": "json_schema"}}'
    assert converted("temperature", text, json_key="temperature") == 0.5
    assert converted("stream", text, json_key="stream") is True
    assert converted("response_format", text, Convert.FORMAT, json_key="response_format") == "json_schema"
    assert converted("top_p", text, json_key="top_p") is None
    assert converted("top_p", "no JSON", json_key="top_p") is None


def test_an_optional_number_in_rust_debug_text() -> None:
    assert converted("seed", "Some(42)", Convert.OPTION) == 42
    assert converted("seed", "None", Convert.OPTION) is None


@pytest.mark.parametrize(("raw", "wanted"), [(14, 503), (8, 429), (4, 504), (99, None), ("x", None)])
def test_a_grpc_status(raw: Plain, wanted: int | None) -> None:
    assert converted("http_status", raw, Convert.GRPC_STATUS) == wanted


def test_a_team_is_kept_and_a_person_is_not() -> None:
    assert converted("tenant", "team-a", Convert.TENANT) == "team-a"
    assert str(converted("tenant", "ann@example.com", Convert.TENANT)).startswith("user:")
    assert str(converted("tenant", "ann", Convert.PSEUDONYM)).startswith("user:")


def test_only_a_random_instance_id_is_unstable() -> None:
    random_id = "0f8fad5b-d9cb-469f-a165-70867728950e"
    assert converted("replica", random_id, Convert.STABLE_INSTANCE) is None
    assert converted("replica", random_id, Convert.UNSTABLE_INSTANCE) == random_id
    assert converted("replica", "pod-1", Convert.STABLE_INSTANCE) == "pod-1"


def test_a_secret_is_masked_in_a_canonical_text() -> None:
    assert "sk-" not in str(converted("model_id", "sk-abcdefghijklmnopqrst"))


@pytest.mark.parametrize(
    ("raw", "wanted"), [("acompletion", "chat"), ("aembedding", "embeddings"), ("rerank", "rerank")]
)
def test_a_litellm_call_type(raw: str, wanted: str) -> None:
    assert converted("operation", raw, Convert.CALL_TYPE) == wanted


def test_small_conversions() -> None:
    assert converted("served_by", "True", Convert.CACHE_HIT) == "cache"
    assert converted("served_by", "False", Convert.CACHE_HIT) is None
    assert converted("service", "unknown_service:python", Convert.SERVICE) is None
    assert converted("operation", "EMBEDDING", Convert.OPERATION_OF_KIND) == "embeddings"
    assert converted("response_format", "{…}", Convert.JSON_SCHEMA) == "json_schema"
