"""The columns of one OTLP body: each part is worked out once, from the parts it needs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from collector.otlp.attributes import Attributes, attributes_of
from collector.otlp.columnar import Bytes8, Index, constant_text, nothing, numbers, spread
from collector.otlp.derive import Derivation
from collector.otlp.envelope import Envelope, span_kinds, statuses, times
from collector.otlp.hops import Hops, judge_spans
from collector.otlp.moments import Events, read_events, read_links
from collector.otlp.pivot import Stored, limited
from collector.otlp.privacy import Privacy, mask_text, mask_texts
from collector.otlp.quality import quality_column
from collector.otlp.resolve import Resolution
from collector.otlp.resources import Memory, ResourceColumns, ResourceFacts, ScopeFacts
from collector.otlp.slots import Slots
from collector.otlp.sources import sources_column
from store.telemetry.columns import ARROW_TYPES
from vocabulary.fields import CANONICAL, Kind

UINT32_MAX = np.uint64(2**32 - 1)
Columns = dict[str, pa.Array]


@dataclass(frozen=True)
class Body:
    """A body of n >= 1 spans on its way to columns.

    memory  facts of resources and scopes, and the alias tables that the body is read by
    """

    envelope: Envelope
    privacy: Privacy
    memory: Memory

    def columns(self, received_ns: int) -> Columns:
        """Every column of a span but commit_seq."""
        spans = self.envelope.spans
        links, lost_links = read_links(spans.field("links"), self.privacy, self.envelope.bits)
        parts = {
            **self.envelope.ids,
            **self._times_and_status(received_ns),
            **self._judgements(),
            **self._texts(),
            **self._attributes(),
            **self._origin(),
            **self.events.columns,
            **links,
            "kind": pa.array(self.kinds),
            "flags": spans.field("flags"),
            "dropped_attributes": _added(spans.field("dropped_attributes_count"), self._limited[1]),
            "dropped_events": spans.field("dropped_events_count"),
            "dropped_links": _added(spans.field("dropped_links_count"), lost_links),
        }
        return {**parts, "quality": quality_column(self.envelope.bits)}

    @cached_property
    def _limited(self) -> tuple[Attributes, Index]:
        return limited(attributes_of(self.envelope.spans.field("attributes")), self.envelope.bits)

    @property
    def attributes(self) -> Attributes:
        """Span attributes, as many as are kept."""
        return self._limited[0]

    @cached_property
    def kinds(self) -> Bytes8:
        """(n,) span kinds."""
        return span_kinds(self.envelope.spans)

    @cached_property
    def status(self) -> tuple[Bytes8, pa.Array]:
        """(n,) status codes, and messages as they came."""
        return statuses(self.envelope.spans)

    @cached_property
    def events(self) -> Events:
        """Events of all spans."""
        return read_events(self.envelope.spans.field("events"), self.privacy)

    @cached_property
    def resources(self) -> list[ResourceFacts]:
        """Facts of every resource."""
        resources = self.envelope.resource_spans.field("resource")
        dropped = resources.field("dropped_attributes_count").to_pylist()
        dicts = attributes_of(resources.field("attributes")).dicts()
        return [self.memory.resource(found, lost or 0) for found, lost in zip(dicts, dropped, strict=True)]

    @cached_property
    def scopes(self) -> list[ScopeFacts]:
        """Facts of every scope."""
        scopes = self.envelope.scope_spans.field("scope")
        rows = zip(
            scopes.field("name").to_pylist(),
            scopes.field("version").to_pylist(),
            attributes_of(scopes.field("attributes")).dicts(),
            scopes.field("dropped_attributes_count").to_pylist(),
            strict=True,
        )
        return [self.memory.scope(name or "", version or "", found, lost or 0) for name, version, found, lost in rows]

    @cached_property
    def hops(self) -> Hops:
        """Who sent each span, in which role."""
        scopes = [scope.name for scope in self.scopes]
        names = self.envelope.spans.field("name")
        return judge_spans(self.attributes, scopes, self.envelope.scope_of, names, self.kinds)

    def _times_and_status(self, received_ns: int) -> Columns:
        start, end, is_ended = times(self.envelope.spans, self.envelope.bits)
        return {
            "start_ns": pa.array(start),
            "end_ns": pa.array(end, mask=~is_ended),
            "received_ns": pa.array(np.full(len(start), received_ns, np.int64)),
            "status_code": pa.array(self.status[0]),
        }

    def _judgements(self) -> Columns:
        judgements = self.hops.judgements
        return {
            "hop_role": self.hops.column([judgement.role.value for judgement in judgements]),
            "is_inference": pa.array(self.hops.mask([judgement.is_inference for judgement in judgements])),
            "emitter": self.hops.column([judgement.emitter for judgement in judgements]),
        }

    def _texts(self) -> Columns:
        spans = self.envelope.spans
        return {
            "name": _changed(spans.field("name"), lambda name: mask_text(name) or "unknown"),
            "status_message": _changed(self.status[1], self.privacy.message),
            "trace_state": mask_texts(spans.field("trace_state")),
        }

    def _attributes(self) -> Columns:
        """Canonical columns, where they came from, and maps of the rest."""
        attributes, bits = self.attributes, self.envelope.bits
        texts = mask_texts(attributes.texts)
        slots = Slots(len(self.kinds))
        resolution = Resolution(
            attributes=attributes,
            texts=texts,
            hops=self.hops,
            kinds=self.kinds,
            slots=slots,
            bits=bits,
            privacy=self.privacy,
            tables=self.memory.tables,
        )
        engines = self.hops.mask([judgement.is_engine for judgement in self.hops.judgements])
        resolution.run(ResourceColumns(self.resources, self.envelope.resource_of, engines))
        Derivation(
            slots=slots,
            hops=self.hops,
            attributes=attributes,
            events=self.events,
            spans=self.envelope.spans,
            status=self.status,
            bits=bits,
            derived=self.memory.tables.derived,
        ).run()
        return {
            **_canonical(slots, texts),
            "sources": sources_column(slots, self.memory.tables),
            **Stored(attributes, texts, bits, self.privacy).maps(resolution.consumed, resolution.bad),
        }

    def _origin(self) -> Columns:
        envelope = self.envelope
        schema_urls = [mask_text(url) for url in envelope.resource_spans.field("schema_url").to_pylist()]
        scope_urls = [mask_text(url) for url in envelope.scope_spans.field("schema_url").to_pylist()]
        return {
            "resource": spread([resource.text for resource in self.resources], envelope.resource_of),
            "resource_schema_url": spread(schema_urls, envelope.resource_of),
            "scope_name": spread([scope.name for scope in self.scopes], envelope.scope_of),
            "scope_version": spread([scope.version for scope in self.scopes], envelope.scope_of),
            "scope": spread([scope.text for scope in self.scopes], envelope.scope_of),
            "scope_schema_url": spread(scope_urls, envelope.scope_of),
        }


def _changed(texts: pa.Array, change: Callable[[str], str]) -> pa.Array:
    """Every distinct text changed once."""
    encoded = texts.dictionary_encode()
    distinct: Sequence[str] = [change(text) for text in encoded.dictionary.to_pylist()]
    return spread(distinct, numbers(encoded.indices, np.int32))


def _canonical(slots: Slots, texts: pa.Array) -> Columns:
    empty = constant_text("", slots.rows)
    nulls = {kind: nothing(ARROW_TYPES[kind], slots.rows) for kind in Kind}
    columns = {field.name: empty if field.kind is Kind.TEXT else nulls[field.kind] for field in CANONICAL}
    columns.update((slot.field.name, slot.column(texts)) for slot in slots.used())
    return columns


def _added(counts: pa.Array, more: Index) -> pa.Array:
    if not more.any():
        return counts
    total = numbers(counts, np.uint32).astype(np.uint64) + more
    return pa.array(np.minimum(total, UINT32_MAX).astype(np.uint32))
