from dashboard.clock_text import ClockText
from dashboard.figures.timeline import AMBER_SHARE, Reading, WarningLine, alone, complete_until, settled, timeline
from dashboard.wording import wording
from tests.dashboard.answers import NOTHING_KNOWN, WINDOW, point
from vocabulary.pools import MINUTE_NS

UTC = ClockText.named("UTC")
SAY = wording("en")
LINE = WarningLine(4.0, "fixed", "near")
POINTS = [point(0, 1.0), point(1, 3.0, NOTHING_KNOWN), point(2, 5.0)]
FIGURE = timeline(POINTS, WINDOW, [LINE], UTC, SAY)


def test_the_rate_has_its_interval_and_its_n() -> None:
    low, high, rates = FIGURE["data"][:3]
    assert low["y"][0] < rates["y"][0] < high["y"][0]
    assert high["fill"] == "tonexty"
    assert rates["customdata"][0] == [POINTS[0].rate.interval.low, POINTS[0].rate.interval.high, 3, 100]
    assert "n = %{customdata[3]" in rates["hovertemplate"]


def test_a_bucket_without_a_rate_is_a_gap_not_a_zero() -> None:
    assert [trace["y"][1] for trace in FIGURE["data"][:3]] == [None, None, None]


def test_the_line_is_labelled_fixed_and_amber_stands_at_four_fifths_of_it() -> None:
    heights = [shape["y0"] for shape in FIGURE["layout"]["shapes"] if shape["type"] == "line"]
    assert heights == [4.0, 4.0 * AMBER_SHARE]
    assert FIGURE["layout"]["annotations"][0]["text"] == "fixed line 4"
    assert "0.8 of the line: 3.2" in FIGURE["layout"]["annotations"][1]["text"]
    chinese = timeline(POINTS, WINDOW, [LINE], UTC, wording("zh"))
    assert "fixed" in chinese["layout"]["annotations"][0]["text"]


def test_what_is_over_the_line_is_drawn_again() -> None:
    over = FIGURE["data"][4]
    assert over["y"] == [None, None, 5.0]


def test_every_line_is_drawn_with_its_kind_and_its_rule_and_amber_belongs_to_the_lowest() -> None:
    lines = [LINE, WarningLine(6.0, "fixed", "far"), WarningLine(9.0, "derived", "capacity")]
    figure = timeline(POINTS, WINDOW, lines, UTC, SAY)
    heights = [shape["y0"] for shape in figure["layout"]["shapes"] if shape["type"] == "line"]
    assert heights == [4.0, 6.0, 9.0, 4.0 * AMBER_SHARE]
    assert [label["text"] for label in figure["layout"]["annotations"]] == [
        "fixed line 4 · near",
        "fixed line 6 · far",
        "derived line 9 · capacity",
        "amber, 0.8 of the line: 3.2",
    ]
    assert figure["layout"]["yaxis"]["range"][1] > 9.0


def test_without_a_rule_there_is_no_line() -> None:
    bare = timeline(POINTS, WINDOW, [], UTC, SAY)
    assert bare["layout"]["shapes"] == bare["layout"]["annotations"] == []


def test_the_line_is_always_in_sight() -> None:
    low = timeline([point(0, 0.1)], WINDOW, [LINE], UTC, SAY)
    assert low["layout"]["yaxis"]["range"][1] > 4.0


def test_the_axis_is_the_pages_window_in_the_readers_zone() -> None:
    shanghai = timeline(POINTS, WINDOW, [], ClockText.named("Asia/Shanghai"), SAY)
    assert FIGURE["layout"]["xaxis"]["range"] == ["2026-11-30 12:00:00", "2026-11-30 13:00:00"]
    assert shanghai["layout"]["xaxis"]["range"] == ["2026-11-30 20:00:00", "2026-11-30 21:00:00"]
    assert shanghai["data"][0]["x"][0] == "2026-11-30 20:00:00"
    assert "Asia/Shanghai" in shanghai["layout"]["xaxis"]["hoverformat"]


def test_nothing_at_all_can_be_drawn() -> None:
    assert timeline([], WINDOW, [], UTC, SAY)["layout"]["yaxis"]["range"] == [0, 1.0]


def test_a_bucket_that_has_only_begun_is_left_out() -> None:
    now_ns = POINTS[2].at_ns + MINUTE_NS // 2
    assert settled(POINTS, 60, now_ns) == POINTS[:2]
    assert settled(POINTS, 3600, POINTS[2].at_ns + 2 * MINUTE_NS) == POINTS


def test_a_bucket_that_may_still_gain_requests_is_pale_and_dashed_and_says_so() -> None:
    reading = Reading(60, complete_until(POINTS[2].at_ns + 3 * MINUTE_NS - 1))
    figure = timeline(POINTS, WINDOW, [], UTC, SAY, reading)
    load = next(trace for trace in figure["data"] if trace["name"].startswith("load"))
    dashed, marks = [trace for trace in figure["data"] if trace["name"] == "not complete yet"]
    assert load["y"] == [1.0, 3.0, None]
    assert (dashed["y"], dashed["line"]["dash"]) == ([None, 3.0, 5.0], "dash")
    assert marks["y"] == [None, None, 5.0]
    assert "not complete yet" in marks["hovertemplate"]
    bars = next(trace for trace in figure["data"] if trace["type"] == "bar")
    assert bars["marker"]["color"][0] == bars["marker"]["color"][1] != bars["marker"]["color"][2]
    chinese = timeline(POINTS, WINDOW, [], UTC, wording("zh"), reading)
    assert "尚不完整" in [trace["name"] for trace in chinese["data"]]


def test_two_minutes_after_its_end_a_bucket_is_complete() -> None:
    reading = Reading(60, complete_until(POINTS[2].at_ns + 3 * MINUTE_NS))
    names = [trace.get("name") for trace in timeline(POINTS, WINDOW, [], UTC, SAY, reading)["data"]]
    assert "not complete yet" not in names


def test_one_bucket_alone_is_seen() -> None:
    figure = timeline([point(0, 1.0)], WINDOW, [], UTC, SAY, Reading(300))
    _, _, rates, load, bars = figure["data"]
    assert load["marker"]["size"] == [6]
    assert rates["error_y"]["array"][0] > 0
    assert bars["width"] == 276_000
    assert alone([None, 1.0, None, 2.0, 3.0]) == [0, 6, 0, 0, 0]


def test_load_of_a_pool_whose_replicas_nobody_tells_is_called_that() -> None:
    for language, words in (("en", "load per pool; replicas unknown"), ("zh", "每服务池负载；副本未知")):
        figure = timeline(POINTS, WINDOW, [], UTC, wording(language), Reading(is_per_pool=True))
        assert figure["data"][3]["name"] == words
    assert (
        "whole pool"
        in timeline(POINTS, WINDOW, [], UTC, SAY, Reading(is_per_pool=True))["layout"]["yaxis"]["title"]["text"]
    )


def test_without_any_known_rate_the_axis_stays_a_rates() -> None:
    figure = timeline([point(0, 1.0, NOTHING_KNOWN)], WINDOW, [], UTC, SAY)
    assert figure["layout"]["yaxis2"]["range"] == [0, 1]


def test_a_bucket_that_is_not_complete_is_not_drawn_as_a_crossing() -> None:
    reading = Reading(60, complete_until(POINTS[2].at_ns + 3 * MINUTE_NS - 1))
    assert timeline(POINTS, WINDOW, [LINE], UTC, SAY, reading)["data"][4]["y"] == [None, None, None]
