from collections.abc import Callable, Mapping
from dataclasses import astuple, is_dataclass
from typing import Any

import pyarrow as pa
import pytest

from store.contract import IngestReader, Page, RequestFilter, TelemetryReader
from store.control.open import Control
from store.telemetry.open import Telemetry
from store.telemetry.reader import Reader
from store.telemetry.tenant_reader import TenantReader
from tests.factories.changes import change
from tests.factories.stores import START_NS, ledger, new_id, request, requests, span, spans
from vocabulary.errors import RefusedReadError
from vocabulary.pools import SECOND_NS, Pool, Window

HOUR = Window(START_NS, START_NS + 3600 * SECOND_NS)
CHAT = Pool("chat", "m")
OUR_TRACE, THEIR_TRACE, SHARED_TRACE = new_id(16), new_id(16), new_id(16)
OUR_KEY, THEIR_KEY = new_id(16), new_id(16)

QUESTIONS: Mapping[str, Callable[[Any], object]] = {
    "snapshot": lambda reader: reader.snapshot().outcome_totals(HOUR),
    "within": lambda reader: reader.within({"ours", "theirs"}).outcome_totals(HOUR),
    "pools": lambda reader: reader.pools(HOUR),
    "load_tests": lambda reader: reader.load_tests(),
    "minutes": lambda reader: [reader.minutes(CHAT, HOUR, load_test) for load_test in ("", "lt", "theirs")],
    "minute_series": lambda reader: [reader.minute_series(pool, HOUR, 600) for pool in (None, CHAT)],
    "sketches": lambda reader: [reader.sketches(CHAT, HOUR, [], load_test) for load_test in ("", "lt", "theirs")],
    "requests": lambda reader: [reader.requests(HOUR, RequestFilter(tenant=name), 9) for name in ("", "theirs")],
    "request": lambda reader: [reader.request(key) for key in (OUR_KEY, THEIR_KEY)],
    "in_flight": lambda reader: reader.in_flight("chat", "m", "r0", START_NS + 90 * SECOND_NS),
    "spans": lambda reader: [reader.spans(trace, 9) for trace in (OUR_TRACE, THEIR_TRACE, SHARED_TRACE)],
    "arrivals": lambda reader: reader.arrivals(CHAT, Window(START_NS, START_NS + 600 * SECOND_NS)),
    "outcome_totals": lambda reader: [reader.outcome_totals(HOUR, pool) for pool in (None, CHAT)],
    "changes": lambda reader: reader.changes(HOUR, 9),
    "ingest_ledger": lambda reader: reader.ingest_ledger(HOUR),
    "import_progress": lambda reader: reader.import_progress("i1"),
}
"""One question per public verb; each would tell of the other tenant's rows, asked without a limit."""


