from dashboard.panels.charts import chart
from tests.dashboard.looking import of_type, props

FIGURE = {"data": [], "layout": {"height": 300}}


def test_the_height_is_kept_free_before_the_chart_is_drawn() -> None:
    found = chart("Load", FIGURE)
    assert props(found)["style"] == {"minHeight": "300px"}
    assert props(found)["aria-label"] == "Load"


def test_only_a_chart_over_time_sets_the_window() -> None:
    assert of_type(chart("Load", FIGURE, "overview"), "Graph")[0].id == {"type": "time-chart", "name": "overview"}
    assert not hasattr(of_type(chart("Load", FIGURE), "Graph")[0], "id")
