import numpy as np
import pyarrow as pa
import pytest

from analyzer.questions.cells import NO_STEP, cells_of, tier_name
from tests.factories.minutes import minutes
from vocabulary.pools import MINUTE_NS


def test_load_counts_the_whole_pool_whatever_the_service_tier() -> None:
    cells = cells_of(
        minutes(
            {"minute": 0, "service_tier": "core", "requests": 60, "replicas_ready": 2},
            {"minute": 0, "service_tier": "batch", "requests": 180, "replicas_ready": 2},
            {"minute": 1, "service_tier": "core", "requests": 30, "replicas_ready": 1},
        )
    )
    assert cells.load_rps.tolist() == [2.0, 2.0, 0.5]


def test_load_is_what_the_store_tells_and_not_what_the_rows_show() -> None:
    cells = cells_of(
        minutes(
            {"minute": 0, "service_tier": "core", "requests": 6, "replicas_ready": 2, "load_rps": 4.0},
            {"minute": 0, "service_tier": "batch", "requests": 6, "replicas_ready": 2, "load_rps": 4.0},
            {"minute": 1, "service_tier": "core", "requests": 30, "replicas_ready": 1, "load_rps": 0.75},
        )
    )
    assert cells.load_rps.tolist() == [4.0, 4.0, 0.75]


def test_minutes_that_lost_their_requests_are_left_out() -> None:
    cells = cells_of(minutes({"minute": 0, "requests": 0}, {"minute": 1, "requests": 5}))
    assert cells.minute_ns.tolist() == [MINUTE_NS]


def test_unknown_outcomes_are_no_denominator_and_no_defect() -> None:
    cells = cells_of(minutes({"minute": 0, "requests": 10, "outcome_unknown": 9, "defective": 4}))
    assert cells.known.tolist() == [1]
    assert cells.defective.tolist() == [1]


def test_what_is_unknown_stays_unknown() -> None:
    cells = cells_of(minutes({"minute": 0, "requests": 1, "load_test_step": None, "offered_rps": None}))
    assert cells.step.tolist() == [NO_STEP]
    assert np.isnan(cells.offered_rps).all()


def test_days_are_utc_calendar_days() -> None:
    cells = cells_of(minutes({"minute": 1439, "requests": 1}, {"minute": 1440, "requests": 1}))
    assert cells.day.tolist() == [0, 1]


@pytest.mark.parametrize(("stored", "shown"), [("", "general"), ("core", "core"), ("gold plan", "gold plan")])
def test_requests_without_a_service_tier_are_general(stored: str, shown: str) -> None:
    assert tier_name(stored) == shown


def test_no_rows_are_no_cells() -> None:
    cells = cells_of(minutes())
    assert isinstance(minutes(), pa.Table)
    assert cells.load_rps.size == 0
