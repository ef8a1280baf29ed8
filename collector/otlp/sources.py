"""The `sources` column: which attribute won each canonical field of a span."""

from functools import lru_cache

import numpy as np
import orjson
import pyarrow as pa

from collector.otlp.alias_tables import AliasTables
from collector.otlp.columnar import spread
from collector.otlp.slots import Slots

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def sources_column(slots: Slots, tables: AliasTables) -> pa.Array:
    """(n,) JSON objects, canonical field -> label of the winning source; few distinct ones per body."""
    used = slots.used()
    constant: dict[str, int] = {}
    signature = np.zeros(slots.rows, np.uint64)
    for slot in used:
        if slot.whole:
            constant[slot.field.name] = slot.whole
        else:
            signature = signature * _ODD + slot.winner
            signature ^= signature >> _SHIFT
    if len(constant) == len(used):
        return spread([_text(tuple(constant.items()), tables)], np.zeros(slots.rows, np.int32))
    _, first_rows, index = np.unique(signature, return_index=True, return_inverse=True)
    rows = [tuple((slot.field.name, int(slot.winner[row])) for slot in used) for row in first_rows]
    return spread([_text(row, tables) for row in rows], index)


@lru_cache(maxsize=1 << 12)
def _text(winners: tuple[tuple[str, int], ...], tables: AliasTables) -> str:
    sources = tables.sources
    return orjson.dumps({name: sources[number].label for name, number in winners if number}).decode()
