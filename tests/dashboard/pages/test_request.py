import asyncio
from dataclasses import replace

import pytest

from analyzer.questions.answers import Cost, RequestRecord
from analyzer.questions.requests import one_trace, request_page
from dashboard.house import DashboardHouse
from dashboard.pages import request
from dashboard.pages.requests import wanted
from tests.dashboard.looking import of_type, view_of, words
from tests.dashboard.people import LIMITED
from vocabulary.pools import Window
from vocabulary.services import Prices, ServiceBook, ServiceDefinition


def newest(house: DashboardHouse, search: str = "") -> RequestRecord:
    view = view_of(f"/requests?range=6h{search}", house)
    window: Window = view.timeframe.window
    return request_page(house.reader, window, wanted(view), 1, None).items[0]


def test_a_request_is_shown_with_its_waterfall_fields_and_sources(filled_house: DashboardHouse) -> None:
    record = newest(filled_house, "&service=chat-api")
    page = asyncio.run(request.body(view_of(f"/requests/{record.request_key}", filled_house)))
    shown = words(page)
    for wanted_text in (
        record.request_key,
        record.trace_id,
        "In flight at arrival",
        "gen_ai.usage.prompt_tokens engine",
        "top k unknown",
    ):
        assert wanted_text in shown
    (fall,) = of_type(page, "Waterfall")
    assert "decode_step × 14" in fall.data["name"]
    assert all(fall.data["is_own"])


def test_a_picked_span_is_shown_whole(filled_house: DashboardHouse) -> None:
    record = newest(filled_house, "&service=chat-api")
    trace = one_trace(filled_house.reader, record.trace_id)
    assert trace is not None
    engine = next(span for span in trace.spans if span.hop_role == "engine")
    view = view_of(f"/requests/{record.request_key}", filled_house)
    assert "gen_ai.latency.time_in_queue" in words(
        asyncio.run(request.selected_span(view, record.trace_id, engine.span_id))
    )
    assert "This span is gone" in words(asyncio.run(request.selected_span(view, record.trace_id, "0" * 16)))


def test_a_request_whose_spans_are_gone_keeps_its_record(filled_house: DashboardHouse) -> None:
    record = newest(filled_house, "&load_test=sweep-2026-11")
    page = asyncio.run(request.body(view_of(f"/requests/{record.request_key}", filled_house)))
    assert "No spans of this trace are stored" in words(page)
    assert "offered rate 12.0" in words(page)


def test_a_key_that_nobody_has_is_told(filled_house: DashboardHouse) -> None:
    for key in ("0" * 32, "not-a-key"):
        assert "No such request" in words(asyncio.run(request.body(view_of(f"/requests/{key}", filled_house))))


def test_tokens_are_the_engines_only_where_an_engine_was_a_hop(filled_house: DashboardHouse) -> None:
    record = newest(filled_house, "&service=chat-api")
    assert "gateway → engine" in words(
        asyncio.run(request.body(view_of(f"/requests/{record.request_key}", filled_house)))
    )
    view = view_of("/requests/k")
    without = words(request._figures(view, record, ["gateway", "client"]))
    assert "no engine hop" in without
    assert "as the engine" not in without


def test_a_request_costs_nothing_said_where_no_prices_are_configured(filled_house: DashboardHouse) -> None:
    record = newest(filled_house, "&service=chat-api")
    page = words(asyncio.run(request.body(view_of(f"/requests/{record.request_key}", filled_house))))
    assert "Cost" not in page


def test_a_priced_request_says_what_its_tokens_cost(filled_house: DashboardHouse) -> None:
    record = newest(filled_house, "&service=chat-api")
    tokens_in, tokens_out = record.fields["input_tokens"], record.fields["output_tokens"]
    assert isinstance(tokens_in, int)
    assert isinstance(tokens_out, int)
    services = ServiceBook((ServiceDefinition("chat-api", prices=Prices(1.0, 1.0, currency="EUR")),))
    priced = replace(filled_house, services=lambda: services)
    page = words(asyncio.run(request.body(view_of(f"/requests/{record.request_key}", priced))))
    assert f"Cost {request._money((tokens_in + tokens_out) / 1e6)} EUR tokens at the configured prices" in page


def test_a_cost_that_is_not_known_is_said_and_never_shown_as_nothing(filled_house: DashboardHouse) -> None:
    record = replace(newest(filled_house, "&service=chat-api"), cost=Cost(None, "USD"))
    shown = words(request._figures(view_of("/requests/k"), record, ["engine"]))
    assert "Cost unknown a token count is unknown" in shown
    assert "USD" not in shown


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.0, "0"), (1.23e-7, "0.000000123"), (0.00123, "0.00123"), (12.345, "12.3"), (999.6, "1,000"), (1234.5, "1,234")],
)
def test_money_is_written_out_without_an_exponent(amount: float, text: str) -> None:
    assert request._money(amount) == text


def test_a_trace_that_is_not_to_be_seen_is_not_said_to_be_past_its_retention(filled_house: DashboardHouse) -> None:
    whole = words(request._no_spans(view_of("/requests/k", filled_house)))
    limited = words(request._no_spans(view_of("/requests/k", replace(filled_house, principal=LIMITED))))
    told = "the trace holds requests that are not of your tenants"
    assert told in limited
    assert told not in whole
