"""What has no column of its own is kept in typed maps, within bounds."""

import json

import pyarrow as pa

from collector.otlp.pivot import ATTRIBUTES_MAX, TEXT_BYTES_MAX, shortened, with_braces
from tests.factories.otlp import attributes, request, row, rows, span


def test_every_type_has_its_map() -> None:
    found = row(
        span(attributes={"t": "x", "i": 3, "d": 0.5, "b": False, "y": b"\x01", "a": [1], "m": {"k": 2}, "e": None})
    )
    assert (found["attr_text"], found["attr_int"], found["attr_double"]) == ({"t": "x"}, {"i": 3}, {"d": 0.5})
    kept = {key: json.loads(text) for key, text in found["attr_json"].items()}
    assert kept == {"b": False, "y": {"base64": "AQ=="}, "a": [1], "m": {"k": 2}, "e": None}


def test_maps_of_many_spans_do_not_mix() -> None:
    found = rows(request(span(1, attributes={"a": "1"}), span(2), span(3, attributes={"b": "2", "a": "3"})))
    assert [one["attr_text"] for one in found] == [{"a": "1"}, {}, {"b": "2", "a": "3"}]


def test_of_equal_keys_the_last_wins_whatever_its_type() -> None:
    one = span()
    one.attributes.extend([*attributes({"a": "first"}), *attributes({"a": 2})])
    found = row(one)
    assert (found["attr_text"], found["attr_int"]) == ({}, {"a": 2})


def test_a_long_text_is_cut_and_says_so() -> None:
    found = row(span(attributes={"long": "é" * TEXT_BYTES_MAX, "n": 1, "short": "x"}))
    assert len(found["attr_text"]["long"].encode()) <= TEXT_BYTES_MAX
    assert found["attr_int"] == {"n": 1, "long.original_bytes": 2 * TEXT_BYTES_MAX}
    assert found["quality"] == "truncated"
    assert found["attr_text"]["short"] == "x"


def test_original_sizes_stay_with_their_spans() -> None:
    long = {"long": "x" * (TEXT_BYTES_MAX + 5)}
    found = rows(request(span(1, attributes={"n": 1}), span(2, attributes=long), span(3, attributes={"n": 3})))
    assert [one["attr_int"] for one in found] == [{"n": 1}, {"long.original_bytes": TEXT_BYTES_MAX + 5}, {"n": 3}]
    assert [one["quality"] for one in found] == ["", "truncated", ""]


def test_a_long_list_is_reduced() -> None:
    found = row(span(attributes={"many": list(range(10_000))}))
    assert json.loads(found["attr_json"]["many"]).keys() == {"chars", "hash"}
    assert found["quality"] == "truncated"


def test_too_many_attributes_are_counted_as_dropped() -> None:
    many = {f"k{number}": number for number in range(ATTRIBUTES_MAX + 7)}
    first, second = rows(request(span(1, attributes=many, dropped_attributes_count=2), span(2, attributes={"a": 1})))
    assert len(first["attr_int"]) == ATTRIBUTES_MAX
    assert (first["dropped_attributes"], first["quality"]) == (9, "too_many_attributes")
    assert (second["attr_int"], second["dropped_attributes"], second["quality"]) == ({"a": 1}, 0, "")


def test_json_inside_a_text_is_cleaned_and_otherwise_left_alone() -> None:
    harmless = '{"b":1,  "a": [2.0]}'
    found = row(span(attributes={"plain": harmless, "mixed": '{"a": 1, "prompt": "words"}', "broken": '{"a": 1'}))
    assert found["attr_text"]["plain"] == harmless
    assert found["attr_text"]["broken"] == '{"a": 1'
    assert "words" not in found["attr_text"]["mixed"]
    assert json.loads(found["attr_text"]["mixed"])["a"] == 1


def test_long_keys_are_cut() -> None:
    assert list(row(span(attributes={"k" * 999: 1}))["attr_int"]) == ["k" * 256]


def test_braces_are_found_in_slices_too() -> None:
    texts = pa.array(["{", "a", "b{c{", None, "", "{}"])
    assert with_braces(texts).tolist() == [0, 2, 5]
    assert with_braces(texts.slice(1, 2)).tolist() == [1]
    assert with_braces(pa.array([], pa.string())).tolist() == []


def test_a_text_is_cut_between_characters() -> None:
    assert shortened("é" * TEXT_BYTES_MAX) == "é" * (TEXT_BYTES_MAX // 2)
    assert shortened("a" + "é" * TEXT_BYTES_MAX) == "a" + "é" * (TEXT_BYTES_MAX // 2 - 1)
