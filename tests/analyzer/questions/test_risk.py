import pytest

from analyzer.questions.answers import Interval
from analyzer.questions.risk import standing


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.001, 0.009, "below"),
        (0.001, 0.01, "below"),
        (0.001, 0.011, "across"),
        (0.01, 0.02, "across"),
        (0.011, 0.02, "above"),
        (None, None, "unknown"),
        (None, 0.5, "unknown"),
    ],
)
def test_an_interval_lies_below_across_or_above_its_threshold(
    low: float | None, high: float | None, expected: str
) -> None:
    assert standing(Interval(low, high), 0.01) == expected
