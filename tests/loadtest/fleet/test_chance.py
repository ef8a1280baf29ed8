"""Chance that belongs to a request's number."""

import numpy as np
import pytest

from loadtest.fleet.chance import CANARY, CLIENT_RETRY, portion


def test_portions_are_uniform_whatever_the_numbers() -> None:
    for numbers in (range(20_000), range(1 << 60, (1 << 60) + 20_000), range(0, 20_000 << 20, 1 << 20)):
        drawn = np.array([portion(number, CANARY) for number in numbers])
        assert 0.0 <= drawn.min() < drawn.max() < 1.0
        shares = np.histogram(drawn, bins=10, range=(0, 1))[0] / len(drawn)
        assert shares == pytest.approx(np.full(10, 0.1), abs=0.01)


def test_one_purpose_tells_nothing_about_another() -> None:
    canary = [portion(number, CANARY) for number in range(20_000)]
    retry = [portion(number, CLIENT_RETRY) for number in range(20_000)]
    assert abs(float(np.corrcoef(canary, retry)[0, 1])) < 0.03


def test_the_same_number_draws_the_same() -> None:
    assert portion(7, CANARY) == portion(7, CANARY) != portion(8, CANARY)
