from sqlalchemy import select

from store.contract import RequestFilter
from store.telemetry import request_reads as reads
from store.telemetry.open import Telemetry
from store.telemetry.scope import EVERYBODY, Scope
from store.telemetry.tables import requests, spans
from tests.factories.stores import START_NS
from tests.store.snapshot import assert_statement
from vocabulary.outcomes import Outcome
from vocabulary.pools import SECOND_NS, Pool, Window

DAY = Window(START_NS, START_NS + 86_400 * SECOND_NS)
MINUTE = Window(START_NS, START_NS + 60 * SECOND_NS)
KEY = bytes(range(16))
OURS = Scope(frozenset({"a", "it's"}))
EVERYTHING = RequestFilter("s", "m", Outcome.FAILED, "error", "core", "r", "t", "lt")


def test_the_first_page_reads_a_few_granules(large: Telemetry) -> None:
    assert large.reads.rows_read(reads.candidates(EVERYBODY, DAY, RequestFilter(), 102, None)) < 12_000


def test_a_later_page_reads_no_more_than_the_first(large: Telemetry) -> None:
    after = (START_NS + 9_000 * SECOND_NS, KEY)
    assert large.reads.rows_read(reads.candidates(EVERYBODY, DAY, RequestFilter(), 102, after)) < 12_000


def test_the_rows_of_a_page_are_read_by_key(large: Telemetry) -> None:
    page = large.reader.requests(DAY, RequestFilter(), 50)
    statement = reads.current(EVERYBODY, reads.distinct_keys(page.rows), RequestFilter())
    assert large.reads.rows_read(statement) < 12_000


def test_one_request_is_found_without_a_scan(large: Telemetry) -> None:
    key = large.reader.requests(DAY, RequestFilter(), 1).rows.column("request_key")[0].as_py()
    assert large.reads.rows_read(reads.newest_version(EVERYBODY, key)) < 8_000


def test_one_trace_is_found_without_a_scan(large: Telemetry) -> None:
    trace_id = large.reads.table(select(spans.c.trace_id).limit(1)).column(0)[0].as_py()
    assert large.reads.rows_read(reads.spans_of(EVERYBODY, trace_id, 100)) < 18_000


def test_a_trace_is_found_within_a_scope_without_a_scan(large: Telemetry) -> None:
    trace_id = large.reads.table(select(spans.c.trace_id).limit(1)).column(0)[0].as_py()
    assert large.reads.rows_read(reads.spans_of(OURS, trace_id, 100)) < 36_000


def test_a_page_within_an_empty_scope_reads_nothing(large: Telemetry) -> None:
    assert large.reads.rows_read(reads.candidates(Scope(frozenset()), DAY, RequestFilter(), 102, None)) == 0


def test_what_alerts_read_is_bounded_by_the_longest_request(large: Telemetry) -> None:
    last = Window(START_NS + 29_000 * SECOND_NS, START_NS + 29_060 * SECOND_NS)
    for pool in (None, Pool("chat", "m")):
        assert large.reads.rows_read(reads.ended_in(pool, last)) < 12_000


def test_columns_come_in_the_order_of_the_contract(large: Telemetry) -> None:
    page = large.reader.requests(DAY, RequestFilter(), 1)
    assert page.rows.column_names == requests.columns.keys()


def test_statements_are_those_of_the_snapshots(large: Telemetry) -> None:
    shown = {
        "requests_candidates": reads.candidates(EVERYBODY, DAY, EVERYTHING, 102, (START_NS, KEY)),
        "requests_current": reads.current(
            EVERYBODY, [(START_NS + 1, KEY), (START_NS, KEY)], RequestFilter(defect="any")
        ),
        "requests_one": reads.newest_version(EVERYBODY, KEY),
        "requests_in_flight": reads.under_way(Pool("s", "m"), "r", START_NS, 3600),
        "requests_arrivals": reads.ended_in(Pool("s", "m"), MINUTE),
        "spans_of_trace": reads.spans_of(EVERYBODY, KEY, 101),
    }
    for name, statement in shown.items():
        assert_statement(name, large.reads, statement)


def test_statements_within_a_scope_are_those_of_the_snapshots(large: Telemetry) -> None:
    shown = {
        "tenants_candidates": reads.candidates(OURS, DAY, RequestFilter(), 102, None),
        "tenants_current": reads.current(OURS, [(START_NS, KEY)], RequestFilter()),
        "tenants_one": reads.newest_version(OURS, KEY),
        "tenants_spans_of_trace": reads.spans_of(OURS, KEY, 101),
    }
    for name, statement in shown.items():
        assert_statement(name, large.reads, statement)