def named(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def plain(answer: Any) -> Any:
    """An answer as values, but for load, which is a fact about the whole pool."""
    if isinstance(answer, pa.Table):
        return answer.drop_columns([name for name in LOAD if name in answer.column_names]).to_pylist()
    if isinstance(answer, Page):
        return plain(answer.rows), answer.next
    if isinstance(answer, list | tuple):
        return [plain(part) for part in answer]
    return astuple(answer) if is_dataclass(answer) and not isinstance(answer, type) else answer


LOAD = ("replicas_ready", "load_rps")


def answers(reader: TelemetryReader) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, ask in QUESTIONS.items():
        try:
            found[name] = plain(ask(reader))
        except RefusedReadError as refusal:
            found[name] = str(refusal)
    return found


def write_ours(store: Telemetry) -> None:
    store.writer.append_requests(
        requests(
            *(request(60, tenant="ours", request_key=OUR_KEY, trace_id=OUR_TRACE), request(61, tenant="ours")),
            *(request(62, tenant="ours", load_test="lt"), request(63, tenant="ours", import_id="i1")),
        )
    )
    store.writer.append_spans(spans(span(60, trace_id=OUR_TRACE, tenant="ours")))


def write_theirs(store: Telemetry) -> None:
    """Rows of another tenant, and of nobody, wherever there are rows of ours, and elsewhere."""
    long = {"end_ns": START_NS + 99 * SECOND_NS, "defects": 1, "outcome": "failed", "input_tokens": 777}
    theirs: dict[str, Any] = {"tenant": "theirs", **long, "version": 2}
    store.writer.append_requests(
        requests(
            *(request(60, **theirs, request_key=THEIR_KEY, trace_id=THEIR_TRACE), request(61, **theirs)),
            *(request(62, **theirs, load_test="lt"), request(62, **theirs, load_test="theirs")),
            *(request(63, **theirs, import_id="i1"), request(64, **theirs, service="theirs", replica="theirs")),
            *(request(65, version=2, **long), request(65, **theirs, trace_id=SHARED_TRACE)),
        )
    )
    shared = [span(60, trace_id=SHARED_TRACE, tenant=tenant, commit_seq=2) for tenant in ("ours", "theirs")]
    store.writer.append_spans(spans(span(60, trace_id=THEIR_TRACE, name="theirs", commit_seq=2), *shared))
    store.writer.append_ledger(ledger({"commit_seq": 2}))
    store.writer.append_changes([change(at_ns=START_NS, summary="theirs")])


def rolled(store: Telemetry, control: Control) -> None:
    rollup = store.rollup(control)
    rollup.recover()
    rollup.run()


def test_every_verb_of_the_contract_has_a_question() -> None:
    assert set(QUESTIONS) == named(TelemetryReader) | {"import_progress"}
    assert set(QUESTIONS) == named(TenantReader)


def test_nothing_of_another_tenant_shows_in_any_answer(telemetry: Telemetry, control: Control) -> None:
    write_ours(telemetry)
    rolled(telemetry, control)
    before, all_before = answers(telemetry.reader.within({"ours"})), answers(telemetry.reader)
    write_theirs(telemetry)
    rolled(telemetry, control)
    after, all_after = answers(telemetry.reader.within({"ours"})), answers(telemetry.reader)
    assert after == before
    assert "theirs" not in repr(after)
    assert [name for name in QUESTIONS if all_after[name] == all_before[name]] == []


def test_who_may_see_no_tenant_sees_what_an_empty_store_shows(telemetry: Telemetry, control: Control) -> None:
    nobody = telemetry.reader.within(frozenset())
    before = answers(nobody)
    write_ours(telemetry)
    write_theirs(telemetry)
    rolled(telemetry, control)
    assert answers(nobody) == before


def test_a_limited_reader_cannot_be_asked_what_ingestion_asks(telemetry: Telemetry) -> None:
    limited = telemetry.reader.within({"ours"})
    assert not (named(IngestReader) - {"import_progress"}) & named(type(limited))


def test_no_limit_is_the_reader_itself(telemetry: Telemetry) -> None:
    reader: TelemetryReader = telemetry.reader
    assert reader.within(None) is telemetry.reader
    assert isinstance(telemetry.reader, Reader)


def test_limits_only_narrow_and_snapshots_keep_them(telemetry: Telemetry, control: Control) -> None:
    telemetry.writer.append_requests(requests(*(request(1, tenant=name) for name in ("a", "b", "c"))))
    rolled(telemetry, control)
    both: TelemetryReader = telemetry.reader.within({"a", "b"})
    for reader, seen in (
        *((both, {"a", "b"}), (both.within(None), {"a", "b"}), (both.within({"b", "c"}), {"b"})),
        *((both.snapshot(), {"a", "b"}), (both.within({"c"}), set()), (both.snapshot().within({"c", "a"}), {"a"})),
        *((telemetry.reader.snapshot().within({"c"}), {"c"}), (both.within(frozenset()).within({"a"}), set())),
    ):
        assert set(reader.requests(HOUR, RequestFilter(), 9).rows["tenant"].to_pylist()) == seen
        assert sum(reader.outcome_totals(HOUR).values()) == len(seen)


def test_a_limited_reader_says_how_much_it_counts_at_once(telemetry: Telemetry) -> None:
    ours = telemetry.reader.within({"ours"})
    long = Window(START_NS, START_NS + 32 * 86_400 * SECOND_NS)
    asked: tuple[Callable[[], object], ...] = (
        *(lambda: ours.pools(long), lambda: ours.minutes(CHAT, long), lambda: ours.sketches(CHAT, long, [])),
        *(lambda: ours.minute_series(None, long, 3600), lambda: ours.outcome_totals(long)),
    )
    for ask in asked:
        with pytest.raises(RefusedReadError, match="at most 31 days"):
            ask()
    assert ours.requests(long, RequestFilter(), 9).rows.num_rows == 0
