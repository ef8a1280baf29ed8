"""Canonical columns in the making: who knows a field first keeps it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from collector.otlp.columnar import Bools, Index
from vocabulary.fields import BY_NAME, CANONICAL, Field, Kind

DTYPES: dict[Kind, type[np.generic]] = {Kind.INTEGER: np.int64, Kind.NUMBER: np.float64, Kind.FLAG: np.bool_}
POSITIONS: dict[str, int] = {field.name: position for position, field in enumerate(CANONICAL)}
ALL = slice(None)
TEXT = Kind.TEXT
Numbers = npt.NDArray[np.uint16]
Values = npt.NDArray[Any]
Rows = Index | slice


class Slot:
    """Values of one canonical field for n spans, and which source each came from.

    Rows are given as distinct indices, or as ALL. The common case is one source that tells all rows at once; it
    allocates nothing per row.
    """

    def __init__(self, field: Field, rows: int) -> None:
        self.field = field
        self.is_text = field.kind is TEXT
        self.is_untouched = True
        self._rows = rows
        self._whole = 0
        self._known: Bools | None = None
        self._winner: Numbers | None = None
        self._values: Values | None = None
        self._taken: npt.NDArray[Any] | None = None
        self._made: npt.NDArray[Any] | None = None
        self._texts: list[str] = []

    @property
    def known(self) -> Bools:
        """(n,) True where a source had a valid value."""
        if self._known is None:
            self._known = np.full(self._rows, bool(self._whole), np.bool_)
        return self._known

    @property
    def winner(self) -> Numbers:
        """(n,) number of the source that won, 0 for none."""
        if self._winner is None:
            self._winner = np.full(self._rows, self._whole, np.uint16)
        return self._winner

    @property
    def whole(self) -> int:
        """Number of the source that told all rows, 0 when there is no single one."""
        return self._whole

    @property
    def values(self) -> Values:
        """(n,) numbers or flags, anything where unknown."""
        if self._values is None:
            self._values = np.zeros(self._rows, DTYPES[self.field.kind])
        return self._values

    def open(self, rows: Rows) -> Bools | None:
        """Which of these rows are still unknown; None when all are."""
        return None if self.is_untouched else ~self.known[rows]

    def put(self, rows: Rows, values: Values, source: int | Numbers) -> None:
        """Numbers or flags for rows that are unknown."""
        if rows is ALL and self.is_untouched:
            self._values = values.astype(DTYPES[self.field.kind], copy=False)
        else:
            self.values[rows] = values
        self._won(rows, source)

    def put_positions(self, rows: Rows, positions: Index, source: int | Numbers) -> None:
        """Texts for unknown rows, as positions in the attribute texts given to `column`."""
        self._taken = _placed(self._taken, rows, positions, self._rows)
        self._won(rows, source)

    def put_texts(self, rows: Rows, texts: Sequence[str], index: Index, source: int | Numbers) -> None:
        """Texts for unknown rows: texts[index[i]] for rows[i]."""
        self._made = _placed(self._made, rows, index + len(self._texts), self._rows)
        self._texts.extend(texts)
        self._won(rows, source)

    def forget(self, rows: Index) -> None:
        """Make rows unknown again, because another field contradicts them."""
        self.known[rows] = False
        self.winner[rows] = 0
        self._whole = 0

    def column(self, texts: pa.Array) -> pa.Array:
        """(n,) Arrow column: '' for an unknown text, NULL for anything else unknown."""
        if not self.is_text:
            return pa.array(self.values, mask=None if self._whole else ~self.known)
        parts = [
            source.take(pa.array(index, mask=None if self._whole else index < 0))
            for source, index in ((texts, self._taken), (pa.array(self._texts, pa.string()), self._made))
            if index is not None
        ]
        found = parts[0] if len(parts) == 1 else pc.coalesce(*parts)
        return found.fill_null("") if found.null_count else found

    def _won(self, rows: Rows, source: int | Numbers) -> None:
        if rows is ALL and self.is_untouched and isinstance(source, int):
            self._whole = source
        else:
            self.known[rows] = True
            self.winner[rows] = source
        self.is_untouched = False


class Slots:
    """The canonical columns of n spans; a field that nobody told costs nothing."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._slots: dict[str, Slot] = {}

    def __getitem__(self, name: str) -> Slot:
        if name not in self._slots:
            self._slots[name] = Slot(BY_NAME[name], self.rows)
        return self._slots[name]

    def get(self, name: str) -> Slot | None:
        """The slot of a field when any span knows it."""
        found = self._slots.get(name)
        return None if found is None or found.is_untouched else found

    def used(self) -> list[Slot]:
        """Slots that some span knows, in column order."""
        told = [slot for slot in self._slots.values() if not slot.is_untouched]
        return sorted(told, key=lambda slot: POSITIONS[slot.field.name])


def _placed(target: npt.NDArray[Any] | None, rows: Rows, index: Index, count: int) -> npt.NDArray[Any]:
    """(n,) indices with some rows set, -1 elsewhere."""
    if target is None and rows is ALL:
        return index
    result = np.full(count, -1, np.int64) if target is None else target
    result[rows] = index
    return result
