from analyzer.questions.answers import Interval
from dashboard.panels.tier_table import tier_table
from dashboard.wording import wording
from tests.dashboard.answers import NOTHING_KNOWN, report, row
from tests.dashboard.looking import words

SAY = wording("en")


def heads(*rows: object, load_test: str = "") -> list[str]:
    return [column["text"] for column in tier_table(report(*rows, load_test=load_test), SAY).columns]  # type: ignore[arg-type]


def test_a_rate_stands_with_its_interval_and_n() -> None:
    table = tier_table(report(row()), SAY)
    assert "general normal 1 – 2 1,000 20 2 % [1, 4] %" in words(table)
    cell = table.rows[0]["cells"][5]
    assert cell["forest"][0] < cell["forest"][1] < cell["forest"][2] <= cell["forest"][3]


def test_a_kind_has_a_column_only_where_it_occurred() -> None:
    assert "error" in heads(row())
    assert "lost" not in heads(row())


def test_a_multiplier_is_strong_only_where_its_interval_leaves_one_out() -> None:
    strong, weak = (
        tier_table(report(row(multiplier_interval=Interval(low, 9.0))), SAY).rows[0]["cells"][6] for low in (1.1, 0.8)
    )
    assert (strong["text"], strong["sub"], strong["tone"]) == ("×2", "[1.1, 9]", "strong")
    assert weak["tone"] == ""


def test_the_lowest_tier_is_the_measure_and_an_unknown_rate_has_no_multiplier() -> None:
    lowest = tier_table(report(row(multiplier=None)), SAY).rows[0]["cells"]
    unknown = tier_table(report(row(multiplier=None, rate=NOTHING_KNOWN)), SAY).rows[0]["cells"]
    assert lowest[6]["text"] == "×1"
    assert (unknown[5]["text"], unknown[6]["text"]) == ("–", "–")


def test_open_bands_and_steps_are_written_as_such() -> None:
    open_below, open_above = row(load_from_rps=None), row(load_to_rps=None)
    low, high = (tier_table(report(one), SAY).rows[0]["cells"][2] for one in (open_below, open_above))
    assert (low, high) == ("≤ 2", "> 1")
    table = tier_table(report(row(step=3, load_from_rps=8.0, load_to_rps=8.0), load_test="sweep"), SAY)
    assert table.rows[0]["cells"][:2] == ["3", "8"]
    assert heads(row(step=3), load_test="sweep")[0] == "Step"
