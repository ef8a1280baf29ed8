"""Commits are exactly once and heal after a crash or a failing store; the store is real."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest

from collector.arrays import Mask, Words
from collector.ingest import NO_SPANS, Arrival, Ingestor, ledger_rows, pool_minutes
from collector.recent_keys import RecentKeys
from store.contract import RequestFilter, TelemetryWriter
from store.telemetry.open import Telemetry
from tests.factories.hops import START_NS, hop, span_table
from vocabulary.errors import StoreUnavailableError
from vocabulary.outcomes import DefectKind
from vocabulary.pools import MINUTE_NS, Window
from vocabulary.services import Objectives, ServiceBook, ServiceDefinition

_EVER = Window(START_NS - 86_400_000_000_000, START_NS + 86_400_000_000_000)


@dataclass
class _Dirt:
    marked: set[tuple[str, str, int]] = field(default_factory=set)

    def mark(self, pool_minutes: Iterable[tuple[str, str, int]], version: int) -> None:
        assert version > 0
        self.marked.update(pool_minutes)


@dataclass
class _Failing:
    """The real writer, which fails when told to."""

    real: TelemetryWriter
    fails: str = ""

    def append_spans(self, rows: pa.Table) -> None:
        self._call("spans", rows)

    def append_requests(self, rows: pa.Table) -> None:
        self._call("requests", rows)

    def append_ledger(self, rows: pa.Table) -> None:
        self._call("ledger", rows)

    def _call(self, name: str, rows: pa.Table) -> None:
        if self.fails == name:
            self.fails = ""
            message = "disk full"
            raise StoreUnavailableError(message)
        getattr(self.real, f"append_{name}")(rows)


def _ingestor(telemetry: Telemetry, writer: TelemetryWriter | None = None, dirt: _Dirt | None = None) -> Ingestor:
    ingestor = Ingestor(writer or telemetry.writer, telemetry.reader, dirt or _Dirt(), lambda: START_NS, salt=11)
    ingestor.recover()
    return ingestor


def _requests(telemetry: Telemetry) -> list[dict[str, object]]:
    rows = telemetry.reader.requests(_EVER, RequestFilter(), 100).rows
    return sorted(rows.to_pylist(), key=lambda row: row["anchor_ns"])


def _span_count(telemetry: Telemetry) -> int:
    return int(telemetry.reader.recent_keys(1_000).num_rows)


def _records(telemetry: Telemetry) -> dict[str, int]:
    ledger = telemetry.reader.ingest_ledger(_EVER)
    return {reason: count for reason, count in ledger["traces"].reasons.items() if count}


def test_a_committed_span_is_stored_and_its_request_queryable(telemetry: Telemetry) -> None:
    _ingestor(telemetry).commit(Arrival(span_table([hop(1), hop(2, parent=1)])))
    (request,) = _requests(telemetry)
    assert (request["hop_count"], request["outcome"]) == (2, "completed")
    assert _records(telemetry) == {"stored": 2}


def test_a_redelivery_counts_once(telemetry: Telemetry) -> None:
    ingestor = _ingestor(telemetry)
    ingestor.commit(Arrival(span_table([hop(1), hop(1), hop(2, trace_number=2), hop(1)])))
    ingestor.commit(Arrival(span_table([hop(1), hop(3, trace_number=3)])))
    assert _span_count(telemetry) == 3
    assert len(_requests(telemetry)) == 3
    assert _records(telemetry) == {"stored": 3, "duplicate": 3}


def test_a_redelivery_after_a_restart_counts_once(telemetry: Telemetry) -> None:
    _ingestor(telemetry).commit(Arrival(span_table([hop(1)])))
    _ingestor(telemetry).commit(Arrival(span_table([hop(1)])))
    assert _span_count(telemetry) == 1
    assert _records(telemetry) == {"stored": 1, "duplicate": 1}


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_late_gateway_hop_takes_over_the_request(telemetry: Telemetry, *, is_restarted: bool) -> None:
    dirt = _Dirt()
    ingestor = _ingestor(telemetry, dirt=dirt)
    ingestor.commit(Arrival(span_table([hop(2, parent=1, start_ns=START_NS + 90_000_000_000)])))
    if is_restarted:
        ingestor = _ingestor(telemetry, dirt=dirt)
    ingestor.commit(Arrival(span_table([hop(1, hop_role="gateway", service="edge", http_status=200)])))
    (request,) = _requests(telemetry)
    assert (request["service"], request["hop_roles"]) == ("edge", "gateway,engine")
    first = START_NS // MINUTE_NS * MINUTE_NS
    later = (START_NS + 90_000_000_000) // MINUTE_NS * MINUTE_NS
    assert dirt.marked == {("chat", "m", later), ("edge", "m", first)}


def test_objectives_count_from_the_commit_after_they_change(telemetry: Telemetry) -> None:
    dirt = _Dirt()
    ingestor = _ingestor(telemetry, dirt=dirt)
    ingestor.commit(Arrival(span_table([hop(1, trace_number=1), hop(2, trace_number=2)])))
    ingestor.services = ServiceBook((ServiceDefinition("chat", objectives=Objectives(e2e_s=0.5)),))
    ingestor.commit(Arrival(span_table([hop(3, trace_number=3), hop(4, trace_number=2, request_id="sibling")])))
    assert [row["defects"] for row in _requests(telemetry)] == [0, 0, DefectKind.SLOW, DefectKind.SLOW]
    ingestor.commit(Arrival(span_table([hop(5, parent=1, trace_number=1)])))
    assert [row["defects"] for row in _requests(telemetry)][:2] == [DefectKind.SLOW, 0]


def test_a_colliding_fingerprint_costs_no_span(telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch) -> None:
    def always(_self: RecentKeys, keys: Words) -> Mask:
        return np.ones(len(keys), dtype=np.bool_)

    monkeypatch.setattr(RecentKeys, "contains", always)
    ingestor = _ingestor(telemetry)
    ingestor.commit(Arrival(span_table([hop(1), hop(2, trace_number=2)])))
    ingestor.commit(Arrival(span_table([hop(1), hop(3)])))
    assert _span_count(telemetry) == 3
    assert len(_requests(telemetry)) == 3


def test_a_growing_trace_does_not_write_its_finished_requests_again(telemetry: Telemetry) -> None:
    dirt = _Dirt()
    ingestor = _ingestor(telemetry, dirt=dirt)
    ingestor.commit(Arrival(span_table([hop(1, is_inference=False, hop_role="other"), hop(2, parent=1)])))
    dirt.marked.clear()
    late = START_NS + 10 * MINUTE_NS
    ingestor.commit(Arrival(span_table([hop(3, parent=1, start_ns=late, end_ns=late)])))
    assert dirt.marked == {("chat", "m", late // MINUTE_NS * MINUTE_NS)}
    assert len({row["version"] for row in _requests(telemetry)}) == 2


@pytest.mark.parametrize("place", ["spans", "requests", "ledger"])
def test_what_a_failing_store_tore_is_mended_by_the_next_commit(telemetry: Telemetry, place: str) -> None:
    writer = _Failing(telemetry.writer)
    ingestor = _ingestor(telemetry, writer)
    ingestor.commit(Arrival(span_table([hop(2, parent=1)])))
    writer.fails = place
    late = Arrival(span_table([hop(1, hop_role="gateway"), hop(5, trace_number=5)]))
    with pytest.raises(StoreUnavailableError):
        ingestor.commit(late)
    ingestor.commit(late)
    assert _span_count(telemetry) == 3
    assert [row["hop_count"] for row in _requests(telemetry)] == [2, 1]
    assert _records(telemetry)["stored"] == 3


@pytest.mark.parametrize("place", ["requests", "ledger"])
def test_what_a_crash_tore_is_finished_at_the_next_start(telemetry: Telemetry, place: str) -> None:
    writer = _Failing(telemetry.writer)
    ingestor = _ingestor(telemetry, writer)
    ingestor.commit(Arrival(span_table([hop(2, parent=1)])))
    writer.fails = place
    with pytest.raises(StoreUnavailableError):
        ingestor.commit(Arrival(span_table([hop(1, hop_role="gateway")])))
    dirt = _Dirt()
    restarted = Ingestor(telemetry.writer, telemetry.reader, dirt, lambda: START_NS, salt=3)
    assert restarted.recover() == 1
    assert [row["hop_count"] for row in _requests(telemetry)] == [2]
    assert dirt.marked
    assert _records(telemetry) == {"stored": 2}


def test_versions_go_on_above_those_of_failed_commits_after_a_restart(telemetry: Telemetry) -> None:
    writer = _Failing(telemetry.writer)
    ingestor = _ingestor(telemetry, writer)
    ingestor.commit(Arrival(span_table([hop(9, trace_number=9)])))
    for _ in range(4):
        writer.fails = "ledger"
        with pytest.raises(StoreUnavailableError):
            ingestor.commit(Arrival(span_table([hop(1, hop_role="gateway")])))
    restarted = _ingestor(telemetry)
    restarted.commit(Arrival(span_table([hop(2, parent=1)])))
    assert {row["hop_count"] for row in _requests(telemetry)} == {1, 2}


def test_rejected_spans_are_in_the_ledger_even_without_a_stored_one(telemetry: Telemetry) -> None:
    _ingestor(telemetry).commit(Arrival(NO_SPANS, {"invalid_span_id": 3}))
    assert _records(telemetry) == {"invalid_span_id": 3}


def test_commit_numbers_go_on_after_a_restart(telemetry: Telemetry) -> None:
    _ingestor(telemetry).commit(Arrival(span_table([hop(1)])))
    first = telemetry.reader.last_commit()
    _ingestor(telemetry).commit(Arrival(span_table([hop(2)])))
    assert telemetry.reader.last_commit() > first > 0


def test_the_row_that_ends_a_commit_is_always_there() -> None:
    rows = ledger_rows(1, 2, {"bad": 3, "none": 0}, 4).to_pylist()
    assert [(row["reason"], row["records"], row["bodies"]) for row in rows] == [("stored", 0, 4), ("bad", 3, 0)]


def test_pool_minutes_are_distinct() -> None:
    rows = pa.table({"service": ["a", "a"], "model": ["m", "m"], "anchor_ns": [MINUTE_NS + 1, MINUTE_NS + 2]})
    assert pool_minutes([rows, rows]) == {("a", "m", MINUTE_NS)}
