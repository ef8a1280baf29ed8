"""Arrivals: how many, when, and the same again from the same seed."""

from itertools import islice

import numpy as np
import pytest

from loadtest.fleet.demo_plan import CHAT, demo_plan
from loadtest.fleet.plan import FleetPlan, RisePlan
from loadtest.fleet.request import Request
from loadtest.fleet.traffic import Traffic
from tests.factories.fleets import MONDAY_NS

DAY_S = 86_400.0
PER_DAY = 20_000.0


def plan(seed: int = 1) -> FleetPlan:
    return demo_plan(seed, MONDAY_NS, PER_DAY)


@pytest.fixture(scope="module")
def week() -> list[Request]:
    return list(Traffic(plan()).history(0.0, 7 * DAY_S))


def test_a_week_holds_the_requests_per_day_that_were_asked_for(week: list[Request]) -> None:
    assert len(week) == pytest.approx(7 * PER_DAY, rel=0.05)


def test_requests_come_in_order_and_with_distinct_numbers(week: list[Request]) -> None:
    arrivals = [request.arrival_s for request in week]
    assert arrivals == sorted(arrivals)
    assert len({request.number for request in week}) == len(week)


def test_days_are_busier_than_nights_and_weekends_quieter(week: list[Request]) -> None:
    hours = np.array([request.arrival_s for request in week if request.tenant != 5]) / 3600
    by_day = np.bincount((hours // 24).astype(int), minlength=7)
    of_day = np.bincount((hours % 24).astype(int), minlength=24)
    assert by_day[5:].max() < 0.85 * by_day[:5].min()
    assert of_day[14] > 2.2 * of_day[2]


def test_the_batch_tenant_works_at_night(week: list[Request]) -> None:
    of_day = np.array([request.arrival_s / 3600 % 24 for request in week if request.tenant == 5])
    assert np.sum((of_day < 6) | (of_day > 22)) > np.sum((of_day > 10) & (of_day < 18))


def test_shares_of_models_and_tenants_are_kept(week: list[Request]) -> None:
    models = np.bincount([request.model for request in week]) / len(week)
    tenants = np.bincount([request.tenant for request in week]) / len(week)
    assert models == pytest.approx([model.share for model in plan().models], abs=0.01)
    assert tenants == pytest.approx([tenant.share for tenant in plan().tenants], abs=0.015)


def test_lengths_stay_in_bounds_and_in_the_context_window(week: list[Request]) -> None:
    for request in week:
        window = plan().models[request.model].context_window
        assert request.prompt_tokens >= 1
        assert request.output_tokens >= 1
        if request.prompt_tokens < window:
            assert request.prompt_tokens + request.output_tokens <= window


def test_the_same_seed_draws_the_same_requests_and_another_seed_others() -> None:
    one, again, other = (list(Traffic(plan(seed)).history(0.0, 7200.0)) for seed in (1, 1, 2))
    told = [[(r.number, r.arrival_s, r.prompt_tokens, r.luck) for r in drawn] for drawn in (one, again, other)]
    assert told[0] == told[1] != told[2]


def test_any_stretch_can_be_drawn_by_itself() -> None:
    whole = [r.number for r in Traffic(plan()).history(0.0, 36_000.0) if 9000 <= r.arrival_s < 20_000]
    assert [r.number for r in Traffic(plan()).history(9000.0, 20_000.0)] == whole


def test_the_rise_starts_at_a_weekday_peak_and_ends_at_its_multiple() -> None:
    traffic, rise = Traffic(plan()), RisePlan(from_factor=1.0, to_factor=3.0, rise_s=600.0)
    peak = float(traffic.weekday_peak().sum())
    drawn = list(islice(traffic.rise(1000.0, rise), int(peak * 6000)))
    arrivals = np.array([request.arrival_s for request in drawn]) - 1000.0
    first, last = np.mean(arrivals < 60) * len(drawn) / 60, np.sum((arrivals > 900) & (arrivals < 1500)) / 600
    assert arrivals[0] >= 0
    assert last == pytest.approx(3.0 * peak, rel=0.15)
    assert first < 0.6 * last


def test_the_rise_shares_no_number_with_history() -> None:
    traffic = Traffic(plan())
    history = {request.number for request in traffic.history(0.0, DAY_S)}
    assert not history & {request.number for request in islice(traffic.rise(0.0, RisePlan()), 1000)}


def test_an_endless_history_is_drawn_lazily() -> None:
    assert len(list(islice(Traffic(plan()).history(0.0, float("inf")), 10))) == 10


def test_the_demo_asks_the_chat_model_most() -> None:
    assert CHAT.share > 0.5
