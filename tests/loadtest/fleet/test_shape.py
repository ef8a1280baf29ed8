"""Rates by time: the typical week, growth, courses out of files, bursts to the second."""

from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.rates_file import read_rates
from loadtest.fleet.shape import Cells, Shape
from loadtest.fleet.timeline import Burst
from tests.factories.real_data import real_file
from tests.factories.traffic_plans import HOUR_S, NIGHT, WEEK_S, traffic_plan, written

WEEK_H = 168


def cells(shape: Shape, hour: int) -> Cells:
    return shape.hour(hour, np.random.default_rng((7, hour)))


def hourly(shape: Shape, hours: int = WEEK_H, first: int = 0) -> npt.NDArray[np.float64]:
    """(hours, tenants) requests that are expected in each hour."""
    every = [cells(shape, hour) for hour in range(first, first + hours)]
    return np.stack([(one.rates * np.diff(one.edges)[:, None]).sum(axis=0) for one in every])


def steady(growth_per_week: float = 1.0) -> FleetPlan:
    return traffic_plan(noise=0.0, pulses_per_day=0.0, growth_per_week=growth_per_week)


def test_a_week_without_noise_and_pulses_holds_exactly_what_was_asked_for() -> None:
    by_tenant = hourly(Shape(steady())).sum(axis=0)
    assert by_tenant == pytest.approx(np.array([0.3, 0.4, 0.1, 0.2]) * 140_000, rel=1e-4)


def test_many_weeks_with_noise_and_pulses_hold_what_was_asked_for_within_a_hundredth() -> None:
    weeks = [hourly(Shape(traffic_plan(seed)), first=seed * WEEK_H).sum() for seed in range(40)]
    assert np.mean(weeks) == pytest.approx(140_000, rel=0.01)
    assert np.std(weeks) < 0.02 * 140_000


def test_days_are_busier_than_nights_and_weekends_quieter_for_callers_by_day() -> None:
    rates = hourly(Shape(steady()))
    by_day = rates[:, 0].reshape(7, 24)
    assert by_day[:5] == pytest.approx(np.broadcast_to(by_day[0], (5, 24)))
    assert by_day[5:] == pytest.approx(np.broadcast_to(by_day[0] * 0.72, (2, 24)))
    assert by_day[0].argmax() in {13, 14}
    assert by_day[0].min() / by_day[0].max() == pytest.approx(0.30, abs=0.01)


def test_the_caller_by_night_has_no_weekend() -> None:
    by_day = hourly(Shape(steady()))[:, NIGHT].reshape(7, 24)
    assert by_day == pytest.approx(np.broadcast_to(by_day[0], (7, 24)))
    assert by_day[0].argmax() in {1, 2}


def test_shares_need_not_sum_to_one() -> None:
    plan = steady()
    tenants = tuple(msgspec.structs.replace(one, share=one.share / 2) for one in plan.tenants)
    assert hourly(Shape(msgspec.structs.replace(plan, tenants=tenants))) == pytest.approx(hourly(Shape(plan)))


def test_the_peak_is_the_busiest_hour_of_a_weekday() -> None:
    shape = Shape(steady())
    assert shape.peak()[:NIGHT] == pytest.approx(hourly(shape, 24)[:, :NIGHT].max(axis=0) / HOUR_S, rel=0.01)


def test_pulses_come_so_often_and_so_strong_as_planned() -> None:
    shape = Shape(traffic_plan(noise=0.0))
    quiet = Shape(steady())
    ratio = np.concatenate([cells(shape, hour).rates[:, 0] / cells(quiet, hour).rates[:, 0] for hour in range(2000)])
    raised = ratio / ratio.min()
    assert raised.max() <= 2.6
    assert np.mean(raised > 1.01) == pytest.approx(7 * 4.5 / 1440, rel=0.12)


def test_a_week_later_rates_have_grown_by_the_factor() -> None:
    grown, level = (hourly(Shape(steady(growth_per_week=factor)), 2 * WEEK_H) for factor in (1.05, 1.0))
    assert grown[WEEK_H:] == pytest.approx(grown[:WEEK_H] * 1.05)
    assert grown[0] == pytest.approx(level[0], rel=0.001)
    assert (grown / level).sum(axis=1) == pytest.approx(4 * 1.05 ** ((np.arange(2 * WEEK_H) + 0.5) / WEEK_H), rel=1e-5)


def test_growth_is_one_at_the_origin_and_the_factor_after_a_week() -> None:
    assert Shape(steady(growth_per_week=1.2)).growth(np.array([0.0, WEEK_S, 2 * WEEK_S])) == pytest.approx(
        [1, 1.2, 1.44]
    )


