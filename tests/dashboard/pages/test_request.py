import asyncio

from analyzer.questions.answers import RequestRecord
from analyzer.questions.requests import one_trace, request_page
from dashboard.house import DashboardHouse
from dashboard.pages import request
from dashboard.pages.requests import wanted
from tests.dashboard.looking import of_type, view_of, words
from vocabulary.pools import Window


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
