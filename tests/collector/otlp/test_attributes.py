"""Attribute lists are flattened without losing who owned what."""

import numpy as np
import pyarrow as pa

from collector.otlp.attributes import Attributes, ValueType, attributes_of, flags_of
from collector.otlp.columnar import members
from collector.otlp.decode import decode_traces
from tests.factories.otlp import attributes, request, span

ALL = {"t": "x", "b": True, "i": 3, "d": 0.5, "a": [1, "y"], "m": {"k": None}, "y": b"\x01", "e": None}


def flattened(*owners: dict[str, object]) -> Attributes:
    spans = [span(number, attributes=facts) for number, facts in enumerate(owners, 1)]
    batch = decode_traces(request(*spans).SerializeToString())
    scopes = members(members(batch.column(0)).field("scope_spans"))
    return attributes_of(members(scopes.field("spans")).field("attributes"))


def test_every_type_is_told_apart() -> None:
    found = flattened(ALL)
    kinds = {name: ValueType(kind).name for name, kind in zip(found.names, found.types, strict=True)}
    expected = ("TEXT", "FLAG", "INTEGER", "NUMBER", "ARRAY", "MAP", "BYTES", "EMPTY")
    assert kinds == dict(zip("tbidamye", expected, strict=True))


def test_values_come_back_as_python() -> None:
    assert flattened({"z": 1}, ALL, {}).dicts() == [{"z": 1}, ALL, {}]


def test_owners_follow_their_offsets() -> None:
    found = flattened({"a": 1, "b": 2}, {}, {"a": 3})
    assert found.starts.tolist() == [0, 2, 2, 3]
    assert found.owner.tolist() == [0, 0, 2]
    assert found.positions(found.names.index("a")).tolist() == [0, 2]
    assert found.code("nobody") is None


def test_of_equal_keys_the_last_wins() -> None:
    one = span()
    one.attributes.extend([*attributes({"a": 1, "b": 2}), *attributes({"a": 3}), *attributes({"a": 4})])
    scopes = members(
        members(decode_traces(request(one, span(2, attributes={"a": 9})).SerializeToString()).column(0)).field(
            "scope_spans"
        )
    )
    found = attributes_of(members(scopes.field("spans")).field("attributes"))
    assert found.has_repeats
    assert found.last.tolist() == [False, True, False, True, True]
    assert found.positions(found.names.index("a")).tolist() == [3, 4]
    assert found.dicts() == [{"a": 4, "b": 2}, {"a": 9}]


def test_numbers_and_flags_are_read_where_they_are() -> None:
    found = flattened({"a": 7}, {"a": True}, {"a": 0.5})
    assert found.integers[0] == 7
    assert bool(flags_of(found)[1]) is True
    assert found.numbers[2] == 0.5
    assert not found.has_repeats


def test_many_names_are_grouped_right() -> None:
    found = flattened({f"key.{number}": number for number in range(300)})
    assert [int(found.integers[found.positions(code)[0]]) for code in range(300)] == list(range(300))


def test_no_attributes_at_all() -> None:
    found = flattened({}, {})
    assert found.names == ()
    assert found.dicts() == [{}, {}]
    assert found.python(np.zeros(0, np.int64)) == []
    assert isinstance(found.texts, pa.Array)
