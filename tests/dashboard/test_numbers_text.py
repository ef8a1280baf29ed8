import pytest

from analyzer.questions.answers import Interval, Rate
from dashboard import numbers_text as text


def test_a_rate_comes_with_interval_and_n() -> None:
    rate = Rate(6246, 403, 0.0645, Interval(0.0587, 0.0709))
    assert text.percent(rate.rate) == "6.45 %"
    assert text.evidence(rate, "at 95 %") == "[5.87, 7.09] % at 95 % · n = 6,246"


def test_unknown_is_a_dash_and_zero_is_zero() -> None:
    assert text.percent(None) == text.seconds(None) == text.load(None) == text.count(None) == text.UNKNOWN
    assert text.interval(Interval(None, None)) == text.UNKNOWN
    assert (text.percent(0.0), text.count(0), text.load(0.0)) == ("0 %", "0", "0")


def test_a_multiplier_with_an_open_bound_says_so() -> None:
    assert text.times(2.31, Interval(1.9, 2.81)) == "×2.31 [1.9, 2.81]"
    assert text.times(2.31, Interval(1.9, None)) == "×2.31 [1.9, ∞]"
    assert text.times(None, Interval(None, None)) == text.UNKNOWN


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (2.5e-05, "25 µs"),
        (0.0142, "14.2 ms"),
        (1.234, "1.23 s"),
        (125, "2 min 5 s"),
        (11_520, "3 h 12 min"),
        (439_200, "5 d 2 h"),
    ],
)
def test_durations_are_in_the_unit_people_read(seconds: float, shown: str) -> None:
    assert text.seconds(seconds) == shown


@pytest.mark.parametrize(("value", "shown"), [(948, "948"), (6246, "6,246"), (12_345, "12.3k"), (4_560_000, "4.56M")])
def test_large_counts_are_short(value: int, shown: str) -> None:
    assert text.short_count(value) == shown
