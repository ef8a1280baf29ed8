"""What the address says that a page cannot follow, and what is shown instead: a bad link must not look good."""

from collections.abc import Sequence

from dash import html

from dashboard.controls import pool_name
from dashboard.panels.parts import Node, message
from dashboard.timeframe import RANGES, instant_ns
from dashboard.view import View
from store.contract import LoadTest, PoolActivity
from vocabulary.outcomes import DEFECT_NAMES, Outcome

Complaint = tuple[str, str]
"""A parameter as it stands in the address, and what is shown instead."""


def misread(view: View, complaints: Sequence[Complaint]) -> Node:
    """One banner for all of them, None where there are none."""
    if not complaints:
        return None
    lines = [html.Div([html.Code(asked), f": {instead}"]) for asked, instead in complaints]
    return message(view.say("address.misread"), lines, "bad")


def window_complaints(view: View) -> list[Complaint]:
    """Times that cannot be read."""
    frame, get = view.timeframe, view.address.get
    if frame.is_valid:
        return []
    instead = view.say("address.range_instead", range=frame.relative)
    unread = [name for name in ("from", "to") if not _is_instant(get(name))]
    bad = [f"{name}={get(name)}" for name in [name for name in unread if get(name)] or unread]
    if not get("from") and not get("to"):
        bad = [f"range={get('range')}"]
    elif not bad:
        bad = [f"from={get('from')} to={get('to')}"]
    return [(asked, instead) for asked in bad]


def range_complaints(view: View) -> list[Complaint]:
    """The times, and a range that nobody knows beside times that are good."""
    asked = view.address.get("range")
    if view.timeframe.is_valid and asked and asked not in RANGES:
        return [(f"range={asked}", view.say("address.times_instead"))]
    return window_complaints(view)


def filter_complaints(view: View) -> list[Complaint]:
    """Outcomes and defects that do not exist."""
    known = {"outcome": [str(outcome) for outcome in Outcome], "defect": ["any", *DEFECT_NAMES]}
    return [
        (f"{name}={asked}", view.say("address.filter_instead", name=view.say.known("field", name)))
        for name, values in known.items()
        if (asked := view.address.get(name)) and asked not in values
    ]


def pool_complaints(view: View, known: Sequence[PoolActivity]) -> list[Complaint]:
    """A pool without a request in the window: what is shown of it is empty."""
    asked = view.asked_pool
    if asked is None:
        return []
    fits = any(asked.service in {"", found.pool.service} and asked.model in {"", found.pool.model} for found in known)
    return [] if fits else [(pool_name(asked), view.say("address.pool_instead"))]


def load_test_complaints(view: View, tests: Sequence[LoadTest]) -> list[Complaint]:
    """A load test that the store does not have."""
    asked = view.address.get("load_test")
    if not asked or any(test.load_test == asked for test in tests):
        return []
    return [(f"load_test={asked}", view.say("address.test_instead"))]


def _is_instant(text: str) -> bool:
    try:
        instant_ns(text)
    except ValueError:
        return False
    return True
