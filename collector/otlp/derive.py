"""Canonical fields that no single attribute holds: what follows from several, from events and from the status."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from collector.otlp.attributes import Attributes, ValueType
from collector.otlp.columnar import Bools, Bytes8, Index, lengths, numbers
from collector.otlp.envelope import INT64_MAX
from collector.otlp.error_class import ErrorFacts, classify
from collector.otlp.hops import CLIENT, Hops, hop_rules
from collector.otlp.moments import Events
from collector.otlp.quality import Bits, Quality, mark
from collector.otlp.slots import Slots
from vocabulary.roles import HopRole

SECOND_NS = 1e9
ERROR = 2
FAILURE_FROM = 400
CALLERS = frozenset({HopRole.CLIENT, HopRole.GATEWAY})
OTEL_CALLERS = frozenset({"otel_genai", "litellm", "envoy_ai_gateway", "peakline"})


@dataclass(frozen=True)
class Derivation:
    """What deriving looks at, for n spans.

    spans   (n,) messages as they came
    status  (n,) status codes, and (n,) messages as they came: never stored so
    derived  number of each derived source by (field, label)
    """

    slots: Slots
    hops: Hops
    attributes: Attributes
    events: Events
    spans: pa.StructArray
    status: tuple[Bytes8, pa.Array]
    bits: Bits
    derived: Mapping[tuple[str, str], int]

    def run(self) -> None:
        """Fill what is still unknown."""
        self._frameworks()
        self._streams()
        self._first_tokens()
        self._engine_ttft()
        self._cached_within_input()
        self._errors()

    def _frameworks(self) -> None:
        names = [
            hop_rules().frameworks.get(judgement.emitter, "") if judgement.is_engine else ""
            for judgement in self.hops.judgements
        ]
        if any(names):
            rows = np.flatnonzero(self.hops.mask([bool(name) for name in names]))
            self.slots["framework"].put_texts(rows, names, self.hops.index[rows], self.derived["framework", "emitter"])

    def _streams(self) -> None:
        """A caller by the OpenTelemetry conventions sends the flag only when it is true."""
        first_chunk = self.slots.get("client_ttft_s")
        if first_chunk is not None:
            rows = np.flatnonzero(first_chunk.known & ~self.slots["stream"].known)
            self._put_streams(rows, value=True, label="present time_to_first_chunk")
        silent = self.hops.mask(
            [
                judgement.is_inference and judgement.role in CALLERS and judgement.emitter in OTEL_CALLERS
                for judgement in self.hops.judgements
            ]
        ) & (numbers(self.spans.field("kind"), np.int32) == CLIENT)
        if silent.any():
            rows = np.flatnonzero(silent & ~self.slots["stream"].known & self._has_operation())
            self._put_streams(rows, value=False, label="absent gen_ai.request.stream")

    def _put_streams(self, rows: Index, *, value: bool, label: str) -> None:
        if len(rows):
            self.slots["stream"].put(rows, np.full(len(rows), value), self.derived["stream", label])

    def _has_operation(self) -> Bools:
        slot = self.slots.get("operation")
        return np.zeros(self.slots.rows, np.bool_) if slot is None else slot.known

    def _first_tokens(self) -> None:
        rows, at = self.events.first_token
        if not len(rows):
            return
        slot = self.slots["client_ttft_s"]
        start = numbers(self.spans.field("start_time_unix_nano"), np.uint64)[rows]
        good = (start > 0) & (start <= INT64_MAX) & (at.astype(np.uint64) >= start) & ~slot.known[rows]
        seconds = (at - start.astype(np.int64))[good] / SECOND_NS
        if len(seconds):
            slot.put(rows[good], seconds, self.derived["client_ttft_s", "event First Token Stream Event"])

    def _engine_ttft(self) -> None:
        queue, prefill = self.slots.get("queue_s"), self.slots.get("prefill_s")
        if queue is None or prefill is None:
            return
        slot = self.slots["server_ttft_s"]
        rows = np.flatnonzero(queue.known & prefill.known & ~slot.known)
        if len(rows):
            slot.put(rows, (queue.values + prefill.values)[rows], self.derived["server_ttft_s", "queue_s + prefill_s"])

    def _cached_within_input(self) -> None:
        cached, total = self.slots.get("cached_tokens"), self.slots.get("input_tokens")
        if cached is None or total is None:
            return
        wrong = cached.known & total.known & (cached.values > total.values)
        if wrong.any():
            cached.forget(np.flatnonzero(wrong))
            mark(self.bits, wrong, Quality.CACHED_EXCEEDS_INPUT)

    def _errors(self) -> None:
        """Classify spans that failed: few, so one at a time.

        An exception event alone is no failure, since OpenTelemetry records handled exceptions too; of a span that
        failed by its status, its HTTP status or its error.type, it is evidence of the class.
        """
        status = self.slots.get("http_status")
        codes = np.where(status.known, status.values, 0) if status else np.zeros(self.slots.rows, np.int64)
        told = self._error_types()
        failed = (self.status[0] == ERROR) | (codes >= FAILURE_FROM)
        failed[list(told)] = True
        rows = np.flatnonzero(failed)
        if not len(rows):
            return
        messages = self.status[1].take(pa.array(rows)).to_pylist()
        texts: list[str] = []
        sources: list[int] = []
        windows: dict[int, int] = {}
        for row, message in zip(rows.tolist(), messages, strict=True):
            exception_type, exception_message = self.events.exceptions.get(row, ("", ""))
            said = f"{message}\n{exception_message}".strip()[:4096]
            finding = classify(ErrorFacts(told.get(row, "")[:200], exception_type[:200], said, int(codes[row])))
            texts.append(finding.found.value)
            sources.append(self.derived["error_type", finding.source])
            if finding.context_window:
                windows[row] = finding.context_window
        self.slots["error_type"].put_texts(rows, texts, np.arange(len(rows)), np.array(sources, np.uint16))
        self._windows(windows)

    def _windows(self, windows: dict[int, int]) -> None:
        rows = np.array(list(windows), np.int64)
        if len(rows):
            slot = self.slots["context_window"]
            rows = rows[~slot.known[rows]]
            values = np.array([windows[row] for row in rows.tolist()], np.int64)
            slot.put(rows, values, self.derived["context_window", "status.message"])

    def _error_types(self) -> dict[int, str]:
        code = self.attributes.code("error.type")
        if code is None:
            return {}
        positions = self.attributes.positions(code)
        positions = positions[self.attributes.types[positions] == ValueType.TEXT]
        positions = positions[lengths(self.attributes.texts)[positions] > 0]
        values = self.attributes.texts.take(pa.array(positions)).to_pylist()
        return dict(zip(self.attributes.owner[positions].tolist(), values, strict=True))
