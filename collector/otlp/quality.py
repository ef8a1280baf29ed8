"""Quality flags of a span: what was missing, wrong or cut, in words that the `quality` column keeps."""

from enum import IntFlag
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from collector.otlp.columnar import constant_text, spread


class Quality(IntFlag):
    """One bit per flag; the column holds the lower-case names, comma-separated, in this order."""

    NO_START = 1
    NO_END = 2
    END_BEFORE_START = 4
    TIME_OVERFLOW = 8
    BAD_PARENT = 16
    BAD_VALUE = 32
    NEGATIVE_DURATION = 64
    CACHED_EXCEEDS_INPUT = 128
    REPLICA_UNSTABLE = 256
    TRUNCATED = 512
    TOO_MANY_ATTRIBUTES = 1024
    DUPLICATE_KEY = 2048
    BAD_LINK = 4096


Bits = npt.NDArray[np.uint32]


def quality_column(bits: Bits) -> pa.Array:
    """(n,) texts of (n,) bit sets."""
    if not bits.any():
        return constant_text("", len(bits))
    distinct, index = np.unique(bits, return_inverse=True)
    return spread([_text(int(value)) for value in distinct], index)


def mark(bits: Bits, rows: npt.NDArray[Any] | slice, flag: Quality) -> None:
    """Set a flag for some rows, given as indices (repeats allowed) or as a mask."""
    bits[rows] |= np.uint32(flag)


@lru_cache(maxsize=1 << 13)
def _text(value: int) -> str:
    return ",".join(str(flag.name).lower() for flag in Quality if flag & value)
