import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.methods.interval import clopper_pearson, wilson


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    requests = draw(st.integers(1, 2_000_000))
    return draw(st.integers(0, requests)), requests


@pytest.mark.parametrize(
    ("defects", "requests", "low", "high"), [(5, 100, 0.021544, 0.111750), (0, 100, 0.0, 0.036993)]
)
def test_wilson_gives_the_golden_numbers(defects: int, requests: int, low: float, high: float) -> None:
    found = wilson([defects], [requests])
    assert found[0][0] == pytest.approx(low, abs=5e-7)
    assert found[1][0] == pytest.approx(high, abs=6e-7)


def test_clopper_pearson_gives_the_golden_numbers() -> None:
    low, high = clopper_pearson([5], [100])
    assert low[0] == pytest.approx(0.016432, abs=5e-7)
    assert high[0] == pytest.approx(0.112835, abs=5e-7)


def test_clopper_pearson_without_a_defect_is_the_rule_of_three() -> None:
    low, high = clopper_pearson([0], [1000])
    assert low[0] == 0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 1000))


def test_no_requests_say_nothing() -> None:
    for interval in (wilson, clopper_pearson):
        low, high = interval([0, 1], [0, 2])
        assert (low[0], high[0]) == (0, 1)
        assert 0 < low[1] < high[1] < 1


def test_cells_are_counted_one_by_one() -> None:
    together = wilson([1, 20, 300], [10, 400, 500])
    alone = [wilson([y], [n]) for y, n in ((1, 10), (20, 400), (300, 500))]
    assert together[0].tolist() == [low[0] for low, _ in alone]
    assert together[1].tolist() == [high[0] for _, high in alone]


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
@pytest.mark.parametrize(("defects", "requests"), [([1], [1, 2]), ([3], [2]), ([-1], [2])])
def test_contradictory_counts_are_refused(interval: type, defects: list[int], requests: list[int]) -> None:
    with pytest.raises(ValueError, match="defects"):
        interval(defects, requests)


@given(counts())
def test_an_interval_contains_its_rate(cell: tuple[int, int]) -> None:
    defects, requests = cell
    for interval in (wilson, clopper_pearson):
        low, high = interval([defects], [requests])
        assert 0 <= low[0] <= defects / requests <= high[0] <= 1


@given(counts())
def test_one_more_defect_moves_both_bounds_up(cell: tuple[int, int]) -> None:
    defects, requests = cell
    more = min(defects + 1, requests)
    for interval in (wilson, clopper_pearson):
        low, high = interval([defects, more], [requests, requests])
        assert low[0] <= low[1]
        assert high[0] <= high[1]


@given(counts())
def test_mirrored_counts_have_the_mirrored_interval(cell: tuple[int, int]) -> None:
    defects, requests = cell
    low, high = wilson([defects, requests - defects], [requests, requests])
    assert low[0] == pytest.approx(1 - high[1], abs=1e-12)


@given(counts(), st.integers(2, 50))
def test_more_requests_at_the_same_rate_narrow_the_interval(cell: tuple[int, int], times: int) -> None:
    defects, requests = cell
    low, high = wilson([defects, defects * times], [requests, requests * times])
    assert high[1] - low[1] < high[0] - low[0]


@pytest.mark.parametrize("rate", [0.003, 0.02, 0.2])
def test_intervals_cover_the_truth_as_often_as_they_say(rate: float) -> None:
    requests = 400
    defects = np.random.default_rng(11).binomial(requests, rate, 20_000)
    covered = {}
    for interval in (wilson, clopper_pearson):
        low, high = interval(defects, np.full(defects.shape, requests))
        covered[interval.__name__] = float(np.mean((low <= rate) & (rate <= high)))
    assert 0.93 <= covered["wilson"] <= 0.98
    assert covered["clopper_pearson"] >= 0.945
