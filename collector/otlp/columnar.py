"""Arrow arrays seen as numpy: views on their buffers, no copies where none is needed."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Bools = npt.NDArray[np.bool_]
Bytes8 = npt.NDArray[np.uint8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Index = npt.NDArray[np.integer[Any]]

BLOCK = 8192  # rows of the shared empty columns; larger bodies make their own
_NOTHING = np.zeros(0, np.uint8)


def offsets(array: pa.Array) -> Int32s:
    """(n + 1,) offsets of a list, string or binary array, as they stand in its child or data buffer."""
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros(len(array) + 1, np.int32)
    view: Int32s = np.frombuffer(buffer, np.int32)[array.offset : array.offset + len(array) + 1]
    return view if len(view) else np.zeros(1, np.int32)


def members(array: pa.Array) -> pa.Array:
    """The flattened items of a list array without NULLs; the child itself where it has no others."""
    items = array.values
    found = offsets(array)
    first, last = int(found[0]), int(found[-1])
    return items if first == 0 and last == len(items) else items.slice(first, last - first)


def list_offsets(array: pa.Array) -> Int32s:
    """(n + 1,) offsets into `members(array)`, starting at 0."""
    found = offsets(array)
    return found - found[0] if found[0] else found


def data(array: pa.Array) -> Bytes8:
    """Data buffer of a string or binary array; its offsets index into it."""
    buffer = array.buffers()[2]
    return _NOTHING if buffer is None else np.frombuffer(buffer, np.uint8)


def lengths(array: pa.Array) -> Int32s:
    """(n,) bytes per element of a string or binary array, or items per list; 0 where NULL."""
    found = offsets(array)
    return found[1:] - found[:-1]


def valid(array: pa.Array) -> Bools:
    """(n,) True where an element is not NULL."""
    buffer = array.buffers()[0]
    if buffer is None or not array.null_count:
        return np.ones(len(array), np.bool_)
    return bits(buffer, array.offset, len(array))


def bits(buffer: pa.Buffer, offset: int, length: int) -> Bools:
    """(length,) booleans of a bitmap."""
    packed = np.frombuffer(buffer, np.uint8)
    unpacked = np.unpackbits(packed, count=offset + length, bitorder="little")
    return unpacked[offset:].view(np.bool_)


def booleans(array: pa.Array) -> Bools:
    """(n,) values of a boolean array, anything where NULL."""
    buffer = array.buffers()[1]
    return np.zeros(len(array), np.bool_) if buffer is None else bits(buffer, array.offset, len(array))


def numbers(array: pa.Array, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """(n,) values of a fixed-width array, anything where NULL."""
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype)[array.offset : array.offset + len(array)]


def mapped(starts: Index, keys: pa.Array, items: pa.Array) -> pa.Array:
    """Map array from (n + 1,) offsets and the flattened keys and items."""
    ends = pa.array(starts.astype(np.int32, copy=False), pa.int32())
    return pa.MapArray.from_arrays(ends, keys, items)


def counts_to_offsets(counts: Index) -> Int32s:
    """(n + 1,) offsets of groups with (n,) members each."""
    result = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=result[1:])
    return result


def fixed_binary(rows: npt.NDArray[Any], width: int) -> pa.Array:
    """FixedSizeBinary array from (n, width) bytes."""
    contiguous = np.ascontiguousarray(rows)
    return pa.Array.from_buffers(pa.binary(width), len(contiguous), [None, pa.py_buffer(contiguous)])


def constant_text(text: str, length: int) -> pa.Array:
    """String array with the same text in every row."""
    if text == "" and length <= BLOCK:
        return _empty_texts().slice(0, length)
    return pa.repeat(pa.scalar(text, pa.string()), length)


def nothing(kind: pa.DataType, length: int) -> pa.Array:
    """Array of NULLs."""
    return _nulls(kind).slice(0, length) if length <= BLOCK else pa.nulls(length, kind)


@lru_cache(maxsize=1)
def _empty_texts() -> pa.Array:
    return pa.repeat(pa.scalar("", pa.string()), BLOCK)


@lru_cache(maxsize=16)
def _nulls(kind: pa.DataType) -> pa.Array:
    return pa.nulls(BLOCK, kind)


def spread(choices: Sequence[str], index: Index) -> pa.Array:
    """String array that holds choices[index[row]] in every row."""
    if len(set(choices)) == 1:
        return constant_text(choices[0], len(index))
    return pa.array(choices, pa.string()).take(pa.array(index))
