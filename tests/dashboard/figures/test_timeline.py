from dashboard.clock_text import ClockText
from dashboard.figures.timeline import AMBER_SHARE, WarningLine, settled, timeline
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
