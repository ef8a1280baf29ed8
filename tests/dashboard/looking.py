"""Looking at what a page is made of: its words, its links, its components."""

from collections.abc import Iterator, Mapping
from typing import Any

from dash.development.base_component import Component

from dashboard.house import DashboardHouse, Endpoints
from dashboard.router import page_view
from dashboard.view import View, Visit
from dashboard.widgets import Widget
from store.contract import TelemetryReader
from tests.dashboard.people import FixedSettings
from tests.dashboard.scenery import NOW_NS, FixedAlerts
from vocabulary.access import ANONYMOUS, Principal

ENDS = Endpoints("http://127.0.0.1:8600", "http://127.0.0.1:4318")


def house_of(
    reader: TelemetryReader,
    alerts: FixedAlerts | None = None,
    pending: int = 0,
    *,
    principal: Principal = ANONYMOUS,
    settings: FixedSettings | None = None,
) -> DashboardHouse:
    """A house whose clock stands still; access is off unless settings say otherwise."""
    return DashboardHouse(
        reader=reader,
        alerts=alerts or FixedAlerts(),
        clock_ns=lambda: NOW_NS,
        pending_minutes=lambda: pending,
        endpoints=lambda: ENDS,
        principal=principal,
        settings=settings or FixedSettings(access_is_on=False),
    )


class NoReader:
    """For what must not read: any question to it fails."""

    def __getattr__(self, name: str) -> Any:
        message = f"{name} was asked"
        raise AssertionError(message)


def view_of(
    address: str = "/",
    house: DashboardHouse | None = None,
    cookies: Mapping[str, str] | None = None,
    *,
    accept_language: str = "",
    session_left_s: int | None = None,
) -> View:
    """The view of an address such as /requests?range=1h."""
    path, _, search = address.partition("?")
    found = house or house_of(NoReader())  # it answers nothing
    return page_view(found, path, f"?{search}", Visit(cookies or {}, accept_language, session_left_s))[1]


def parts(node: Any) -> Iterator[Component]:
    """The component and every component below it, in order."""
    if isinstance(node, list | tuple):
        for one in node:
            yield from parts(one)
    elif isinstance(node, Component):
        yield node
        for name in node._prop_names:
            if name in {"children", "lightIcon", "darkIcon"}:
                yield from parts(getattr(node, name, None))


def props(node: Any) -> dict[str, Any]:
    """Properties that a component was given, `aria-label` and the like included."""
    return {name: value for name, value in vars(node).items() if not name.startswith("_")}


def of_type(node: Any, name: str) -> list[Any]:
    """All components of this type, `Table` for example."""
    return [part for part in parts(node) if part._type == name]


def words(node: Any) -> str:
    """Every text that a reader would see, titles of cells and columns left out."""
    return " ".join(_words(node))


def _words(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, list | tuple):
        for one in node:
            yield from _words(one)
    elif isinstance(node, dict):
        yield from _words([value for name, value in node.items() if name in {"text", "sub", "cells"}])
    elif isinstance(node, Component):
        for name in ("label", "text", "caption", "columns", "rows", "options", "children", "empty"):
            yield from _words(getattr(node, name, None))


def hrefs(node: Any) -> list[str]:
    """Every link, those in table cells too."""
    found = [getattr(part, "href", None) for part in parts(node)]
    for table in (part for part in of_type(node, "Table") if isinstance(part, Widget)):
        found += [cell.get("href") for row in table.rows for cell in row["cells"] if isinstance(cell, dict)]
    return [href for href in found if href]
