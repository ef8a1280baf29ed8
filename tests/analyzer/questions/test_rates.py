import numpy as np
import pytest

from analyzer.questions.answers import Interval, Rate, Status
from analyzer.questions.rates import MIN_REQUESTS, best_of, rate, rates, status_of


def test_a_rate_carries_its_evidence() -> None:
    found = rate(100, 5)
    assert (found.requests, found.defective, found.rate) == (100, 5, 0.05)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.021544, 0.111750), abs=1e-6)


def test_nothing_observed_is_not_a_rate_of_zero() -> None:
    assert rate(0, 0) == Rate(0, 0, None, Interval(None, None))


def test_over_dispersion_widens_the_interval_around_the_same_rate() -> None:
    plain, spread = rate(1000, 50), rate(1000, 50, phi=3.0)
    assert plain.rate == spread.rate
    assert plain.interval.low is not None
    assert spread.interval.low is not None
    assert spread.interval.low < plain.interval.low


def test_numbers_are_plain_ones_that_can_be_serialised() -> None:
    (found, empty) = rates(np.array([10, 0]), np.array([1, 0]))
    assert {type(value) for value in (found.requests, found.defective)} == {int}
    assert type(found.rate) is float
    assert empty.rate is None


@pytest.mark.parametrize(
    ("everything", "known", "status"),
    [
        (0, 0, Status.EMPTY),
        (50, 0, Status.NO_OUTCOME),
        (50, MIN_REQUESTS - 1, Status.INSUFFICIENT_DATA),
        (50, MIN_REQUESTS, Status.OK),
    ],
)
def test_a_status_says_how_far_a_rate_goes(everything: int, known: int, status: Status) -> None:
    assert status_of(everything, known) is status


def test_a_whole_is_as_good_as_its_best_part() -> None:
    assert best_of([Status.NO_OUTCOME, Status.OK, Status.INSUFFICIENT_DATA]) is Status.OK
    assert best_of([Status.NO_OUTCOME, Status.INSUFFICIENT_DATA]) is Status.INSUFFICIENT_DATA
    assert best_of([]) is Status.EMPTY