def test_a_burst_begins_and_ends_to_the_second() -> None:
    calm, hit = Shape(steady()), Shape(steady(), (Burst(at_s=3700.5, for_s=47.0, factor=3.0),))
    before, after = cells(calm, 1), cells(hit, 1)
    assert sorted(set(after.edges) - set(before.edges)) == [3700.5, 3747.5]
    middles = (after.edges[1:] + after.edges[:-1]) / 2
    inside = (middles > 3700.5) & (middles < 3747.5)
    expected = before.rates[np.searchsorted(before.edges, middles) - 1]
    assert after.rates[inside] == pytest.approx(expected[inside] * 3.0)
    assert after.rates[~inside] == pytest.approx(expected[~inside])
    assert np.diff(after.edges)[inside].sum() == pytest.approx(47.0)


def test_a_burst_of_a_tier_leaves_the_others_alone() -> None:
    hit = Shape(steady(), (Burst(at_s=0.0, for_s=HOUR_S, factor=2.0, service_tier="general"),))
    assert hourly(hit, 1) / hourly(Shape(steady()), 1) == pytest.approx(np.array([[1, 2, 2, 1]]))


def test_bursts_at_once_multiply_and_one_without_an_end_stays() -> None:
    timeline = (Burst(at_s=1800.0, factor=2.0), Burst(at_s=0.0, for_s=2700.0, factor=3.0))
    factors = hourly(Shape(steady(), timeline), 3) / hourly(Shape(steady()), 3)
    assert factors[1:] == pytest.approx(np.full((2, 4), 2.0))
    [rates] = [cells(Shape(steady(), timeline), 0)]
    calm = cells(Shape(steady()), 0)
    assert rates.edges.tolist() == calm.edges.tolist()  # the bursts' edges are full minutes
    assert (rates.rates / calm.rates)[[0, 29, 30, 44, 45, 59], 0] == pytest.approx([3, 3, 6, 6, 2, 2])


def test_other_hours_do_not_notice_a_burst() -> None:
    calm, hit = Shape(traffic_plan()), Shape(traffic_plan(), (Burst(at_s=3700.0, for_s=50.0, factor=3.0),))
    for hour in (0, 2):
        assert cells(calm, hour).rates.tolist() == cells(hit, hour).rates.tolist()


def test_factors_tell_growth_and_bursts_of_single_arrivals() -> None:
    shape = Shape(steady(growth_per_week=4.0), (Burst(at_s=WEEK_S / 2, for_s=10.0, factor=3.0, service_tier="core"),))
    seconds = np.array([0.0, WEEK_S / 2 - 0.01, WEEK_S / 2, WEEK_S / 2, WEEK_S / 2 + 10])
    assert shape.factors(seconds, np.array([0, 0, 0, 1, 0])) == pytest.approx([1, 2, 6, 2, 2], rel=1e-4)


def test_a_course_replaces_the_day_the_weekend_the_noise_and_the_pulses(tmp_path: Path) -> None:
    course = read_rates(written(tmp_path, "t_s,req_per_s\n0,10\n5400,30\n"))
    shape = Shape(traffic_plan(noise=0.5, pulses_per_day=24), course=course)
    every = [cells(shape, hour) for hour in range(3)]
    assert [one.edges.tolist() for one in every] == [[0, 3600], [3600, 5400, 7200], [7200, 10_800]]
    relative = np.concatenate([one.rates for one in every]) / shape.mean
    assert relative == pytest.approx(np.repeat([[0.5], [0.5], [1.5], [1.5]], 4, axis=1))
    assert shape.peak() == pytest.approx(shape.mean * np.quantile([0.5, 1.5], 0.95))


@pytest.mark.parametrize("name", ["language_m-large", "language_m-mid"])
def test_the_daily_course_of_servegen_is_kept(name: str) -> None:
    path = str(real_file("servegen", f"{name}_10min.csv"))
    told = np.loadtxt(path, delimiter=",", skiprows=1)[:, 1].reshape(14, 144)
    shape = Shape(traffic_plan(), course=read_rates(path))
    played = np.concatenate([cells(shape, hour).rates.sum(axis=1) for hour in range(14 * 24)]).reshape(14, 144)
    measured = told > 0
    assert np.corrcoef(played[measured], told[measured])[0, 1] > 0.999
    daily = [np.where(measured, one, np.nan) for one in (played, told)]
    assert np.corrcoef(*[np.nanmean(one, axis=0) for one in daily])[0, 1] > 0.99
    assert played.mean() * 86_400 == pytest.approx(20_000)


def test_arrivals_of_cells_come_in_order_inside_of_them_and_as_many_as_their_rates_say() -> None:
    found, tenants = Cells(np.array([10.0, 11.0, 31.0]), np.array([[500.0, 0.0], [20.0, 30.0]])).arrivals(
        np.random.default_rng(3)
    )
    assert found.tolist() == sorted(found)
    assert 10.0 <= found[0] <= found[-1] < 31.0
    assert np.sum(found < 11.0) == pytest.approx(500, abs=80)
    assert np.bincount(tenants[found >= 11.0]) == pytest.approx([400, 600], abs=90)
