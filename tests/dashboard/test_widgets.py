import re
from pathlib import Path
from typing import Any

import pytest

import dashboard
from dashboard import widgets
from dashboard.widgets import NAMESPACE, Table, Widget

ASSETS = Path(dashboard.__file__).parent / "assets"


def test_a_component_goes_out_as_dash_would_write_it() -> None:
    table = Table(id="t", caption="c", columns=[], rows=[], empty=None)
    written: Any = table
    assert written.to_plotly_json() == {
        "props": {"id": "t", "caption": "c", "columns": [], "rows": []},
        "type": "Table",
        "namespace": NAMESPACE,
    }


def test_an_unknown_property_is_refused() -> None:
    with pytest.raises(TypeError, match="Table has no property colour"):
        Table(colour="red")


def test_every_component_is_drawn_by_an_asset() -> None:
    drawn = set(re.findall(r"ui\.([A-Z]\w+) = function", "".join(path.read_text() for path in ASSETS.glob("*.js"))))
    declared = {
        one._type
        for one in vars(widgets).values()
        if isinstance(one, type) and issubclass(one, Widget) and one is not Widget
    }
    assert declared == drawn


def test_nothing_that_an_emitter_sends_can_become_markup() -> None:
    for path in ASSETS.glob("*.js"):
        text = path.read_text()
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|\beval\(|new Function", text
        ), path.name


def test_assets_ask_nobody_else_for_anything() -> None:
    for path in ASSETS.iterdir():
        urls = set(re.findall(r"https?://[^\s'\")]+", path.read_text()))
        assert urls <= {"http://www.w3.org/2000/svg"}, path.name
