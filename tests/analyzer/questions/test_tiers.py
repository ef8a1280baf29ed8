from typing import Any

import msgspec
import pyarrow as pa
import pytest

from analyzer.questions.answers import Interval, Status, TierReport
from analyzer.questions.tiers import tier_report
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.factories.requests import REJECTED, UNKNOWN, minute_of_traffic, request_rows, shown
from tests.factories.stores import START_NS
from vocabulary.outcomes import DEFECT_NAMES, DefectKind
from vocabulary.pools import MINUTE_NS, Pool, Window
from vocabulary.services import ServiceBook, ServiceDefinition

POOL = Pool("chat", "m")
WINDOW = Window(START_NS, START_NS + 3 * 1440 * MINUTE_NS)


def report_of(telemetry: Telemetry, load_test: str = "", pending_minutes: int = 0) -> TierReport:
    return tier_report(telemetry.reader, POOL, WINDOW, load_test=load_test, pending_minutes=pending_minutes)


def test_an_empty_store_gives_an_empty_report(telemetry: Telemetry) -> None:
    report = report_of(telemetry)
    assert (report.rows, report.status, report.flags) == ([], Status.EMPTY, [])
    assert report.basis.watermark_ns == WINDOW.start_ns


def test_rates_of_each_load_tier_are_those_of_its_minutes(telemetry: Telemetry, control: Control) -> None:
    quiet = [minute_of_traffic(minute, 10, failed=1) for minute in range(10)]
    loud = [minute_of_traffic(20 + minute, 40, failed=12) for minute in range(2)]
    report = report_of(shown(telemetry, control, *quiet, *loud))
    low, high = report.rows
    assert (low.load_tier, low.requests_all, low.rate.defective, low.minutes) == ("off_peak", 100, 10, 10)
    assert (high.load_tier, high.requests_all, high.rate.defective, high.minutes) == ("normal", 80, 24, 2)
    assert low.load_to_rps == high.load_from_rps == pytest.approx(10 / 60)
    assert high.mean_load_rps == pytest.approx(40 / 60)
    assert high.multiplier == pytest.approx((24.5 / 81) / (10.5 / 101))
    assert low.multiplier is None
    assert low.multiplier_interval == Interval(None, None)
    assert low.defects["error"] == 10
    assert sum(row.e2e.count for row in report.rows) == 180
    assert high.e2e.count == 80
    assert high.e2e.p50 == pytest.approx(1.0, rel=0.05)
    assert report.flags == ["fewer_than_7_days", "binomial_interval"]
    assert report.basis.requests == 180


def test_load_is_per_ready_replica(telemetry: Telemetry, control: Control) -> None:
    two = minute_of_traffic(0, 60, replica=lambda position: f"r{position % 2}")
    report = report_of(shown(telemetry, control, two))
    assert report.rows[0].mean_load_rps == pytest.approx(0.5)


def test_rejections_count_as_defects_and_client_errors_do_not(telemetry: Telemetry, control: Control) -> None:
    report = report_of(
        shown(
            telemetry,
            control,
            request_rows(30, **REJECTED),
            request_rows(20, outcome="failed", defects=0, http_status=400),
            request_rows(50),
        )
    )
    (row,) = report.rows
    assert (row.rate.requests, row.rate.defective) == (100, 30)
    assert row.defects["rejected"] == 30
    assert row.defects["error"] == 0


def test_unknown_outcomes_are_left_out_of_the_rate(telemetry: Telemetry, control: Control) -> None:
    report = report_of(shown(telemetry, control, request_rows(70, **UNKNOWN), request_rows(40)))
    (row,) = report.rows
    assert (row.requests_all, row.unknown, row.rate.requests, row.rate.rate) == (110, 70, 40, 0.0)
    assert "unknown_outcomes" in report.flags


