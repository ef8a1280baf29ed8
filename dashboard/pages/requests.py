"""The list of requests: filters in the address, keyset pages, newest first."""

import asyncio
from collections.abc import Mapping, Sequence

from dash import dcc, html

from analyzer.questions.answers import RequestPage, RequestRecord
from analyzer.questions.pools import load_tests, pools, window_of
from analyzer.questions.requests import request_page
from dashboard.controls import pool_control, time_control
from dashboard.latest import newest_activity
from dashboard.numbers_text import UNKNOWN, count, seconds
from dashboard.panels.misread import filter_complaints, misread, pool_complaints, range_complaints
from dashboard.panels.parts import OUTCOME_ICONS, Node, panel
from dashboard.panels.set_up import empty_state
from dashboard.timeframe import as_parameters
from dashboard.view import View
from dashboard.widgets import Icon, QueryInput, QuerySelect, Table, Widget
from store.contract import LoadTest, PoolActivity, RequestFilter
from vocabulary.errors import PeaklineError
from vocabulary.outcomes import DEFECT_NAMES, Outcome
from vocabulary.pools import Window

PAGE_SIZE = 100
MOST_PAGES_BACK = 30
ANY_LOAD_TEST = "any"
"""Value of the parameter load_test that means production and load tests together, as in the API."""
FILTERS = ("service", "model", "outcome", "defect", "service_tier", "replica", "tenant", "load_test")
_TEXTS = ("request", "outcome", "defects", "service", "model", "replica", "tenant", "service_tier")
_NUMBERS = ("input_tokens", "output_tokens", "ttft", "e2e")
_ENDS = ("finish_reason", "http_status")


async def bar(view: View) -> Node:
    """Time, pool and every other filter."""
    try:
        known, tests = await asyncio.gather(_pools(view), _load_tests(view))
    except PeaklineError:
        known, tests = [], []  # the body says what is wrong; the controls stay to ask for something else
    pool = view.asked_pool
    inputs = [
        QueryInput(
            id=f"filter-{name}",
            label=view.say.known("field", name),
            param=name,
            value=view.address.get(name),
            placeholder=view.say("filter.any"),
        )
        for name in ("service_tier", "replica", "tenant")
    ]
    return html.Div(
        [
            html.Div([time_control(view), pool_control(view, known, pool, any_pool=True)], className="bar"),
            html.Div([_outcomes(view), _defects(view), *inputs, _source(view, tests), _clear(view)], className="bar"),
        ]
    )


def _outcomes(view: View) -> Widget:
    choices = [("", view.say("filter.any"))] + [(str(one), view.say.known("outcome", one)) for one in Outcome]
    return _select(view, "outcome", choices)


def _defects(view: View) -> Widget:
    named = [(name, view.say.known("defect", name)) for name in DEFECT_NAMES]
    return _select(view, "defect", [("", view.say("filter.any")), ("any", view.say("filter.defective")), *named])


def _source(view: View, tests: Sequence[LoadTest]) -> Widget:
    """Production alone, everything, or one load test; choosing a test goes to its own time."""
    say, asked = view.say, view.address.get("load_test")
    windows: dict[str, Window] = {}
    for test in tests:
        window = window_of(test)
        windows[test.load_test] = _spanning(windows.get(test.load_test, window), window)
    choices: dict[str, dict[str, str | None]] = {
        "": {"load_test": None},
        ANY_LOAD_TEST: {"load_test": ANY_LOAD_TEST},
        **({asked: {"load_test": asked}} if asked else {}),
        **{name: {"load_test": name, **as_parameters(window)} for name, window in windows.items()},
    }
    texts = {"": say("filter.production"), ANY_LOAD_TEST: say("filter.with_load_tests")}
    options = [{"text": texts.get(name, name), "set": change} for name, change in choices.items()]
    label = say.known("field", "load_test")
    return QuerySelect(id="filter-load_test", label=label, options=options, chosen=list(choices).index(asked))


def _spanning(one: Window, other: Window) -> Window:
    return Window(min(one.start_ns, other.start_ns), max(one.end_ns, other.end_ns))


def _select(view: View, name: str, choices: list[tuple[str, str]]) -> Widget:
    asked = view.address.get(name)
    options = [{"text": text, "set": {name: value or None}} for value, text in choices]
    place = next((i for i, (value, _) in enumerate(choices) if value == asked), 0)
    return QuerySelect(id=f"filter-{name}", label=view.say.known("field", name), options=options, chosen=place)


def _clear(view: View) -> dcc.Link:
    href = view.address.href({**dict.fromkeys(FILTERS), "cursor": None})
    return dcc.Link(view.say("filter.clear"), href=href, className="button")


