"""The bar above a page: which time, which pool. Everything it does is a change of the address."""

from collections.abc import Mapping, Sequence

from dash import dcc, html

from dashboard.panels.parts import Node, aria
from dashboard.timeframe import RANGES, Timeframe, as_parameters, shifted, widened
from dashboard.view import View
from dashboard.widgets import Icon, QuerySelect, TimeWindow, Widget
from store.contract import LoadTest, PoolActivity
from vocabulary.pools import MINUTE_NS, Pool

SHOWN_RANGES = ("15m", "1h", "6h", "24h", "7d", "14d")
_HALF = 0.5


def time_control(view: View) -> html.Div:
    """Relative ranges, shift and zoom out, and a fixed window."""
    frame = view.timeframe
    texts = {key: view.say(f"time.{key}") for key in ("from", "to", "apply", "wrong")}
    return html.Div(
        [
            _segments(view.say("time.ranges"), [_range(view, name) for name in SHOWN_RANGES]),
            _segments(view.say("time.moves"), _moves(view)),
            TimeWindow(
                start=view.clock.field(_shown(frame, frame.window.start_ns)),
                end=view.clock.field(_shown(frame, frame.window.end_ns)),
                is_utc=view.clock.is_utc,
                texts=texts,
            ),
            html.Span(view.clock.name, className="zone"),
        ],
        className="time-control",
    )


def _segments(label: str, links: list[dcc.Link]) -> html.Div:
    return html.Div(links, className="segments", role="group", **aria(label))


def _shown(frame: Timeframe, at_ns: int) -> int:
    """Whole minutes while the window moves with the clock; a fixed one to the second."""
    return at_ns // MINUTE_NS * MINUTE_NS if frame.relative else at_ns


def _range(view: View, name: str) -> dcc.Link:
    is_chosen = view.timeframe.relative == name
    href = view.address.href({"range": name, "from": None, "to": None, "cursor": None})
    return dcc.Link(
        name,
        href=href,
        className="segment is-chosen" if is_chosen else "segment",
        title=view.say("time.last", length=_length(name)),
    )


def _length(name: str) -> str:
    days = RANGES[name] // 86_400
    return f"{days} d" if days else name


def _moves(view: View) -> list[dcc.Link]:
    window = view.timeframe.window
    moves: list[tuple[str, str, Mapping[str, str | None]]] = [
        ("left", "time.back", as_parameters(shifted(window, -_HALF))),
        ("right", "time.forward", as_parameters(shifted(window, _HALF))),
        ("out", "time.wider", as_parameters(widened(window))),
        ("reset", "time.reset", {"from": None, "to": None}),
    ]
    return [
        dcc.Link(
            [Icon(name=icon), html.Span(view.say(key), className="unseen")],
            href=view.address.href({**changes, "cursor": None}),
            className="segment",
            title=view.say(key),
        )
        for icon, key, changes in moves
    ]


def pool_control(view: View, pools: Sequence[PoolActivity], chosen: Pool | None, *, any_pool: bool) -> Widget:
    """Pools of the window, busiest first; the chosen one is in the list even when it has no traffic there.

    any_pool  whether the first entry is "all pools"
    """
    known = [activity.pool for activity in pools]
    if chosen is not None and chosen not in known:
        known.insert(0, chosen)
    options: list[dict[str, object]] = []
    if any_pool:
        options.append({"text": view.say("control.all_pools"), "set": {"service": None, "model": None}})
    options += [{"text": pool_name(pool), "set": {"service": pool.service, "model": pool.model}} for pool in known]
    place = known.index(chosen) + int(any_pool) if chosen is not None else 0
    return QuerySelect(label=view.say("control.pool"), options=options, chosen=place)


def source_control(view: View, tests: Sequence[LoadTest], chosen: LoadTest | None) -> Node:
    """Production, or one of the load tests."""
    options: list[dict[str, object]] = [{"text": view.say("control.production"), "set": {"load_test": None}}]
    options += [{"text": f"{test.load_test} · {pool_name(test.pool)}", "set": _test_address(test)} for test in tests]
    place = tests.index(chosen) + 1 if chosen in tests else 0
    return QuerySelect(label=view.say("control.source"), options=options, chosen=place)


def _test_address(test: LoadTest) -> dict[str, str]:
    return {"load_test": test.load_test, "service": test.pool.service, "model": test.pool.model}


def pool_name(pool: Pool) -> str:
    """Service / model; a missing half is a dash."""
    return f"{pool.service or '–'} / {pool.model or '–'}"
