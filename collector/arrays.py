"""Views of Arrow columns as numpy arrays, for the arithmetic that decides identity and lineage."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Words = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def flat(column: Any) -> pa.Array:
    """One contiguous array from a column that may be chunked."""
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return column


def words(column: Any) -> Words:
    """Fixed-size binary column of width 8k as an (n, k) array of 64-bit words; no copy."""
    array = flat(column)
    width = array.type.byte_width
    start = array.offset * width
    buffer = array.buffers()[1]
    if buffer is None or len(array) == 0:
        return np.empty((0, width // 8), dtype=np.uint64)
    view = np.frombuffer(buffer, dtype=np.uint64, count=len(array) * width // 8, offset=start)
    return view.reshape(len(array), width // 8)


def binary(values: Words) -> pa.Array:
    """The reverse of `words`: (n, k) words as a fixed-size binary array."""
    rows, columns = values.shape
    data = np.ascontiguousarray(values).tobytes()
    return pa.Array.from_buffers(pa.binary(columns * 8), rows, [None, pa.py_buffer(data)])


def fingerprint(salt: int, *parts: Words) -> Words:
    """Salted 64-bit fingerprint of each row over all its words; equal rows have equal fingerprints.

    parts  each (n, k); rows that differ collide with probability about 2**-64
    """
    mixed = np.full(parts[0].shape[0], salt, dtype=np.uint64)
    position = 0
    for part in parts:
        for column in range(part.shape[1]):
            mixed = (mixed ^ part[:, column]) * _MULTIPLIERS[position % len(_MULTIPLIERS)]
            mixed ^= mixed >> np.uint64(29)
            position += 1
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(32))


def codes(column: Any) -> tuple[Indices, list[str]]:
    """Dictionary codes of a text column and the distinct texts; nulls count as ''."""
    encoded = flat(column).fill_null("").dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()


def numbers(column: Any) -> npt.NDArray[np.float64]:
    """Numeric column as float64, NULL as NaN."""
    values = flat(column).cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float64)


def integers(column: Any, default: int = 0) -> Indices:
    """Integer column as int64 with NULL replaced."""
    return np.asarray(flat(column).fill_null(default).to_numpy(zero_copy_only=False), dtype=np.int64)


def flags(column: Any) -> Mask:
    """Boolean column with NULL as False."""
    return np.asarray(flat(column).fill_null(False).to_numpy(zero_copy_only=False), dtype=np.bool_)  # noqa: FBT003 - Arrow's argument


def binary_rows(rows: Words) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Rows of words as (n,) opaque values that numpy can sort, search and compare."""
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * 8)))[:, 0]
