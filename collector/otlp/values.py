"""Nested attribute values as plain Python values and as JSON text."""

import base64
import math
from collections.abc import Iterable
from functools import lru_cache

import orjson
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

SMALL = 64  # bytes; larger items are not remembered
Plain = str | bool | int | float | bytes | list["Plain"] | dict[str, "Plain"] | None


def plain(value: AnyValue) -> Plain:
    """A decoded value; an empty one and a string-table index (no table exists in traces) are None."""
    match value.WhichOneof("value"):
        case "array_value":
            return [plain(item) for item in value.array_value.values]
        case "kvlist_value":
            return {item.key: plain(item.value) for item in value.kvlist_value.values}
        case None | "string_value_strindex":
            return None
        case member:
            found: str | bool | int | float | bytes = getattr(value, member)
            return found


def array_of(items: Iterable[bytes]) -> list[Plain]:
    """Items of an array value as ptars leaves them: one serialised AnyValue each."""
    return [_item(item) for item in items]


def map_of(items: Iterable[bytes]) -> dict[str, Plain]:
    """Items of a map value as ptars leaves them: one serialised KeyValue each; the last of equal keys wins."""
    pairs = (KeyValue.FromString(item) for item in items)
    return {pair.key: plain(pair.value) for pair in pairs}


def to_json(value: Plain) -> str:
    """JSON text; bytes become {"base64": …}, NaN and the infinities become strings."""
    return orjson.dumps(_jsonable(value)).decode()


@lru_cache(maxsize=1 << 12)
def _scalar(item: bytes) -> Plain:
    return plain(AnyValue.FromString(item))


def _item(item: bytes) -> Plain:
    return _scalar(item) if len(item) < SMALL and item[:1] == b"\n" else plain(AnyValue.FromString(item))


def _jsonable(value: Plain) -> object:
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case bytes():
            return {"base64": base64.b64encode(value).decode()}
        case list():
            return [_jsonable(item) for item in value]
        case dict():
            return {key: _jsonable(item) for key, item in value.items()}
        case _:
            return value
