"""Attribute rows to typed maps per span: texts, integers, doubles, and everything else as JSON text."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from collector.otlp.attributes import Attributes, ValueType
from collector.otlp.columnar import Bools, Index, counts_to_offsets, data, lengths, mapped, offsets
from collector.otlp.key_classes import KeyClass
from collector.otlp.names import NameTable, name_table
from collector.otlp.privacy import Privacy, is_measure
from collector.otlp.quality import Bits, Quality, mark
from collector.otlp.values import to_json

TEXT_BYTES_MAX = 16 * 1024
ATTRIBUTES_MAX = 512
ORIGINAL_BYTES = ".original_bytes"


@dataclass(frozen=True)
class Stored:
    """What of the attributes is stored in maps.

    texts  (m,) texts with secrets masked
    bits   (n,) quality flags of the owners, added to here
    """

    attributes: Attributes
    texts: pa.Array
    bits: Bits
    privacy: Privacy

    @cached_property
    def names(self) -> NameTable:
        """What is known of the attribute names."""
        return name_table(self.attributes.names, capture_content=self.privacy.capture_content)

    def maps(self, consumed: Bools, bad: Bools) -> dict[str, pa.Array]:
        """The four map columns; attributes that a canonical column says in full are left out.

        consumed  (m,) True where the canonical column says it all
        bad       (m,) True where a number was expected and something else came
        """
        kept = self.attributes.last & ~consumed
        reduced = kept & self._is_reduced(bad)
        types = self.attributes.types
        is_text = kept & (types == ValueType.TEXT) & ~reduced
        is_integer = kept & (types == ValueType.INTEGER) & ~reduced
        is_number = kept & (types == ValueType.NUMBER) & ~reduced
        texts, cut, sizes = self._texts(np.flatnonzero(is_text))
        return {
            "attr_text": self._map(np.flatnonzero(is_text), texts),
            "attr_int": self._integers(np.flatnonzero(is_integer), cut, sizes),
            "attr_double": self._map(np.flatnonzero(is_number), pa.array(self.attributes.numbers[is_number])),
            "attr_json": self._json(kept & ~is_text & ~is_integer & ~is_number, reduced),
        }

    def _is_reduced(self, bad: Bools) -> Bools:
        """(m,) True where only length and hash may be stored."""
        result = np.zeros(len(bad), np.bool_)
        types = self.attributes.types
        doubtful = bad & (types == ValueType.TEXT)
        if not self.names.are_plain:
            found = self.names.classes[self.attributes.codes]
            doubtful |= (found == KeyClass.MEASURE) & (types == ValueType.TEXT)
            is_number = (types >= ValueType.FLAG) & (types <= ValueType.NUMBER)
            result = (found == KeyClass.SECRET) | (
                (found >= KeyClass.LOOKALIKE) & (found < KeyClass.SECRET) & ~is_number
            )
            result |= (found == KeyClass.PERSONAL) & (types != ValueType.TEXT)
            result |= (found == KeyClass.MEASURE) & (types > ValueType.NUMBER)
            result &= types != ValueType.EMPTY
        for position in np.flatnonzero(doubtful & ~result).tolist():
            result[position] = not is_measure(self.attributes.texts[position].as_py())
        return result

    def _keys(self, positions: Index) -> pa.Array:
        return self.names.stored.take(pa.array(self.attributes.codes[positions]))

    def _map(self, positions: Index, items: pa.Array) -> pa.Array:
        owners = len(self.attributes.starts) - 1
        starts = counts_to_offsets(np.bincount(self.attributes.owner[positions], minlength=owners))
        return mapped(starts, self._keys(positions), items)

    def _texts(self, positions: Index) -> tuple[pa.Array, Index, Index]:
        """Texts as stored at some positions, and which of them were cut from how many bytes."""
        found = self.texts if len(positions) == len(self.texts) else self.texts.take(pa.array(positions))
        found = self._changed(found, self._personal(positions), self.privacy.pseudonym)
        found = self._changed(found, with_braces(found), self.privacy.clean_text)
        sizes = lengths(found)
        cut = np.flatnonzero(sizes > TEXT_BYTES_MAX)
        found = self._changed(found, cut, shortened)
        mark(self.bits, self.attributes.owner[positions[cut]], Quality.TRUNCATED)
        return found, positions[cut], sizes[cut]

    def _personal(self, positions: Index) -> Index:
        if self.names.are_plain:
            return np.zeros(0, np.int64)
        return np.flatnonzero(self.names.personal[self.attributes.codes[positions]])

    def _changed(self, texts: pa.Array, places: Index, change: Callable[[str], str]) -> pa.Array:
        """Texts with those at some places changed, each distinct one once."""
        if not len(places):
            return texts
        encoded = texts.take(pa.array(places)).dictionary_encode()
        changed = pa.array([change(text) for text in encoded.dictionary.to_pylist()], pa.string())
        is_changed = np.zeros(len(texts), np.bool_)
        is_changed[places] = True
        return pc.replace_with_mask(texts, pa.array(is_changed), changed.take(encoded.indices))

    def _integers(self, positions: Index, cut: Index, sizes: Index) -> pa.Array:
        values = self.attributes.integers[positions]
        if not len(cut):
            return self._map(positions, pa.array(values))
        both = np.concatenate([positions, cut])
        keys = self._keys(positions).to_pylist() + [key + ORIGINAL_BYTES for key in self._keys(cut).to_pylist()]
        order = np.argsort(self.attributes.owner[both], kind="stable")
        owners = len(self.attributes.starts) - 1
        starts = counts_to_offsets(np.bincount(self.attributes.owner[both], minlength=owners))
        items = np.concatenate([values, sizes.astype(np.int64)])[order]
        return mapped(starts, pa.array(keys, pa.string()).take(pa.array(order)), pa.array(items))

    def _json(self, chosen: Bools, reduced: Bools) -> pa.Array:
        positions = np.flatnonzero(chosen)
        if not len(positions):
            return self._map(positions, pa.array([], pa.string()))
        raw = self.attributes.python(positions)
        names = [self.attributes.names[code] for code in self.attributes.codes[positions].tolist()]
        texts = []
        for name, value, is_reduced in zip(names, raw, reduced[positions].tolist(), strict=True):
            if value is True or value is False:
                texts.append("true" if value else "false")
            elif is_reduced and isinstance(value, str):
                texts.append(self.privacy.reduced_text(value))
            else:
                texts.append(to_json(self.privacy.reduced(value) if is_reduced else self.privacy.clean(name, value)))
        for place, text in enumerate(texts):
            if len(text) > TEXT_BYTES_MAX:
                texts[place] = self.privacy.reduced_text(text)
                mark(self.bits, self.attributes.owner[positions[[place]]], Quality.TRUNCATED)
        return self._map(positions, pa.array(texts, pa.string()))


def with_braces(texts: pa.Array) -> Index:
    """Indices of texts that hold an opening brace: JSON, or something that may quote JSON."""
    starts = offsets(texts)
    first = int(starts[0])
    places = np.flatnonzero(data(texts)[first : int(starts[-1])] == ord("{")) + first
    if not len(places):
        return np.zeros(0, np.int64)
    return np.unique(np.searchsorted(starts, places, side="right") - 1)


def shortened(text: str) -> str:
    """The first 16 KiB of a text, cut between characters."""
    return text.encode()[:TEXT_BYTES_MAX].decode(errors="ignore")


def limited(attributes: Attributes, bits: Bits) -> tuple[Attributes, Index]:
    """Attributes with at most ATTRIBUTES_MAX per owner, the first ones, and how many each owner lost."""
    counts = np.diff(attributes.starts)
    lost = np.maximum(counts - ATTRIBUTES_MAX, 0).astype(np.uint32)
    if not lost.any():
        return attributes, lost
    mark(bits, lost > 0, Quality.TOO_MANY_ATTRIBUTES)
    place = np.arange(len(attributes.owner)) - attributes.starts[attributes.owner]
    kept = place < ATTRIBUTES_MAX
    used, codes = np.unique(attributes.codes[kept], return_inverse=True)
    return (
        Attributes(
            starts=counts_to_offsets(np.minimum(counts, ATTRIBUTES_MAX)),
            owner=attributes.owner[kept],
            codes=codes.astype(np.int32),
            names=tuple(attributes.names[code] for code in used.tolist()),
            types=attributes.types[kept],
            values=attributes.values.filter(pa.array(kept)),
        ),
        lost,
    )
