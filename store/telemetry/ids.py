"""Binary ids in statements: they travel as hex text, because a driver would quote raw bytes wrongly."""

from collections.abc import Iterable

import pyarrow as pa
from sqlalchemy import ColumnElement, Select, func, select

CHUNK = 10_000
"""Ids per statement: 33 bytes each, far below the largest statement."""


def one_id(value: bytes) -> ColumnElement[bytes]:
    """One id as an expression."""
    return func.unhex(value.hex())


def id_set(values: Iterable[bytes], width: int) -> Select[tuple[bytes]]:
    """Many ids as the right-hand side of IN; the engine looks them up by primary key."""
    text = ",".join(value.hex() for value in values)
    return select(func.toFixedString(func.unhex(func.arrayJoin(func.splitByChar(",", text))), width))


def chunks(values: pa.Array) -> list[list[bytes]]:
    """Distinct ids in lists that fit into one statement; empty for no ids."""
    distinct = values.unique().to_pylist()
    return [distinct[start : start + CHUNK] for start in range(0, len(distinct), CHUNK)]
