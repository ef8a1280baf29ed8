"""Our own client-side components; their drawing lives in `assets/`, each in the file of its name or in `ui.js`.

They are React components like Dash's own, so a page change removes them cleanly, and all of a table or a waterfall
crosses the wire as one compact list instead of one component per cell.
"""

from typing import TYPE_CHECKING, Any

from dash.development.base_component import Component

NAMESPACE = "peakline_ui"
"""`window.peakline_ui` in the browser."""


class Widget(Component):
    """A component of ours; properties that are None are left out.

    raises  TypeError for a property that it does not have
    """

    def __init__(self, **props: Any) -> None:
        for name, value in props.items():
            if name not in self._prop_names:
                message = f"{self._type} has no property {name}"
                raise TypeError(message)
            if value is not None:
                setattr(self, name, value)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _widget(name: str, *properties: str) -> type[Widget]:
    """A class as Dash's generator would write it."""
    about: dict[str, object] = {
        "__module__": __name__,
        "_namespace": NAMESPACE,
        "_type": name,
        "_prop_names": ["id", *properties],
        "_children_props": [],
        "_base_nodes": ["children"],
        "_valid_wildcard_attributes": [],
        "available_properties": ["id", *properties],
        "available_wildcard_properties": [],
    }
    return type(name, (Widget,), about)


Icon = _widget("Icon", "name", "className")
"""A line icon of 16 px, hidden from screen readers: the text beside it says the same."""

PageMeta = _widget("PageMeta", "title", "lang", "tz", "path")
"""Invisible: sets title, language and remembered choices of the page, and moves the focus on navigation."""

QuerySelect = _widget("QuerySelect", "label", "options", "chosen")
"""A drop-down whose choice goes to the address: options are {text, set: {parameter: value}}, `chosen` is a place."""

QueryInput = _widget("QueryInput", "label", "param", "value", "placeholder")
"""A text input whose value goes to the address on Enter or when it loses the focus."""

TimeWindow = _widget("TimeWindow", "start", "end", "is_utc", "texts")
"""Two inputs for times and a button that put `from` and `to` into the address, in UTC."""

Ticker = _widget("Ticker", "period_s", "tick", "done", "texts")
"""Counts `tick` up each `period_s`, never while one is unanswered (`done`), the tab hidden or a pointer down."""

CopyText = _widget("CopyText", "text", "shown", "texts", "block")
"""Text that one press copies; `block` keeps its lines."""

Table = _widget("Table", "caption", "columns", "rows", "empty", "filter", "texts")
"""A dense table. A column is {text, align, title}; a row is {cells, tone}; a cell is a text or {text, ...}.

A cell may have sub (a smaller text), href, title, tone (CSS classes), icon, forest (low, middle, high, scale), or
actions, each as `forms.row_action` writes it; then `texts` are those of forms. `filter` labels an input that keeps
rows which contain what is typed.
"""

ApiForm = _widget("ApiForm", "method", "path", "fields", "submit", "texts", "reveal")
"""A form that asks the API and says what became of it. With `reveal` a text in the answer is shown once."""

Changed = _widget("Changed", "count")
"""Invisible: counts the forms and actions of the page that succeeded, for a callback that renews its lists."""

ThemeChoice = _widget("ThemeChoice", "label", "options")
"""Light, dark or as the system is; the browser remembers."""

AccountMenu = _widget("AccountMenu", "name", "role", "settings", "texts")
"""Who is logged in; opens to the settings and to the log-out."""

Refusals = _widget("Refusals", "texts")
"""Says in words when the server refused a callback; `texts` by language of the document."""

Waterfall = _widget("Waterfall", "data", "selected", "texts")
"""Spans of one trace on a time axis; only visible rows are drawn. `selected` is a span id."""
