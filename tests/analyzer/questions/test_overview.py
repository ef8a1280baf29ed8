import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.questions.answers import Status
from analyzer.questions.overview import MOST_POINTS, bucket_width, overview
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.requests import FAILED, UNKNOWN, minute_of_traffic, request_rows, shown
from tests.factories.stores import START_NS
from vocabulary.pools import MINUTE_NS, SECOND_NS, Pool, Window

POOL = Pool("chat", "m")


@given(st.integers(0, 10**18), st.integers(1, 400 * 86_400))
def test_no_window_gives_more_than_360_points(start_ns: int, seconds: int) -> None:
    window = Window(start_ns, start_ns + seconds * SECOND_NS)
    width = bucket_width(window)
    buckets = (window.end_ns - 1) // (width * SECOND_NS) - window.start_ns // (width * SECOND_NS) + 1
    assert width % 60 == 0
    assert buckets <= MOST_POINTS


@pytest.mark.parametrize(("hours", "seconds"), [(1, 60), (24, 300), (14 * 24, 3600), (300 * 24, 86_400)])
def test_buckets_are_widths_people_can_read(hours: int, seconds: int) -> None:
    assert bucket_width(Window(0, hours * 60 * MINUTE_NS)) == seconds


def test_points_carry_load_and_rate(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, minute_of_traffic(0, 60, failed=6), minute_of_traffic(2, 30))
    found = overview(telemetry.reader, POOL, Window(START_NS, START_NS + 60 * MINUTE_NS))
    assert [(point.at_ns, point.requests, point.load_rps) for point in found.points] == [
        (START_NS, 60, 1.0),
        (START_NS + 2 * MINUTE_NS, 30, 0.5),
    ]
    assert found.points[0].rate.rate == pytest.approx(0.1)
    assert (found.total.requests, found.total.defective, found.status) == (90, 6, Status.OK)


def test_all_pools_together_are_the_sum(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(40), request_rows(60, model="other", replica="r9"))
    found = overview(telemetry.reader, None, Window(START_NS, START_NS + 60 * MINUTE_NS))
    assert found.points[0].requests == 100
    assert found.points[0].load_rps == pytest.approx(100 / 60 / 2)


def test_a_bucket_that_has_just_begun_is_measured_by_the_time_it_has_lasted(
    telemetry: Telemetry, control: Control
) -> None:
    shown(telemetry, control, request_rows(30))
    found = overview(telemetry.reader, POOL, Window(START_NS, START_NS + 30 * SECOND_NS))
    assert found.points[0].load_rps == pytest.approx(1.0)


@pytest.mark.parametrize("into_ns", [0, 1, 30 * SECOND_NS, 59 * SECOND_NS, MINUTE_NS - 1])
def test_load_is_the_same_wherever_in_a_minute_the_window_begins_and_ends(
    telemetry: Telemetry, control: Control, into_ns: int
) -> None:
    shown(telemetry, control, *(minute_of_traffic(minute, 60) for minute in range(4)))
    window = Window(START_NS + into_ns, START_NS + 3 * MINUTE_NS + max(into_ns, 1))
    found = overview(telemetry.reader, POOL, window, now_ns=window.end_ns + 3600 * SECOND_NS)
    assert [point.load_rps for point in found.points] == [1.0] * 4


def test_the_minute_under_way_is_measured_by_what_has_passed_of_it(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, minute_of_traffic(0, 60), request_rows(20, 60))
    now_ns = START_NS + MINUTE_NS + 20 * SECOND_NS
    for end_ns in (now_ns, START_NS + 60 * MINUTE_NS):
        found = overview(telemetry.reader, POOL, Window(START_NS + 59 * SECOND_NS, end_ns), now_ns=now_ns)
        assert [point.load_rps for point in found.points] == [1.0, 1.0]


def test_unknown_outcomes_give_points_without_a_rate(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(30, **UNKNOWN))
    found = overview(telemetry.reader, POOL, Window(START_NS, START_NS + 60 * MINUTE_NS))
    assert (found.points[0].requests, found.points[0].rate.rate, found.status) == (30, None, Status.NO_OUTCOME)


def test_an_empty_store_gives_no_points(telemetry: Telemetry) -> None:
    found = overview(telemetry.reader, None, Window(START_NS, START_NS + 60 * MINUTE_NS), pending_minutes=3)
    assert (list(found.points), found.status, found.total.rate, found.basis.pending_minutes) == (
        [],
        Status.EMPTY,
        None,
        3,
    )


def test_the_overview_and_the_tier_report_agree(telemetry: Telemetry, control: Control) -> None:
    from analyzer.questions.tiers import tier_report

    shown(telemetry, control, minute_of_traffic(0, 60, failed=6), request_rows(40, 600, **FAILED), request_rows(9, 900))
    window = Window(START_NS, START_NS + 60 * MINUTE_NS)
    total = overview(telemetry.reader, POOL, window).total
    rows = tier_report(telemetry.reader, POOL, window).rows
    assert total.requests == sum(row.rate.requests for row in rows)
    assert total.defective == sum(row.rate.defective for row in rows)