def test_only_unknown_outcomes_have_no_rate_at_all(telemetry: Telemetry, control: Control) -> None:
    report = report_of(shown(telemetry, control, request_rows(70, **UNKNOWN)))
    (row,) = report.rows
    assert (row.status, row.rate.rate, row.rate.interval) == (Status.NO_OUTCOME, None, Interval(None, None))
    assert report.status is Status.NO_OUTCOME


def test_few_requests_show_their_number_and_say_that_it_is_small(telemetry: Telemetry, control: Control) -> None:
    report = report_of(shown(telemetry, control, request_rows(29)), pending_minutes=2)
    (row,) = report.rows
    assert (row.rate.requests, row.status) == (29, Status.INSUFFICIENT_DATA)
    assert report.flags == ["fewer_than_7_days", "insufficient_data", "pending_minutes"]
    assert report.basis.pending_minutes == 2


def test_service_tiers_have_rows_of_their_own_and_unnamed_is_general(telemetry: Telemetry, control: Control) -> None:
    report = report_of(
        shown(
            telemetry,
            control,
            request_rows(40, service_tier="core"),
            request_rows(50, service_tier=""),
            request_rows(10, service_tier="general"),
        )
    )
    assert [(row.service_tier, row.requests_all, row.e2e.count) for row in report.rows] == [
        ("core", 40, 40),
        ("general", 60, 60),
    ]
    assert [row.mean_load_rps for row in report.rows] == pytest.approx([100 / 60] * 2)


def test_a_load_test_has_one_row_per_step_by_offered_rate(telemetry: Telemetry, control: Control) -> None:
    steps = {0: (30.0, 3), 1: (5.0, 10), 2: (75.0, 31)}
    tables = [
        minute_of_traffic(5 * step, 100, failed=failed, load_test="sweep", load_test_step=step, offered_rps=rate)
        for step, (rate, failed) in steps.items()
    ]
    shown(telemetry, control, *tables, request_rows(500))
    report = report_of(telemetry, "sweep")
    assert [(row.step, row.load_to_rps, row.rate.rate) for row in report.rows] == [
        (1, 5.0, 0.1),
        (0, 30.0, 0.03),
        (2, 75.0, 0.31),
    ]
    assert [row.load_from_rps for row in report.rows] == [5.0, 30.0, 75.0]
    assert [row.mean_load_rps for row in report.rows] == [5.0, 30.0, 75.0]
    assert [row.multiplier is None for row in report.rows] == [True, False, False]
    assert [row.e2e.count for row in report.rows] == [100, 100, 100]
    assert report.flags == ["binomial_interval"]
    assert report.rows[2].multiplier == pytest.approx(31.5 / 10.5)


def sweep(telemetry: Telemetry, control: Control, *steps: tuple[int, int]) -> TierReport:
    """A load test of steps with so many requests, and so many of them failed."""
    tables = [
        minute_of_traffic(5 * at, size, failed=bad, load_test="sweep", load_test_step=at, offered_rps=1.0 + at)
        for at, (size, bad) in enumerate(steps)
    ]
    shown(telemetry, control, *tables)
    return report_of(telemetry, "sweep")


def test_a_step_of_one_request_is_no_measure_for_the_others(telemetry: Telemetry, control: Control) -> None:
    report = sweep(telemetry, control, (1, 0), (250, 14), (250, 28))
    assert [row.is_baseline for row in report.rows] == [False, True, False]
    assert [row.multiplier for row in report.rows] == [None, None, pytest.approx(28.5 / 14.5)]
    assert "insufficient_data" in report.flags


def test_nothing_is_a_multiple_of_no_defects(telemetry: Telemetry, control: Control) -> None:
    report = sweep(telemetry, control, (38, 0), (37, 0), (250, 14))
    assert [(row.multiplier, row.multiplier_interval.low) for row in report.rows] == [(None, None)] * 3
    assert report.flags == ["baseline_without_defects"]


def test_a_multiplier_never_contradicts_the_rates_beside_it(telemetry: Telemetry, control: Control) -> None:
    report = sweep(telemetry, control, (30, 1), (1000, 35))
    low, high = report.rows
    assert (low.rate.rate or 0) < (high.rate.rate or 0)
    assert high.multiplier is None
    assert (high.multiplier_interval.low or 9) < 1 < (high.multiplier_interval.high or 0)


