"""Span attributes to canonical fields: first present and valid source wins, whole columns at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from collector.otlp.alias_tables import AliasTables, Convert, Source
from collector.otlp.attributes import Attributes, ValueType, flags_of
from collector.otlp.columnar import Bools, Bytes8, Index, lengths
from collector.otlp.conversions import TEXT_MAX, Canonical, convert
from collector.otlp.hops import Hops
from collector.otlp.pivot import with_braces
from collector.otlp.privacy import Privacy
from collector.otlp.quality import Bits, Quality, mark
from collector.otlp.remember import remembered
from collector.otlp.resources import ResourceColumns
from collector.otlp.slots import ALL, DTYPES, Rows, Slot, Slots, Values
from collector.otlp.values import Plain, to_json
from vocabulary.fields import TIMES, TOKENS, Kind

NOT_NEGATIVE = frozenset(
    {
        *(field.name for field in TOKENS + TIMES),
        *("http_status", "retries", "max_tokens", "choice_count", "stop_count"),
        *("import_row", "load_test_step", "offered_rps"),
    }
)
BLANK_MAX = 4
DURATIONS = frozenset(field.name for field in TIMES)
TEXT, FLAG, INTEGER, NUMBER = (
    int(kind) for kind in (ValueType.TEXT, ValueType.FLAG, ValueType.INTEGER, ValueType.NUMBER)
)
Step = tuple[Source, int] | float


@dataclass(frozen=True)
class Resolution:
    """State of resolving one body.

    attributes  span attributes
    texts       (m,) their texts with secrets masked
    hops        who sent each span
    kinds       (n,) span kinds
    slots       canonical columns, filled here
    bits        (n,) quality flags, added to here
    tables      what attributes mean
    """

    attributes: Attributes
    texts: pa.Array
    hops: Hops
    kinds: Bytes8
    slots: Slots
    bits: Bits
    privacy: Privacy
    tables: AliasTables

    @cached_property
    def consumed(self) -> Bools:
        """(m,) True for an attribute whose canonical column says it all."""
        return np.zeros(len(self.attributes.owner), np.bool_)

    @cached_property
    def bad(self) -> Bools:
        """(m,) True for an attribute that should be a number and is none."""
        return np.zeros(len(self.attributes.owner), np.bool_)

    @cached_property
    def _has_braces(self) -> Bools:
        result = np.zeros(len(self.attributes.owner), np.bool_)
        result[with_braces(self.texts)] = True
        return result

    @cached_property
    def _may_be_blank(self) -> Bools:
        """(m,) True for texts that are empty, very short (`None`, `nan`), too long or structured."""
        sizes = lengths(self.texts)
        return (sizes <= BLANK_MAX) | (sizes > TEXT_MAX) | self._has_braces

    def run(self, resources: ResourceColumns) -> None:
        """Fill the slots from span attributes and resources, in the order of the alias tables."""
        fields = plan(self.attributes.names, self.tables)
        for name, steps in fields.items():
            for step in steps:
                if not isinstance(step, float):
                    self._from_attribute(self.slots[name], *step)
                elif (step, name) in resources.told:
                    resources.fill(self.slots, name, step, self.bits)
        for step, name in resources.told:
            if name not in fields:
                resources.fill(self.slots, name, step, self.bits)

    def _from_attribute(self, slot: Slot, source: Source, code: int) -> None:
        positions = self.attributes.positions(code)
        if source.only or source.kinds:
            positions = self._applicable(source, positions)
        if not slot.is_untouched:
            positions = positions[~slot.known[self.attributes.owner[positions]]]
        if not len(positions):
            return
        kind = self.attributes.kind(code)
        if not source.is_direct or not self._direct(slot, source, positions, kind):
            self._converted(slot, source, positions)

    def _rows(self, positions: Index) -> Rows:
        """Owners of attributes with one key: all spans, or some."""
        return ALL if len(positions) == self.slots.rows else self.attributes.owner[positions]

    def _applicable(self, source: Source, positions: Index) -> Index:
        if source.only:
            allowed = self.hops.mask([judgement.emitter in source.only for judgement in self.hops.judgements])
            positions = positions[allowed[self.attributes.owner[positions]]]
        if source.kinds:
            positions = positions[np.isin(self.kinds[self.attributes.owner[positions]], tuple(source.kinds))]
        return positions

    def _direct(self, slot: Slot, source: Source, positions: Index, kind: int) -> bool:
        """Take values as they are; False when their type or look asks for conversion."""
        if slot.is_text:
            if kind != TEXT or self._may_be_blank[positions].any():
                return False
            slot.put_positions(self._rows(positions), positions, source.number)
            self.consumed[positions] = True
            return True
        is_flag = slot.field.kind is Kind.FLAG
        if kind == FLAG and is_flag:
            self._store(slot, source, positions, flags_of(self.attributes)[positions])
        elif kind == INTEGER and not is_flag:
            self._store(slot, source, positions, _scaled(self.attributes.integers[positions], source))
        elif kind == NUMBER and not is_flag:
            self._store(slot, source, positions, _scaled(self.attributes.numbers[positions], source))
        else:
            return False
        return True

    def _store(self, slot: Slot, source: Source, positions: Index, values: Values) -> None:
        """Put numbers or flags, leaving out what is not usable."""
        good = _usable(values, slot.field.kind)
        if good is not None:
            self._refuse(positions[~good], Quality.BAD_VALUE)
            positions, values = positions[good], values[good]
        if slot.field.name in NOT_NEGATIVE and len(values) and values.min() < 0:
            good = values >= 0
            is_duration = slot.field.name in DURATIONS
            self._refuse(positions[~good], Quality.NEGATIVE_DURATION if is_duration else Quality.BAD_VALUE)
            positions, values = positions[good], values[good]
        slot.put(self._rows(positions), values, source.number)
        self.consumed[positions] = True

    def _refuse(self, positions: Index, flag: Quality) -> None:
        self.bad[positions] = True
        mark(self.bits, self.attributes.owner[positions], flag)

    def _converted(self, slot: Slot, source: Source, positions: Index) -> None:
        """Convert distinct values one by one, then spread them."""
        raw, index = self._distinct(source, positions)
        results = [convert(source, value, self.privacy) for value in raw]
        found = np.array([result is not None for result in results], np.bool_)
        wrong = np.array([_is_wrong(slot, source, value) for value in raw], np.bool_) & ~found
        if wrong.any():
            self._refuse(positions[wrong[index]], Quality.BAD_VALUE)
        told = found[index]
        same = [source.is_lossless or _tells_all(value, result) for value, result in zip(raw, results, strict=True)]
        self._spread(slot, source, (positions[told], index[told]), (results, np.array(same, np.bool_)))

    def _spread(
        self, slot: Slot, source: Source, where: tuple[Index, Index], what: tuple[Sequence[Canonical | None], Bools]
    ) -> None:
        positions, index = where
        results, same = what
        if not len(positions):
            return
        if slot.is_text:
            texts = [str(text or "") for text in results]
            slot.put_texts(self._rows(positions), texts, index, source.number)
            self.consumed[positions[same[index]]] = True
            return
        values = np.array([result or 0 for result in results], DTYPES[slot.field.kind])[index]
        before = self.consumed[positions]
        self._store(slot, source, positions, values)
        self.consumed[positions] = before | (same[index] & self.consumed[positions])

    def _distinct(self, source: Source, positions: Index) -> tuple[list[Plain], Index]:
        if source.convert is Convert.ADDRESS:
            return _factorised(self._addresses(positions))
        if (self.attributes.types[positions] == TEXT).all():
            encoded = self.attributes.texts.take(pa.array(positions)).dictionary_encode()
            return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
        return _factorised(self.attributes.python(positions))

    def _addresses(self, positions: Index) -> list[Plain]:
        """host:port where the span tells a port."""
        hosts = self.attributes.python(positions)
        code = self.attributes.code("server.port")
        if code is None:
            return hosts
        places = self.attributes.positions(code)
        told = zip(self.attributes.owner[places].tolist(), self.attributes.python(places), strict=True)
        ports = {row: str(port) for row, port in told}
        rows = self.attributes.owner[positions].tolist()
        return [f"{host!s}:{ports[row]}" if row in ports else host for host, row in zip(hosts, rows, strict=True)]


@remembered(256)
def plan(names: tuple[str, ...], tables: AliasTables) -> dict[str, list[Step]]:
    """For each field that these attributes may tell: its sources in order, and when the resource is asked."""
    found: dict[str, list[tuple[Source, int]]] = {}
    for code, name in enumerate(names):
        for source in tables.by_attribute.get(name, ()):
            found.setdefault(source.field.name, []).append((source, code))
    return {field: _ordered(candidates, tables.steps) for field, candidates in found.items()}


def _ordered(candidates: list[tuple[Source, int]], resources: tuple[float, ...]) -> list[Step]:
    steps: list[Step] = [*candidates, *resources]
    return sorted(steps, key=lambda step: (step, 0) if isinstance(step, float) else (step[0].rank, step[0].number))


def _scaled(values: Values, source: Source) -> Values:
    return values if source.scale == 1.0 else values * source.scale


def _usable(values: Values, kind: Kind) -> Bools | None:
    """Which values are finite, and whole where they must be; None when all are."""
    if values.dtype.kind != "f":
        return None
    good: Bools = np.isfinite(values)
    if kind is Kind.INTEGER:
        good &= (values == np.trunc(values)) & (np.abs(values) < 2.0**63)
    return None if good.all() else good


def _is_wrong(slot: Slot, source: Source, value: Plain) -> bool:
    return not slot.is_text and not source.json_key and value not in (None, "")


def _tells_all(value: Plain, result: Canonical | None) -> bool:
    return value == result or (isinstance(value, list) and value == [result])


def _factorised(values: Sequence[Plain]) -> tuple[list[Plain], Index]:
    """Distinct values and which one each is."""
    seen: dict[tuple[type, object], int] = {}
    distinct: list[Plain] = []
    index = np.empty(len(values), np.int32)
    for place, value in enumerate(values):
        key = (type(value), to_json(value) if isinstance(value, (list, dict, float)) else value)
        if key not in seen:
            seen[key] = len(distinct)
            distinct.append(value)
        index[place] = seen[key]
    return distinct, index
