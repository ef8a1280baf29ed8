import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.methods.multiplier import BlockCounts, IntervalMethod, multiplier


def blocks(defects: list[float], requests: list[float]) -> BlockCounts:
    return BlockCounts(np.array(defects, dtype=np.float64), np.array(requests, dtype=np.float64))


days = st.lists(st.tuples(st.integers(1, 5000), st.floats(0, 1)), min_size=2, max_size=10)


def of_days(listed: list[tuple[int, float]]) -> BlockCounts:
    return blocks([float(int(n * share)) for n, share in listed], [float(n) for n, _ in listed])


def test_the_golden_tier_table_comes_out() -> None:
    found = multiplier(blocks([300], [100_000]), blocks([900], [50_000]))
    assert found.method is IntervalMethod.BINOMIAL
    assert (found.estimate, found.low, found.high) == pytest.approx((5.993, 5.260, 6.829), abs=5e-4)


def test_over_dispersion_widens_the_binomial_interval() -> None:
    plain = multiplier(blocks([300], [100_000]), blocks([900], [50_000]))
    spread = multiplier(blocks([300], [100_000]), blocks([900], [50_000]), phi=4)
    assert spread.estimate == plain.estimate
    assert np.log(spread.high / spread.estimate) == pytest.approx(2 * np.log(plain.high / plain.estimate))


def test_the_jackknife_follows_its_formula() -> None:
    low, high = blocks([10, 14, 9], [1000, 1100, 900]), blocks([30, 52, 25], [500, 700, 450])
    theta = np.log(((107.5) / 1651) / ((33.5) / 3001))
    without = [
        np.log((((107 - y_high) + 0.5) / (1650 - n_high + 1)) / (((33 - y_low) + 0.5) / (3000 - n_low + 1)))
        for y_low, n_low, y_high, n_high in ((10, 1000, 30, 500), (14, 1100, 52, 700), (9, 900, 25, 450))
    ]
    error = np.sqrt(2 / 3 * sum((value - theta) ** 2 for value in without))
    found = multiplier(low, high)
    assert found.method is IntervalMethod.DAY_JACKKNIFE
    assert found.estimate == pytest.approx(np.exp(theta))
    assert found.high == pytest.approx(np.exp(theta + 4.302653 * error), rel=1e-5)
    assert found.low == pytest.approx(np.exp(theta - 4.302653 * error), rel=1e-5)


def test_a_tier_seen_on_one_day_only_falls_back_to_counts() -> None:
    found = multiplier(blocks([10, 10, 10], [1000, 1000, 1000]), blocks([0, 30, 0], [0, 400, 0]))
    assert found.method is IntervalMethod.BINOMIAL


def test_days_without_requests_are_no_evidence() -> None:
    low, high = blocks([10, 14], [1000, 1100]), blocks([30, 52], [500, 700])
    idle_low, idle_high = blocks([10, 0, 14, 0], [1000, 0, 1100, 0]), blocks([30, 0, 52, 0], [500, 0, 700, 0])
    assert multiplier(low, high) == multiplier(idle_low, idle_high)


def test_no_defects_anywhere_still_give_a_wide_interval() -> None:
    found = multiplier(blocks([0], [1000]), blocks([0], [1000]))
    assert found.estimate == pytest.approx(1)
    assert found.low < 0.05
    assert found.high > 20


def test_a_tier_without_requests_has_no_multiplier() -> None:
    with pytest.raises(ValueError, match="requests"):
        multiplier(blocks([0], [0]), blocks([1], [10]))
    with pytest.raises(ValueError, match="blocks"):
        multiplier(blocks([0], [10]), blocks([1, 1], [10, 10]))


@given(days)
def test_the_order_of_days_changes_nothing(listed: list[tuple[int, float]]) -> None:
    order = np.argsort([hash((n, share)) for n, share in listed])
    shuffled = [listed[at] for at in order]
    straight = multiplier(of_days(listed), of_days(listed[::-1]))
    turned = multiplier(of_days(shuffled), of_days([listed[::-1][at] for at in order]))
    assert (turned.estimate, turned.low, turned.high) == pytest.approx((straight.estimate, straight.low, straight.high))


@given(days)
def test_an_interval_contains_its_estimate(listed: list[tuple[int, float]]) -> None:
    found = multiplier(of_days(listed), of_days(listed[::-1]))
    assert 0 < found.low <= found.estimate <= found.high


@given(st.integers(0, 200), st.integers(0, 200), st.integers(200, 100_000), st.integers(200, 100_000))
def test_swapped_tiers_have_the_inverse_multiplier(y_low: int, y_high: int, n_low: int, n_high: int) -> None:
    there = multiplier(blocks([y_low], [n_low]), blocks([y_high], [n_high]))
    back = multiplier(blocks([y_high], [n_high]), blocks([y_low], [n_low]))
    assert there.estimate == pytest.approx(1 / back.estimate)
    assert there.low == pytest.approx(1 / back.high)


def covered(noise: float, *, by_day: bool) -> float:
    """Share of 500 simulated fortnights whose interval holds the true ratio 3; days differ by a common log-normal."""
    random = np.random.default_rng(5)
    hits = 0
    for _ in range(500):
        days_low = np.exp(random.normal(-(noise**2) / 2, noise, 14))
        days_high = np.exp(random.normal(-(noise**2) / 2, noise, 14))
        low = random.binomial(4000, np.minimum(0.005 * days_low, 1)).astype(float)
        high = random.binomial(1000, np.minimum(0.015 * days_high, 1)).astype(float)
        n_low, n_high = np.full(14, 4000.0), np.full(14, 1000.0)
        if not by_day:
            low, high, n_low, n_high = (np.array([part.sum()]) for part in (low, high, n_low, n_high))
        found = multiplier(BlockCounts(low, n_low), BlockCounts(high, n_high))
        hits += found.low <= 3 <= found.high
    return hits / 500


def test_the_jackknife_covers_with_and_without_days_that_differ() -> None:
    assert 0.92 <= covered(0.0, by_day=True) <= 0.985
    assert 0.90 <= covered(0.5, by_day=True) <= 0.985


def test_counts_alone_cover_only_where_days_do_not_differ() -> None:
    assert 0.92 <= covered(0.0, by_day=False) <= 0.985
    assert covered(0.5, by_day=False) < 0.85