def test_load_tests_stay_outside_production_tiers(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(40), request_rows(99, load_test="sweep", load_test_step=0, offered_rps=1.0))
    assert [row.requests_all for row in report_of(telemetry).rows] == [40]


def test_days_that_differ_widen_the_interval_of_the_rate(telemetry: Telemetry, control: Control) -> None:
    tables = [
        minute_of_traffic(1440 * day + minute, 20 + 4 * minute, failed=(10 if day == 1 else 1))
        for day in range(3)
        for minute in range(10)
    ]
    report = report_of(shown(telemetry, control, *tables))
    assert report.days == 3
    assert report.rows[0].phi > 1.5
    assert "over_dispersed" in report.flags
    assert "binomial_interval" not in report.flags


def test_the_same_rows_give_the_same_bytes(telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, *(minute_of_traffic(minute, 10 + minute, failed=2) for minute in range(30)))
    assert msgspec.json.encode(report_of(telemetry)) == msgspec.json.encode(report_of(telemetry))


def test_counts_and_sketches_come_from_one_build(telemetry: Telemetry, control: Control) -> None:
    """A rebuild between the two reads of a report must not mix them."""
    rollup = telemetry.rollup(control)

    def store(*tables: pa.Table) -> None:
        telemetry.writer.append_requests(pa.concat_tables(tables))
        rollup.recover()
        rollup.run()

    store(minute_of_traffic(0, 60))
    window = Window(START_NS, START_NS + 60 * MINUTE_NS)
    reader = telemetry.reader
    read_minutes = type(reader).minutes

    def minutes_then_rebuild(self: Any, *args: Any) -> pa.Table:
        found = read_minutes(self, *args)
        store(minute_of_traffic(1, 40))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(reader), "minutes", minutes_then_rebuild)
        found = tier_report(reader, POOL, window)
    assert sum(row.requests_all for row in found.rows) == 60
    assert sum(row.e2e.count for row in found.rows) == 60


def test_every_row_says_how_its_rate_lies_beside_the_threshold_of_its_service_tier(
    telemetry: Telemetry, control: Control
) -> None:
    core = minute_of_traffic(0, 200, failed=40, service_tier="core")
    store = shown(telemetry, control, core, minute_of_traffic(0, 200, failed=2), request_rows(5, service_tier="batch"))
    told = {row.service_tier: (row.risk_threshold, row.risk_standing) for row in report_of(store).rows}
    assert told == {"core": (0.005, "above"), "general": (0.01, "across"), "batch": (0.02, "across")}
    services = ServiceBook((ServiceDefinition("chat", risk_thresholds={"core": 0.3, "general": 0.0}),))
    rows = tier_report(store.reader, POOL, WINDOW, services=services).rows
    told = {row.service_tier: (row.risk_threshold, row.risk_standing) for row in rows}
    assert told == {"core": (0.3, "below"), "general": (0.0, "above"), "batch": (0.02, "across")}


def test_a_rate_that_is_not_known_lies_nowhere(telemetry: Telemetry, control: Control) -> None:
    (row,) = report_of(shown(telemetry, control, request_rows(70, **UNKNOWN))).rows
    assert (row.risk_threshold, row.risk_standing) == (0.01, "unknown")


def test_kinds_that_do_not_count_are_told(telemetry: Telemetry, control: Control) -> None:
    store = shown(telemetry, control, request_rows(40))
    services = ServiceBook((ServiceDefinition("chat", counted=DefectKind.ERROR | DefectKind.SLOW),))
    report = tier_report(store.reader, POOL, WINDOW, services=services)
    assert (report.counted, "kinds_left_out" in report.flags) == (["error", "slow"], True)
    plain = report_of(store)
    assert (plain.counted, "kinds_left_out" in plain.flags) == (list(DEFECT_NAMES), False)
