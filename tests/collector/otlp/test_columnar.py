"""Numpy views say what the Arrow arrays hold, sliced or not."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from collector.otlp import columnar

TEXTS = pa.array(["a", "", None, "☃☃", "end"], pa.string())
LISTS = pa.array([[1, 2], [], [3]], pa.list_(pa.int64()))


def test_offsets_and_data_tell_the_texts() -> None:
    for texts in (TEXTS, TEXTS.slice(1, 3), TEXTS[5:]):
        starts, content = columnar.offsets(texts), columnar.data(texts)
        found = [bytes(content[a:b]).decode() for a, b in pairwise(starts)]
        assert found == [text or "" for text in texts.to_pylist()]


def test_lengths_are_bytes() -> None:
    assert columnar.lengths(TEXTS).tolist() == [1, 0, 0, 6, 3]
    assert columnar.lengths(TEXTS.slice(3)).tolist() == [6, 3]


def test_members_and_their_offsets_of_a_sliced_list() -> None:
    assert columnar.members(LISTS).to_pylist() == [1, 2, 3]
    assert columnar.members(LISTS.slice(1)).to_pylist() == [3]
    assert columnar.list_offsets(LISTS.slice(1)).tolist() == [0, 0, 1]


def test_validity_and_booleans() -> None:
    flags = pa.array([True, None, False, True] * 5)
    assert columnar.valid(flags.slice(3, 9)).tolist() == flags.slice(3, 9).is_valid().to_pylist()
    assert columnar.booleans(flags.slice(3)).tolist()[0] is True
    assert columnar.valid(pa.array([1, 2])).all()


def test_numbers_of_a_slice() -> None:
    assert columnar.numbers(pa.array([1, 2, 3]).slice(1), np.int64).tolist() == [2, 3]


def test_empty_arrays_have_empty_views() -> None:
    nothing = pa.array([], pa.string())
    assert columnar.offsets(nothing).tolist() == [0]
    assert len(columnar.data(nothing)) == 0
    assert len(columnar.numbers(pa.array([], pa.int64()), np.int64)) == 0


def test_fixed_binary() -> None:
    rows = np.arange(32, dtype=np.uint8).reshape(2, 16)
    assert columnar.fixed_binary(rows, 16).to_pylist() == [bytes(range(16)), bytes(range(16, 32))]


def test_counts_become_offsets() -> None:
    assert columnar.counts_to_offsets(np.array([2, 0, 1])).tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize("length", [0, 3, columnar.BLOCK, columnar.BLOCK + 1])
def test_constant_columns_have_the_length_that_is_asked_for(length: int) -> None:
    assert columnar.constant_text("", length).to_pylist() == [""] * length
    assert columnar.constant_text("x", length).to_pylist() == ["x"] * length
    nothing = columnar.nothing(pa.float64(), length)
    assert (len(nothing), nothing.null_count) == (length, length)


def test_spread_texts() -> None:
    assert columnar.spread(["a", "b"], np.array([1, 0, 1])).to_pylist() == ["b", "a", "b"]
    assert columnar.spread(["a", "a"], np.array([1, 0])).to_pylist() == ["a", "a"]


def test_a_map_from_offsets() -> None:
    keys, items = pa.array(["k", "l"]), pa.array([1, 2])
    found = columnar.mapped(np.array([0, 2, 2]), keys, items)
    assert found.to_pylist() == [[("k", 1), ("l", 2)], []]
