from dashboard.figures.style import CONFIG, layout, value_axis


def test_charts_have_a_height_and_no_ground_of_their_own() -> None:
    found = layout(300, dragmode="zoom")
    assert (found["height"], found["dragmode"], found["paper_bgcolor"]) == (300, "zoom", "rgba(0,0,0,0)")


def test_a_value_axis_starts_at_zero_and_is_not_zoomed() -> None:
    axis = value_axis("n")
    assert (axis["rangemode"], axis["fixedrange"]) == ("tozero", True)


def test_a_double_click_resets_instead_of_toggling() -> None:
    assert CONFIG["doubleClick"] == "autosize"
