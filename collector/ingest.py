"""One commit: spans in, exactly once, with the requests they make and the ledger of what became of them.

Order within a commit: spans, then requests, then the ledger. A commit_seq in the ledger is a whole
commit; spans with a higher one are what a crash or a failing store left behind, and `recover` makes
their requests before anything else is committed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pyarrow as pa

from collector.arrays import Indices, Mask, Words, binary_rows, fingerprint, flat, integers, words
from collector.changes import changed_requests
from collector.correlate import correlate
from collector.recent_hops import RecentHops
from collector.recent_keys import RecentKeys
from store.contract import IngestReader, TelemetryWriter
from store.telemetry import columns
from vocabulary.pools import MINUTE_NS
from vocabulary.services import ServiceBook

_HOP_NAMES = columns.HOPS.names
RECENT_KEYS = 8_000_000
"""Spans whose re-delivery, and traces whose late hop, is recognised: the newest ones."""
NO_SPANS: pa.Table = pa.schema([field for field in columns.SPANS if field.name != "commit_seq"]).empty_table()
"""An arrival without spans: bodies that were refused before they could be read."""


class Dirt(Protocol):
    """Where changed minutes are reported; the rollup."""

    def mark(self, pool_minutes: Iterable[tuple[str, str, int]], version: int) -> None:
        """Remember (service, model, minute_ns) as dirty because of requests up to `version`."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Spans of a group of bodies, ready to commit.

    spans     SPANS columns without commit_seq
    rejected  records refused on the way here, by reason
    bodies    how many bodies they came in
    """

    spans: pa.Table
    rejected: Mapping[str, int] = field(default_factory=dict)
    bodies: int = 1


@dataclass(slots=True)
class Ingestor:
    """Commits arrivals. One thread calls it.

    salt      of the fingerprints, so that nobody outside can aim for collisions
    services  latency objectives that requests are judged by; another book may take its place at any time, from any
              thread, and holds for the commits that begin after it. What is stored keeps its judgement
    """

    writer: TelemetryWriter
    reader: IngestReader
    dirt: Dirt
    clock_ns: Callable[[], int]
    salt: int
    services: ServiceBook = field(default_factory=ServiceBook)
    _keys: RecentKeys = field(default_factory=lambda: RecentKeys(RECENT_KEYS))
    _traces: RecentKeys = field(default_factory=lambda: RecentKeys(RECENT_KEYS))
    _hops: RecentHops = field(default_factory=RecentHops)
    _seq: int = 0
    _whole: int = 0
    _is_torn: bool = False

    def recover(self) -> int:
        """Learn what is stored and finish what a crash left half-done. Returns spans whose commit was finished."""
        self._whole = self.reader.last_commit()
        self._seq = self.reader.highest_seq()  # failed commits used numbers too; a version must never be lower again
        stored = self.reader.recent_keys(RECENT_KEYS)
        self._keys.add(self._span_keys(stored))
        self._traces.add(np.unique(self._trace_keys(stored)))
        return self._mend()

    def commit(self, arrival: Arrival) -> None:
        """Store a group; on return every span of it is stored and queryable.

        raises  StoreUnavailableError when the store cannot take it; the next commit mends what was torn
        """
        if self._is_torn:
            self._mend()
        counts = Counter(arrival.rejected)
        fresh = self._without_duplicates(arrival.spans)
        counts["duplicate"] = arrival.spans.num_rows - fresh.num_rows
        counts["stored"] = fresh.num_rows
        self._is_torn = True
        self._seq = self._seq + 1
        if fresh.num_rows:
            self._store(fresh)
        self._write_ledger(counts, arrival.bodies)
        self._is_torn = False

    def _mend(self) -> int:
        self._hops = RecentHops()  # a torn commit may have left a trace incomplete here
        traces = self.reader.traces_after(self._whole)
        self._seq = self._seq + 1
        finished = 0
        if len(traces):
            hops = self.reader.hops(traces)
            is_late = integers(hops["commit_seq"]) > self._whole
            finished = int(is_late.sum())
            hops = hops.select(_HOP_NAMES)
            self._write_requests(hops.filter(pa.array(~is_late)), hops)
            self._write_ledger(Counter(stored=finished), 0)
        self._is_torn = False
        return finished

    def _store(self, fresh: pa.Table) -> None:
        traces = self._trace_keys(fresh)
        distinct, first = np.unique(traces, return_index=True)
        seen = self._traces.contains(distinct)
        before = self._hops_before(fresh["trace_id"].take(first[seen]), distinct[seen])
        self._keys.add(self._span_keys(fresh))
        self._traces.add(distinct[~seen])
        self.writer.append_spans(
            fresh.append_column("commit_seq", pa.array(np.full(fresh.num_rows, self._seq, np.uint64)))
        )
        after = fresh.select(_HOP_NAMES)
        if before.num_rows:
            after = pa.concat_tables([before, after]).combine_chunks()
        self._write_requests(before, after)
        self._hops.add(self._trace_keys(after), after)

    def _hops_before(self, trace_ids: pa.Array, traces: Words) -> pa.Table:
        """Hops already stored of the traces that this commit touches again."""
        tables, found = self._hops.take(traces)
        missing = flat(trace_ids).filter(pa.array(~found)) if len(traces) else trace_ids
        if len(missing):
            tables.append(self.reader.hops(missing).select(_HOP_NAMES))
        return pa.concat_tables([columns.HOPS.empty_table(), *(table.cast(columns.HOPS) for table in tables)])

    def _write_requests(self, before: pa.Table, after: pa.Table) -> None:
        """Write the requests that these hops change: new ones, other ones, and keys that are no request any more."""
        services = self.services  # the same for both sides, so that a new book alone changes nothing
        change = changed_requests(correlate(before, services), correlate(after, services))
        if change.written.num_rows + change.gone.num_rows == 0:
            return
        versions = [
            self._versioned(change.written, is_retracted=False),
            self._versioned(change.gone, is_retracted=True),
        ]
        self.writer.append_requests(pa.concat_tables(versions))
        self.dirt.mark(pool_minutes([change.written, change.replaced, change.gone]), self._seq)

    def _versioned(self, requests: pa.Table, *, is_retracted: bool) -> pa.Table:
        count = requests.num_rows
        extra = {
            "version": pa.array(np.full(count, self._seq, np.uint64)),
            "is_retracted": pa.array(np.full(count, is_retracted)),
        }
        names = columns.REQUESTS.names
        return pa.table([extra[name] if name in extra else requests[name] for name in names], schema=columns.REQUESTS)

    def _write_ledger(self, counts: Counter[str], bodies: int) -> None:
        self.writer.append_ledger(ledger_rows(self.clock_ns(), self._seq, counts, bodies))
        self._whole = self._seq

    def _without_duplicates(self, spans: pa.Table) -> pa.Table:
        keys = self._span_keys(spans)
        keep = _first_of_each(keys, words(spans["trace_id"]), words(spans["span_id"]))
        suspect = np.flatnonzero(keep & self._keys.contains(keys))
        if len(suspect):
            keep[suspect] = ~self._are_stored(spans.take(suspect))
        return spans if keep.all() else spans.filter(pa.array(keep))

    def _are_stored(self, suspects: pa.Table) -> Mask:
        """Exactly which suspected re-deliveries the store has."""
        stored = self.reader.stored_keys(flat(suspects["trace_id"]).unique())
        return np.isin(_joined(suspects), _joined(stored))

    def _span_keys(self, rows: pa.Table) -> Words:
        return fingerprint(self.salt, words(rows["trace_id"]), words(rows["span_id"]))

    def _trace_keys(self, rows: pa.Table) -> Words:
        return fingerprint(self.salt, words(rows["trace_id"]))


def ledger_rows(
    at_ns: int, commit_seq: int, counts: Mapping[str, int], bodies: int, signal: str = "traces"
) -> pa.Table:
    """LEDGER rows, one per reason; the row for what was stored is always there, for it ends the commit."""
    reasons = {"stored": 0, **{reason: count for reason, count in counts.items() if count}}
    rows = [
        {"at_ns": at_ns, "commit_seq": commit_seq, "signal": signal, "reason": reason, "records": count,
         "bodies": bodies if reason == "stored" else 0}
        for reason, count in reasons.items()
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=columns.LEDGER)


def pool_minutes(tables: Sequence[pa.Table]) -> set[tuple[str, str, int]]:
    """Distinct (service, model, minute_ns) in which these requests started."""
    rows = pa.concat_tables([table.select(["service", "model", "anchor_ns"]) for table in tables])
    minute = pa.array(integers(rows["anchor_ns"]) // MINUTE_NS * MINUTE_NS)
    grouped = pa.table({"service": rows["service"], "model": rows["model"], "minute": minute})
    distinct = grouped.group_by(["service", "model", "minute"]).aggregate([]).to_pydict()
    return set(zip(distinct["service"], distinct["model"], distinct["minute"], strict=True))


def _joined(rows: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    return binary_rows(np.concatenate([words(rows["trace_id"]), words(rows["span_id"])], axis=1))


def _first_of_each(keys: Words, *identity: Words) -> Mask:
    """(n,) True for the first row of each identity; equal fingerprints are compared in full."""
    order: Indices = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    for part in identity:
        same &= (part[order[1:]] == part[order[:-1]]).all(axis=1)
    keep = np.ones(len(keys), dtype=np.bool_)
    keep[order[1:][same]] = False
    return keep
