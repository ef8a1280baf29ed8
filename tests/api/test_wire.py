from dataclasses import replace

import msgspec
import pytest

from alerts.views import AlertView
from analyzer.questions.answers import Basis, Cost, Quantiles, RequestPage, TraceRecord
from analyzer.questions.requests import request_record
from analyzer.questions.span_records import span_records
from api.wire import alert_item, basis_item, request_detail, request_list, tier_report_item, trace_item
from tests.dashboard.answers import report, row
from tests.factories.stores import START_NS, request, requests, span, spans
from vocabulary.outcomes import DEFECT_NAMES
from vocabulary.pools import MINUTE_NS, Window

START = "2025-10-09T08:53:00Z"


def test_times_become_text_and_the_rest_keeps_its_name() -> None:
    (row,) = requests(request(0.5)).to_pylist()
    item = request_detail(request_record(row, 3))
    assert (item.start, item.end) == ("2025-10-09T08:53:00.500Z", "2025-10-09T08:53:01.500Z")
    assert (item.in_flight_at_arrival, item.e2e_s, item.fields["replica"]) == (3, 1.0, "r0")


def test_a_cost_keeps_apart_what_is_free_what_is_unknown_and_what_has_no_price() -> None:
    (row,) = requests(request()).to_pylist()
    record = request_record(row)
    costs = [None, Cost(None, "USD"), Cost(0.0, "EUR")]
    shown = [msgspec.to_builtins(request_detail(replace(record, cost=cost)))["cost"] for cost in costs]
    assert shown == [None, {"amount": None, "currency": "USD"}, {"amount": 0.0, "currency": "EUR"}]


def test_a_tier_report_tells_thresholds_and_the_kinds_that_count() -> None:
    item = msgspec.to_builtins(tier_report_item(report(row(risk_threshold=0.02))))
    assert (item["rows"][0]["risk_threshold"], item["rows"][0]["risk_standing"]) == (0.02, "across")
    assert list(item["counted"]) == list(DEFECT_NAMES)


def test_a_list_leaves_out_what_only_one_request_knows() -> None:
    (row,) = requests(request(end_ns=None)).to_pylist()
    (item,) = request_list(RequestPage([request_record(row)], "next")).items
    assert item.end is None
    assert "in_flight_at_arrival" not in msgspec.to_builtins(item)


def test_a_span_that_tells_no_start_has_none() -> None:
    rows = spans(span(start_ns=0, end_ns=None, event_times_ns=[START_NS], event_names=["e"], event_attributes=["{}"]))
    (found,) = trace_item(TraceRecord("ab", span_records(rows), is_partial=False)).spans
    assert (found.start, found.end, found.events[0].time) == (None, None, START)


def test_a_basis_names_its_window() -> None:
    item = basis_item(Basis("m", 1, Window(START_NS, START_NS + MINUTE_NS), START_NS, 5, 0))
    assert (item.window.start, item.window.end, item.watermark) == (START, "2025-10-09T08:54:00Z", START)


@pytest.mark.parametrize(("updated_ns", "updated"), [(0, None), (START_NS, START)])
def test_an_alert_never_evaluated_has_no_time_of_evaluation(updated_ns: int, updated: str | None) -> None:
    alert = AlertView(
        *("r", "load", "chat", "m", "inactive", START_NS, None, 4.0, 3.0, "fixed", "warning", "load", True, updated_ns)
    )
    item = alert_item(alert)
    assert (item.updated, item.since, item.line_kind) == (updated, START, "fixed")


def test_quantiles_name_their_unit() -> None:
    from api.wire import latency_item

    assert msgspec.to_builtins(latency_item(Quantiles(2, 1.0, None, None))) == {
        "count": 2,
        "p50_s": 1.0,
        "p95_s": None,
        "p99_s": None,
    }
