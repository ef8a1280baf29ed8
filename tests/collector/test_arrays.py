"""Arrow columns as numpy views."""

import numpy as np
import pyarrow as pa

from collector import arrays


def test_words_of_a_sliced_column_are_those_of_its_rows() -> None:
    column = pa.array([bytes([number] * 16) for number in range(5)], pa.binary(16))[2:4]
    assert arrays.binary(arrays.words(column)).to_pylist() == column.to_pylist()


def test_words_of_an_empty_column_keep_their_width() -> None:
    assert arrays.words(pa.array([], pa.binary(16))).shape == (0, 2)


def test_equal_rows_have_equal_fingerprints_and_the_salt_changes_them() -> None:
    rows = np.array([[1, 2], [1, 2], [2, 1]], dtype=np.uint64)
    first, second, third = arrays.fingerprint(7, rows)
    assert first == second != third
    assert arrays.fingerprint(8, rows)[0] != first


def test_fingerprints_of_many_neighbouring_ids_do_not_collide() -> None:
    rows = np.arange(200_000, dtype=np.uint64).reshape(-1, 2)
    assert len(np.unique(arrays.fingerprint(1, rows))) == len(rows)


def test_nulls_become_what_the_caller_says() -> None:
    assert arrays.integers(pa.array([None, 3]), -1).tolist() == [-1, 3]
    assert np.isnan(arrays.numbers(pa.array([None, 3], pa.int64()))[0])
    assert arrays.flags(pa.array([None, True])).tolist() == [False, True]
    code, texts = arrays.codes(pa.array(["b", None, "b"]))
    assert [texts[index] for index in code] == ["b", "", "b"]


def test_a_chunked_column_is_made_flat() -> None:
    assert arrays.flat(pa.chunked_array([[1], [2, 3]])).to_pylist() == [1, 2, 3]
    assert arrays.flat(pa.chunked_array([], pa.int64())).to_pylist() == []
