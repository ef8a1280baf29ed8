import numpy as np
import pytest

from analyzer.methods.dispersion import overdispersion


def simulated(noise: float, seed: int = 3) -> float:
    """Over-dispersion of 30 days of 100 minutes at five loads, whose day factors have this log scatter."""
    random = np.random.default_rng(seed)
    day = np.repeat(np.arange(30), 100)
    load = np.tile(np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], 20), 30)
    requests = np.full(day.size, 60.0) * load
    factor = np.exp(random.normal(-(noise**2) / 2, noise, 30))[day]
    return overdispersion(day, load, requests, random.binomial(requests.astype(int), 0.02 * factor).astype(float))


def test_independent_requests_have_none() -> None:
    found = [simulated(0.0, seed) for seed in range(20)]
    assert np.mean(found) == pytest.approx(1.05, abs=0.08)
    assert max(found) < 1.5


def test_days_that_differ_show() -> None:
    assert simulated(0.5) > 2


def test_load_itself_is_no_scatter() -> None:
    day = np.repeat(np.arange(10), 4)
    load = np.tile([1.0, 2.0, 4.0, 8.0], 10)
    requests = np.full(40, 1000.0)
    assert overdispersion(day, load, requests, requests * load / 100) == 1


def test_it_never_leaves_its_bounds() -> None:
    day = np.repeat(np.arange(12), 2)
    load, requests = np.tile([1.0, 5.0], 12), np.full(24, 1000.0)
    wild = np.where(day % 2 == 0, 0.0, 900.0)
    assert overdispersion(day, load, requests, wild) == 5


@pytest.mark.parametrize("days", [0, 1, 4])
def test_too_little_says_nothing(days: int) -> None:
    day = np.arange(days)
    ones = np.ones(days)
    assert overdispersion(day, ones, 100 * ones, np.array([0.0, 50.0, 0.0, 50.0])[:days]) == 1
