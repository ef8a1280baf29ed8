"""Raw attribute values to canonical ones, one value at a time: for texts, lists and everything unusual.

Callers convert distinct values only; plain numbers take a vectorised way and never come here.
"""

import math
import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import orjson

from collector.otlp.alias_tables import Convert, Source
from collector.otlp.privacy import Privacy
from collector.otlp.remember import remembered
from collector.otlp.values import Plain
from vocabulary.fields import Kind

TEXT_MAX = 256
INTEGER_DIGITS = 19
NUMBER_CHARS = 64
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_DEBUG = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ns|µs|us|ms|s)")
_DEBUG_UNITS = {"ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_BLANK = frozenset({"", "None", "null", "nan", "NaN"})
_FINISH = {
    "eos_token": "stop",
    "stop_sequence": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "max_tokens": "length",
    "max_new_tokens": "length",
    "function_call": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "cancelled": "abort",
    "canceled": "abort",
    "aborted": "abort",
}
_PATHS = (
    ("chat/completions", "chat"),
    ("completions", "text_completion"),
    ("embeddings", "embeddings"),
    ("responses", "chat"),
    ("messages", "chat"),
    ("generate_stream", "text_completion"),
    ("generate", "text_completion"),
)
_CALLS = {"completion": "chat", "text_completion": "text_completion", "embedding": "embeddings", "responses": "chat"}
_GRPC_TO_HTTP = {0: 200, 1: 499, 3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 12: 501, 13: 500, 14: 503, 16: 401}

Canonical = str | int | float | bool


def convert(source: Source, value: Plain, privacy: Privacy) -> Canonical | None:
    """Canonical value in canonical units, None where the raw value holds none."""
    raw = _json_member(value, source.json_key) if source.json_key else value
    if raw is None:
        return None
    if source.convert in {Convert.PSEUDONYM, Convert.TENANT}:
        return _caller(source.convert, raw, privacy)
    converted = _CONVERSIONS[source.convert](raw) if source.convert else raw
    match source.field.kind:
        case Kind.TEXT:
            return _text(converted, source.values, privacy)
        case Kind.FLAG:
            return _flag(converted)
        case Kind.INTEGER:
            number = _number(converted, source.scale)
            return int(number) if number is not None and abs(number) < 2**63 and number == int(number) else None
        case Kind.NUMBER:
            return _number(converted, source.scale)


def _json_member(value: Plain, key: str) -> Plain:
    if isinstance(value, dict):
        return value.get(key)
    return _json_object(value).get(key) if isinstance(value, str) else None


@remembered(1 << 10)
def _json_object(text: str) -> Mapping[str, Plain]:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _caller(how: Convert, raw: Plain, privacy: Privacy) -> str | None:
    text = _text(raw, {}, privacy)
    if text is None:
        return None
    return privacy.pseudonym(text) if how is Convert.PSEUDONYM or "@" in text else text


def _text(value: Plain, values: Mapping[str, str], privacy: Privacy) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if not isinstance(value, str) or value in _BLANK:
        return None
    return values.get(value, privacy.clean_text(value)[:TEXT_MAX])


def _flag(value: Plain) -> bool | None:
    match value:
        case bool():
            return value
        case 0 | 1:
            return bool(value)
        case str() if value.lower() in {"true", "false"}:
            return value.lower() == "true"
        case _:
            return None


def _number(value: Plain, scale: float) -> float | int | None:
    match value:
        case bool():
            return None
        case int():
            return value * scale if scale != 1.0 else value
        case float():
            return value * scale if math.isfinite(value) else None
        case str():
            return _number(_parsed(value), scale)
        case _:
            return None


def _parsed(text: str) -> Plain:
    stripped = text.strip()
    try:
        is_whole = len(stripped) <= INTEGER_DIGITS and stripped.lstrip("+-").isdecimal()
        return int(stripped) if is_whole else float(stripped[:NUMBER_CHARS])
    except ValueError:
        return None


def _finish_reason(value: Plain) -> Plain:
    found = _decoded_list(value)
    if isinstance(found, list):
        found = found[0] if found else None
    if isinstance(found, dict):
        found = found.get("type")
    if not isinstance(found, str):
        return None
    return _FINISH.get(found.lower(), found.lower()[:40])


def _decoded_list(value: Plain) -> Plain:
    if isinstance(value, str) and value[:1] in {"[", "{"}:
        try:
            decoded: Plain = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
        return decoded
    return value


def _count(value: Plain) -> Plain:
    found = _decoded_list(value)
    return len(found) if isinstance(found, list) else 1


def _format(value: Plain) -> Plain:
    found = _decoded_list(value)
    return found.get("type") if isinstance(found, dict) else found


def _path(value: Plain) -> Plain:
    if not isinstance(value, str):
        return None
    try:
        return urlsplit(value).path
    except ValueError:
        return None


def _operation_of_path(value: Plain) -> Plain:
    path = str(_path(value) or "").rstrip("/")
    return next((operation for piece, operation in _PATHS if path.endswith(piece)), None)


def _call_type(value: Plain) -> Plain:
    return _CALLS.get(value.removeprefix("a"), value) if isinstance(value, str) else None


def _debug(value: Plain) -> Plain:
    found = _DEBUG.fullmatch(value.strip()) if isinstance(value, str) else None
    return float(found[1]) * _DEBUG_UNITS[found[2]] if found else None


def _option(value: Plain) -> Plain:
    return value.removeprefix("Some(").removesuffix(")") if isinstance(value, str) else value


def _instance(*, is_random: bool) -> Callable[[Plain], Plain]:
    def chosen(value: Plain) -> Plain:
        matches = isinstance(value, str) and bool(_UUID.fullmatch(value))
        return value if matches is is_random else None

    return chosen


_CONVERSIONS: dict[Convert, Callable[[Plain], Plain]] = {
    Convert.ADDRESS: lambda value: value,
    Convert.CACHE_HIT: lambda value: "cache" if _flag(value) else None,
    Convert.CALL_TYPE: _call_type,
    Convert.COUNT: _count,
    Convert.DEBUG: _debug,
    Convert.FINISH_REASON: _finish_reason,
    Convert.FORMAT: _format,
    Convert.GRPC_STATUS: lambda value: _GRPC_TO_HTTP.get(value) if isinstance(value, int) else None,
    Convert.JSON_SCHEMA: lambda _value: "json_schema",
    Convert.OPERATION_OF_KIND: lambda value: "embeddings" if value == "EMBEDDING" else None,
    Convert.OPERATION_OF_PATH: _operation_of_path,
    Convert.OPTION: _option,
    Convert.PATH: _path,
    Convert.SERVICE: lambda value: None if str(value).startswith("unknown_service") else value,
    Convert.STABLE_INSTANCE: _instance(is_random=False),
    Convert.UNSTABLE_INSTANCE: _instance(is_random=True),
}
