"""Resources and scopes: few per body, so they are read one by one, and remembered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from collector.otlp.alias_tables import Convert, Source, alias_tables
from collector.otlp.columnar import Bools, Index
from collector.otlp.conversions import Canonical, convert
from collector.otlp.privacy import Privacy, mask_text
from collector.otlp.quality import Bits, Quality, mark
from collector.otlp.slots import DTYPES, Slots
from collector.otlp.values import Plain, to_json
from vocabulary.fields import BY_NAME, Kind

EARLY = 49.5
LATE = 999.0
DROPPED = "otel.dropped_attributes_count"
REMEMBERED_MAX = 4096
Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Fact:
    """A canonical value that a resource tells."""

    value: Canonical
    source: Source


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
    """Facts by the JSON text of the raw attributes; bounded, thread-safe by being replaceable at any time."""

    def __init__(self, privacy: Privacy) -> None:
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
        for field, sources in alias_tables().of_resource.items():
            for source in sources:
                value = convert(source, attributes.get(source.name), self._privacy)
                if value is not None:
                    key = (EARLY if source.rank < EARLY else LATE, field)
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

    def fill(self, slots: Slots, field: str, step: float, bits: Bits) -> None:
        """Give a field to the spans that do not know it yet."""
        key = (step, field)
        told = [fact.engines.get(key) for fact in self.facts] + [fact.others.get(key) for fact in self.facts]
        if not any(told):
            return
        numbers = np.array([fact.source.number if fact else 0 for fact in told], np.uint16)
        which = np.where(self.engines, self.index, self.index + len(self.facts))
        slot = slots[field]
        rows = np.flatnonzero((numbers[which] > 0) & ~slot.known)
        if not len(rows):
            return
        if BY_NAME[field].kind is Kind.TEXT:
            texts = [str(fact.value) if fact else "" for fact in told]
            slot.put_texts(rows, texts, which[rows], numbers[which[rows]])
        else:
            values = np.array([fact.value if fact else 0 for fact in told], DTYPES[slot.field.kind])
            slot.put(rows, values[which[rows]], numbers[which[rows]])
        if field == "replica":
            unstable = np.array(
                [fact is not None and fact.source.convert is Convert.UNSTABLE_INSTANCE for fact in told]
            )
            mark(bits, rows[unstable[which[rows]]], Quality.REPLICA_UNSTABLE)


def _remembered(known: dict[Key, Value], key: Key, read: Callable[[], Value]) -> Value:
    found = known.get(key)
    if found is None:
        if len(known) >= REMEMBERED_MAX:
            known.clear()
        found = known[key] = read()
    return found
