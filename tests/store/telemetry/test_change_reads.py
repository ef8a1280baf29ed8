from collections.abc import Iterator

import pytest

from store.telemetry.change_reads import CHANGES_MAX, newest_changes
from store.telemetry.open import Telemetry
from tests.factories.changes import change
from tests.factories.stores import START_NS, emptied
from tests.store.snapshot import assert_statement
from vocabulary.errors import RefusedReadError
from vocabulary.pools import SECOND_NS, Window

DAY = Window(START_NS, START_NS + 86_400 * SECOND_NS)
HOUR = Window(START_NS + 36_000 * SECOND_NS, START_NS + 39_600 * SECOND_NS)


@pytest.fixture(scope="module")
def busy_days(embedded_store: Telemetry) -> Iterator[Telemetry]:
    """A change every ten seconds for ten days; made once, the tests only read."""
    emptied(embedded_store)
    embedded_store.writer.append_changes(change(second) for second in range(0, 864_000, 10))
    yield embedded_store
    emptied(embedded_store)


def test_a_small_window_of_many_changes_reads_a_few_granules(busy_days: Telemetry) -> None:
    assert busy_days.reads.rows_read(newest_changes(HOUR, 1000)) <= 2 * 8192


def test_the_statement_is_that_of_the_snapshot(busy_days: Telemetry) -> None:
    assert_statement("changes_newest", busy_days.reads, newest_changes(DAY, 100))


def test_no_more_come_than_were_asked_for_and_those_are_the_newest(busy_days: Telemetry) -> None:
    found = busy_days.reader.changes(HOUR, 3)
    assert [event.at_ns for event in found] == [HOUR.end_ns - second * SECOND_NS for second in (10, 20, 30)]


@pytest.mark.parametrize("limit", [0, CHANGES_MAX + 1])
def test_a_limit_out_of_bounds_is_refused(telemetry: Telemetry, limit: int) -> None:
    with pytest.raises(RefusedReadError, match=f"{limit} change events were asked for"):
        telemetry.reader.changes(DAY, limit)


def test_a_window_of_years_is_refused(telemetry: Telemetry) -> None:
    with pytest.raises(RefusedReadError, match="window is"):
        telemetry.reader.changes(Window(START_NS, START_NS + 500 * 86_400 * SECOND_NS), 10)
