from dashboard.figures.steps import step_chart
from dashboard.wording import wording
from tests.dashboard.answers import NOTHING_KNOWN, row

SAY = wording("en")


def test_steps_stand_at_their_offered_rate_with_interval_and_n() -> None:
    rows = [row(step=i, load_from_rps=rps, load_to_rps=rps) for i, rps in enumerate((1.0, 2.0, 4.0))]
    figure = step_chart(rows, SAY)
    (rates,) = figure["data"]
    assert rates["x"] == [1.0, 2.0, 4.0]
    assert all(bound > 0 for bound in rates["error_y"]["array"])
    assert figure["layout"]["xaxis"]["ticktext"][0] == "1<br>n=1,000"
    assert figure["layout"]["xaxis"]["type"] == "linear"


def test_a_wide_sweep_has_a_logarithmic_axis() -> None:
    rows = [row(step=i, load_from_rps=rps, load_to_rps=rps) for i, rps in enumerate((0.5, 100.0))]
    assert step_chart(rows, SAY)["layout"]["xaxis"]["type"] == "log"


def test_a_step_without_outcomes_is_a_gap() -> None:
    figure = step_chart([row(step=0, rate=NOTHING_KNOWN)], SAY)
    assert figure["data"][0]["y"] == [None]


def test_no_steps_can_be_drawn() -> None:
    assert step_chart([], SAY)["data"][0]["x"] == []


def test_labels_of_steps_that_stand_close_are_left_out() -> None:
    rows = [row(step=i, load_from_rps=rps, load_to_rps=rps) for i, rps in enumerate((0.0625, 0.125, 0.25, 8.0, 16.0))]
    figure = step_chart(rows, SAY)
    assert figure["layout"]["xaxis"]["tickvals"] == [0.0625, 0.125, 0.25, 8.0, 16.0]
    near = [row(step=i, load_from_rps=rps, load_to_rps=rps) for i, rps in enumerate((1.0, 1.05, 8.0, 16.0))]
    assert step_chart(near, SAY)["layout"]["xaxis"]["tickvals"] == [1.0, 8.0, 16.0]
