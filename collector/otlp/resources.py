"""Resources and scopes: few per body, so they are read one by one, and remembered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from collector.otlp.alias_tables import AliasTables, Convert, Source
from collector.otlp.columnar import Bools, Index
from collector.otlp.conversions import Canonical, convert
from collector.otlp.privacy import Privacy, mask_text
from collector.otlp.quality import Bits, Quality, mark
from collector.otlp.slots import ALL, DTYPES, Slot, Slots
from collector.otlp.values import Plain, to_json

DROPPED = "otel.dropped_attributes_count"
REMEMBERED_MAX = 2048
KEY_MAX = 8192  # characters; a larger resource is read again each time
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Fact:
    """A canonical value that a resource tells."""

    value: Canonical
    source: Source

    @property
    def is_doubtful(self) -> bool:
        """A random instance id names a process, not a replica: it changes with every restart."""
        return self.source.convert is Convert.UNSTABLE_INSTANCE


@dataclass(frozen=True, slots=True)
class ResourceFacts:
    """What one resource tells.

    text     JSON object of its attributes, cleaned
    engines  (step, field) -> fact for spans of engines; others  the same for all other spans
    """

    text: str
    names: frozenset[str]
    engines: Mapping[tuple[float, str], Fact]
    others: Mapping[tuple[float, str], Fact]


@dataclass(frozen=True, slots=True)
class ScopeFacts:
    """What one instrumentation scope tells; all texts are cleaned."""

    name: str
    version: str
    text: str


class Memory:
    """Facts by the JSON text of the raw attributes; bounded, thread-safe by being replaceable at any time.

    tables  what attributes mean; facts are remembered for these alone
    """

    def __init__(self, privacy: Privacy, tables: AliasTables) -> None:
        self.tables = tables
        self._privacy = privacy
        self._resources: dict[str, ResourceFacts] = {}
        self._scopes: dict[str, ScopeFacts] = {}

    def resource(self, attributes: dict[str, Plain], dropped: int) -> ResourceFacts:
        """Facts of a resource."""
        if dropped:
            attributes = {**attributes, DROPPED: dropped}
        return _remembered(self._resources, to_json(attributes), lambda: self._read_resource(attributes))

    def scope(self, name: str, version: str, attributes: dict[str, Plain], dropped: int) -> ScopeFacts:
        """Facts of a scope."""
        if dropped:
            attributes = {**attributes, DROPPED: dropped}
        key = f"{name}\0{version}\0{to_json(attributes) if attributes else ''}"
        clean = self._privacy.clean_map
        return _remembered(
            self._scopes, key, lambda: ScopeFacts(mask_text(name), mask_text(version), to_json(clean(attributes)))
        )

    def _read_resource(self, attributes: dict[str, Plain]) -> ResourceFacts:
        engines: dict[tuple[float, str], Fact] = {}
        others: dict[tuple[float, str], Fact] = {}
        for field, sources in self.tables.of_resource.items():
            for source in sources:
                if source.name not in attributes:
                    continue
                value = convert(source, attributes[source.name], self._privacy)
                if value is not None:
                    key = (source.step, field)
                    engines.setdefault(key, Fact(value, source))
                    if not source.engine:
                        others.setdefault(key, Fact(value, source))
        text = to_json(self._privacy.clean_map(attributes))
        return ResourceFacts(text, frozenset(attributes), engines, others)


@dataclass(frozen=True)
class ResourceColumns:
    """Resource facts of a body, spread over its spans.

    facts    per resource
    index    (n,) which resource each span has
    engines  (n,) True for spans whose process is an inference engine
    """

    facts: Sequence[ResourceFacts]
    index: Index
    engines: Bools

    @cached_property
    def told(self) -> list[tuple[float, str]]:
        """(step, field) that any resource tells, earlier steps first."""
        return sorted(frozenset(key for fact in self.facts for key in fact.engines))

    @cached_property
    def _which(self) -> Index:
        """(n,) per span its resource as an engine's, or as another's: an index into `_facts`."""
        return np.where(self.engines, self.index, self.index + len(self.facts))

    @cached_property
    def _only(self) -> int | None:
        """The index that all spans share, None where they differ."""
        first = int(self._which[0])
        return first if len(self.facts) == 1 and bool((self._which == first).all()) else None

    def _facts(self, key: tuple[float, str]) -> list[Fact | None]:
        return [fact.engines.get(key) for fact in self.facts] + [fact.others.get(key) for fact in self.facts]

    def fill(self, slots: Slots, field: str, step: float, bits: Bits) -> None:
        """Give a field to the spans that do not know it yet."""
        told = self._facts((step, field))
        slot = slots[field]
        only = told[self._only] if self._only is not None else None
        if only is not None and slot.is_untouched and slot.is_text:
            slot.put_texts(ALL, [str(only.value)], np.zeros(slots.rows, np.int64), only.source.number)
            if only.is_doubtful:
                mark(bits, ALL, Quality.REPLICA_UNSTABLE)
        elif only is not None or self._only is None:
            self._spread(slot, told, bits)

    def _spread(self, slot: Slot, told: Sequence[Fact | None], bits: Bits) -> None:
        numbers = np.array([fact.source.number if fact else 0 for fact in told], np.uint16)
        rows = np.flatnonzero((numbers[self._which] > 0) & ~slot.known)
        if not len(rows):
            return
        which = self._which[rows]
        if slot.is_text:
            slot.put_texts(rows, [str(fact.value) if fact else "" for fact in told], which, numbers[which])
        else:
            values = np.array([fact.value if fact else 0 for fact in told], DTYPES[slot.field.kind])
            slot.put(rows, values[which], numbers[which])
        doubtful = np.array([fact is not None and fact.is_doubtful for fact in told], np.bool_)
        mark(bits, rows[doubtful[which]], Quality.REPLICA_UNSTABLE)


def _remembered(known: dict[str, Value], key: str, read: Callable[[], Value]) -> Value:
    found = known.get(key)
    if found is None:
        if len(known) >= REMEMBERED_MAX:
            known.clear()
        found = read()
        if len(key) <= KEY_MAX:
            known[key] = found
    return found
