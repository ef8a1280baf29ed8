from dashboard.figures.style import CONFIG, layout, rate_axis, value_axis
from tests.dashboard.answers import NOTHING_KNOWN, rate


def test_charts_have_a_height_and_no_ground_of_their_own() -> None:
    found = layout(300, dragmode="zoom")
    assert (found["height"], found["dragmode"], found["paper_bgcolor"]) == (300, "zoom", "rgba(0,0,0,0)")


def test_a_value_axis_starts_at_zero_and_is_not_zoomed() -> None:
    axis = value_axis("n")
    assert (axis["rangemode"], axis["fixedrange"]) == ("tozero", True)


def test_a_double_click_resets_instead_of_toggling() -> None:
    assert CONFIG["doubleClick"] == "autosize"


def test_an_axis_without_a_known_rate_ends_at_all_of_them() -> None:
    assert rate_axis("rate", [NOTHING_KNOWN])["range"] == [0, 1]
    assert "range" not in rate_axis("rate", [NOTHING_KNOWN, rate(1, 100)])
