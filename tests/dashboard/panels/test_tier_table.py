from dataclasses import replace
from typing import Any

import pytest

from analyzer.questions.answers import Interval, RiskStanding, Status
from dashboard.panels.tier_table import flag_words, tier_table
from dashboard.wording import wording
from tests.dashboard.answers import NOTHING_KNOWN, rate, report, row
from tests.dashboard.looking import words

SAY = wording("en")


def heads(*rows: object, load_test: str = "") -> list[str]:
    return [column["text"] for column in tier_table(report(*rows, load_test=load_test), SAY).columns]  # type: ignore[arg-type]


def test_a_rate_stands_with_its_interval_and_n() -> None:
    table = tier_table(report(row()), SAY)
    assert "general normal 1 – 2 1,000 20 2 % [1, 4] % 1 % interval across" in words(table)
    cell = table.rows[0]["cells"][5]
    assert cell["forest"][0] < cell["forest"][1] < cell["forest"][2] <= cell["forest"][3]


def test_a_kind_has_a_column_only_where_it_occurred() -> None:
    assert "error" in heads(row())
    assert "lost" not in heads(row())


def test_a_multiplier_is_strong_only_where_its_interval_leaves_one_out() -> None:
    strong, weak = (
        tier_table(report(row(multiplier_interval=Interval(low, 9.0))), SAY).rows[0]["cells"][7] for low in (1.1, 0.8)
    )
    assert (strong["text"], strong["sub"], strong["tone"]) == ("×2", "[1.1, 9]", "strong")
    assert weak["tone"] == ""


def test_the_lowest_tier_is_the_measure_and_an_unknown_rate_has_no_multiplier() -> None:
    lowest = tier_table(report(row(multiplier=None, is_baseline=True)), SAY).rows[0]["cells"]
    unknown = tier_table(report(row(multiplier=None, rate=NOTHING_KNOWN)), SAY).rows[0]["cells"]
    assert lowest[7]["text"] == "×1"
    assert (unknown[5]["text"], unknown[7]["text"]) == ("–", "–")


def test_a_lowest_tier_without_defects_and_a_small_one_have_no_multiplier_and_say_why() -> None:
    nothing: dict[str, Any] = {"multiplier": None, "multiplier_interval": Interval(None, None)}
    clean = row(**nothing, rate=rate(0, 1000), is_baseline=True)
    small = row(**nothing, rate=rate(1, 20), status=Status.INSUFFICIENT_DATA)
    clean_cells, small_cells = (tier_table(report(one), SAY).rows[0]["cells"] for one in (clean, small))
    assert (clean_cells[7]["text"], small_cells[7]["text"]) == ("–", "–")
    assert small_cells[3] == {"text": "20", "sub": "insufficient data"}
    assert tier_table(report(small), wording("zh")).rows[0]["cells"][3]["sub"] == "数据不足"


def test_counts_too_few_for_a_point_still_show_the_interval() -> None:
    cell = tier_table(report(row(multiplier=None)), SAY).rows[0]["cells"][7]
    assert (cell["text"], cell["sub"]) == ("–", "[1.2, 3.1]")


def test_open_bands_and_steps_are_written_as_such() -> None:
    open_below, open_above = row(load_from_rps=None), row(load_to_rps=None)
    low, high = (tier_table(report(one), SAY).rows[0]["cells"][2] for one in (open_below, open_above))
    assert (low, high) == ("≤ 2", "> 1")
    table = tier_table(report(row(step=3, load_from_rps=8.0, load_to_rps=8.0), load_test="sweep"), SAY)
    assert table.rows[0]["cells"][:2] == ["3", "8"]
    assert heads(row(step=3), load_test="sweep")[0] == "Step"


def test_what_limits_the_numbers_is_said_below_them() -> None:
    told = replace(report(row()), flags=["baseline_without_defects", "insufficient_data"])
    assert "no multiplier of it · tiers with n below 30" in words(flag_words(told, SAY))
    assert "没有缺陷" in words(flag_words(told, wording("zh")))
    assert flag_words(report(row()), SAY) is None


@pytest.mark.parametrize(
    ("standing", "english", "chinese"),
    [
        (RiskStanding.BELOW, "interval below", "区间在其下"),
        (RiskStanding.ACROSS, "interval across", "区间跨越"),
        (RiskStanding.ABOVE, "interval above", "区间在其上"),
        (RiskStanding.UNKNOWN, "rate unknown", "缺陷率未知"),
    ],
)
def test_the_threshold_stands_beside_the_rate_and_says_on_which_side_its_interval_lies(
    standing: RiskStanding, english: str, chinese: str
) -> None:
    told = report(row(risk_threshold=0.005, risk_standing=standing))
    for say, expected in ((SAY, english), (wording("zh"), chinese)):
        cell = tier_table(told, say).rows[0]["cells"][6]
        assert (cell["text"], cell["sub"]) == ("0.5 %", expected)
        assert (cell.get("icon") == "warn") is (standing is RiskStanding.ABOVE)


def test_kinds_that_do_not_count_are_told_below_the_table() -> None:
    told = replace(report(row()), flags=["kinds_left_out"])
    assert "rates leave them out" in words(flag_words(told, SAY))
    assert "缺陷率不含" in words(flag_words(told, wording("zh")))