def wanted(view: View) -> RequestFilter:
    """The filter that the address states; an outcome or defect that does not exist is no filter.

    Without a load test it is production alone, as everywhere.
    """
    get = view.address.get
    outcome, defect = get("outcome"), get("defect")
    return RequestFilter(
        service=get("service"),
        model=get("model"),
        outcome=Outcome(outcome) if outcome in list(Outcome) else None,
        defect=defect if defect == "any" or defect in DEFECT_NAMES else "",
        service_tier=get("service_tier"),
        replica=get("replica"),
        tenant=get("tenant"),
        load_test=None if get("load_test") == ANY_LOAD_TEST else get("load_test"),
    )


async def body(view: View) -> Node:
    """One page of requests, or how to begin where there are none at all."""
    cursors = view.address.every("cursor")
    page = await asyncio.to_thread(
        request_page,
        view.house.reader,
        view.timeframe.window,
        wanted(view),
        PAGE_SIZE,
        cursors[-1] if cursors else None,
    )
    is_filtered = any(view.address.get(name) for name in FILTERS)
    if not page.items and not cursors and not is_filtered and not await _has_any(view):
        is_limited = view.principal.is_limited
        newest = await asyncio.to_thread(newest_activity, view.house.reader, view.now_ns, is_limited=is_limited)
        return html.Div([await _misread(view), empty_state(view, view.say("requests.empty"), newest)])
    rows = [_row(view, item) for item in page.items]
    table = Table(
        id="requests",
        caption=view.say("requests.title"),
        columns=_heads(view),
        rows=rows,
        empty=view.say("requests.none"),
    )
    note = view.say("requests.note", shown=len(rows))
    listed = panel(view.say("requests.title"), table, _pager(view, page), note=note, aside=_pager(view, page))
    return html.Div([await _misread(view), listed])


async def _misread(view: View) -> Node:
    """What of the address is not followed; a pool is asked about only where the address names one."""
    found = [*range_complaints(view), *filter_complaints(view)]
    if view.asked_pool is not None and not view.address.get("load_test"):
        found += pool_complaints(view, await _pools(view))
    return misread(view, found)


async def _has_any(view: View) -> bool:
    return bool(await _pools(view))


async def _load_tests(view: View) -> Sequence[LoadTest]:
    return await view.once("load_tests", lambda: load_tests(view.house.reader))


async def _pools(view: View) -> Sequence[PoolActivity]:
    return await view.once("pools", lambda: pools(view.house.reader, view.timeframe.window))


def _pager(view: View, page: RequestPage) -> html.Span:
    """Newer pages are known by the cursors that led here; older ones by the answer."""
    cursors = view.address.every("cursor")
    newer = view.address.href({"cursor": cursors[:-1]}) if cursors else ""
    older = view.address.href({"cursor": (*cursors, page.next)[-MOST_PAGES_BACK:]}) if page.next else ""
    return html.Span([_turn(view, "newer", "left", newer), _turn(view, "older", "right", older)], className="pager")


def _turn(view: View, name: str, icon: str, href: str) -> Node:
    text = view.say(f"requests.{name}")
    inner: list[Node] = [Icon(name=icon), text] if icon == "left" else [text, Icon(name=icon)]
    return dcc.Link(inner, href=href, className="button") if href else html.Span(inner, className="button is-off")


def _heads(view: View) -> list[dict[str, str]]:
    time = {"text": view.say("column.time", zone=view.clock.name), "align": "left"}
    columns = [*((name, "left") for name in _TEXTS), *((name, "right") for name in _NUMBERS)]
    columns += [(name, "left") for name in _ENDS]
    return [time, *({"text": view.say.known("column", name), "align": align} for name, align in columns)]


def _row(view: View, item: RequestRecord) -> dict[str, object]:
    known = item.fields
    key = {
        "text": item.request_key[:12],
        "href": view.address.to(f"/requests/{item.request_key}"),
        "title": item.request_key,
        "tone": "mono",
    }
    ttft = known.get("client_ttft_s") if known.get("client_ttft_s") is not None else known.get("server_ttft_s")
    cells = [
        {"text": view.clock.row(item.start_ns), "title": view.clock.precise(item.start_ns), "tone": "mono"},
        key,
        {
            "text": view.say.known("outcome", item.outcome),
            "icon": OUTCOME_ICONS.get(item.outcome, "unknown"),
            "tone": f"outcome outcome-{item.outcome}",
        },
        {"text": ", ".join(view.say.known("defect", name) for name in item.defects), "tone": "defects"},
        item.service or UNKNOWN,
        item.model or UNKNOWN,
        *(_text(known, name) for name in ("replica", "tenant")),
        view.say.known("service_tier", _text(known, "service_tier")),
        *(_integer(known, name) for name in ("input_tokens", "output_tokens")),
        seconds(ttft if isinstance(ttft, float) else None),
        seconds(item.e2e_s),
        _text(known, "finish_reason"),
        _text(known, "http_status"),
    ]
    return {"cells": cells, "tone": "has-defect" if item.defects else None}


def _text(known: Mapping[str, object], name: str) -> str:
    value = known.get(name)
    return UNKNOWN if value is None or value == "" else str(value)


def _integer(known: Mapping[str, object], name: str) -> str:
    value = known.get(name)
    return count(value if isinstance(value, int) else None)
