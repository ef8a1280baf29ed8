"""Nested values as plain Python and as JSON."""

import json

from collector.otlp.values import array_of, map_of, plain, to_json
from tests.factories.otlp import attributes, value

NESTED = {"a": [1, "two", None, {"b": True}], "c": 0.5}


def test_nesting_survives() -> None:
    assert plain(value(NESTED)) == NESTED


def test_serialised_items_are_read() -> None:
    items = [value(item).SerializeToString() for item in ("x", 3, [1.5], "y" * 100)]
    assert array_of(items) == ["x", 3, [1.5], "y" * 100]
    pairs = [pair.SerializeToString() for pair in [*attributes({"k": 1, "l": "x"}), *attributes({"k": 2})]]
    assert map_of(pairs) == {"k": 2, "l": "x"}, "the last of equal keys wins"


def test_json_knows_bytes_and_numbers_that_json_does_not() -> None:
    found = json.loads(to_json({"bytes": b"\x00\xff", "nan": [float("nan"), float("-inf")], "big": 2**63 - 1}))
    assert found == {"bytes": {"base64": "AP8="}, "nan": ["nan", "-inf"], "big": 2**63 - 1}


def test_an_empty_value_is_nothing() -> None:
    assert plain(value(None)) is None
    assert plain(value([])) == []
    assert plain(value({})) == {}
