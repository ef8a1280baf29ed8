"""What requests ask for: shares, lengths, limits, and that each column lands in its field."""

from dataclasses import fields

import numpy as np
import pytest

from loadtest.fleet.columns import Columns, pick
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Request
from tests.factories.traffic_plans import traffic_plan

MANY = 60_000
PLAN = traffic_plan()


def drawn(plan: FleetPlan = PLAN, total: int = MANY) -> Columns:
    rng = np.random.default_rng(5)
    return Columns.draw(rng, plan.models, np.arange(total) / 10, np.arange(total) % 4)


@pytest.fixture(scope="module")
def columns() -> Columns:
    return drawn()


def test_models_are_asked_by_their_shares(columns: Columns) -> None:
    assert np.bincount(columns.model) / MANY == pytest.approx([0.7, 0.3], abs=0.01)


def test_lengths_have_the_planned_medians_and_bounds(columns: Columns) -> None:
    chat = columns.model == 0
    assert np.median(columns.prompt_tokens[chat]) == pytest.approx(1000, rel=0.03)
    assert np.median(columns.natural_tokens) == pytest.approx(300, rel=0.03)
    assert np.median(columns.patience_s) == pytest.approx(80, rel=0.03)
    assert (columns.prompt_tokens[chat].min() >= 1, columns.prompt_tokens[chat].max()) == (True, 9000)
    assert columns.natural_tokens.max() == 6000


def test_long_contexts_come_from_the_models_that_have_them_and_as_often_as_planned(columns: Columns) -> None:
    is_long = columns.prompt_tokens > 9000
    assert not np.any(is_long & (columns.model == 0))
    assert np.mean(is_long[columns.model == 1]) == pytest.approx(0.1, abs=0.01)
    assert np.median(columns.prompt_tokens[is_long]) == pytest.approx(18_000, rel=0.03)


def test_sampling_settings_are_drawn_by_their_shares(columns: Columns) -> None:
    assert np.mean(columns.is_streamed) == pytest.approx(0.7, abs=0.01)
    assert np.mean(columns.max_tokens == 0) == pytest.approx(0.4, abs=0.01)
    assert np.mean(columns.temperature == 0.0) == pytest.approx(0.2, abs=0.01)


def test_luck_is_uniform_and_its_columns_know_nothing_of_one_another(columns: Columns) -> None:
    lucks = np.stack([columns.luck, columns.when, columns.lane, columns.luck_of_turn])
    assert lucks.mean(axis=1) == pytest.approx(np.full(4, 0.5), abs=0.01)
    assert np.corrcoef(lucks) == pytest.approx(np.eye(4), abs=0.02)


def test_each_column_lands_in_the_field_of_its_name(columns: Columns) -> None:
    requests = list(columns.requests(PLAN.models, slice(40, 90), first_number=1000))
    assert [request.number for request in requests] == list(range(1040, 1090))
    for name in {one.name for one in fields(Columns)} - {"lane", "luck_of_turn"}:
        assert [getattr(request, name) for request in requests] == getattr(columns, name)[40:90].tolist()


def test_fields_hold_plain_python_values(columns: Columns) -> None:
    [request] = columns.requests(PLAN.models, slice(0, 1), first_number=0)
    kinds = {one.name: type(getattr(request, one.name)) for one in fields(Request)}
    assert {kinds[name] for name in ("number", "session", "prompt_tokens", "limit_tokens", "max_tokens")} == {int}
    assert {kinds[name] for name in ("arrival_s", "temperature", "patience_s", "luck", "when")} == {float}
    assert kinds["is_streamed"] is bool


def test_the_limit_is_the_smaller_of_what_was_asked_and_the_room_and_at_least_one(columns: Columns) -> None:
    for request in columns.requests(PLAN.models, slice(0, 5000), first_number=0):
        room = PLAN.models[request.model].context_window - request.prompt_tokens
        assert request.limit_tokens == max(min(request.max_tokens or room, room), 1)


def test_natural_lengths_are_not_cut(columns: Columns) -> None:
    requests = list(columns.requests(PLAN.models, slice(0, 5000), first_number=0))
    assert sum(request.natural_tokens > request.limit_tokens for request in requests) > 100


def test_a_replay_takes_lengths_as_told_and_keeps_prompts_below_the_window() -> None:
    columns = drawn(total=3)
    columns.model[:] = 0
    columns.replay(PLAN.models, np.array([0, 500, 100_000]), np.array([0, 7000, 3]))
    requests = list(columns.requests(PLAN.models, slice(0, 3), first_number=0))
    assert [request.prompt_tokens for request in requests] == [1, 500, 8191]
    assert [request.natural_tokens for request in requests] == [1, 7000, 3]
    assert [request.max_tokens for request in requests] == [0, 0, 0]
    assert [request.limit_tokens for request in requests] == [8191, 7692, 1]


def test_rows_between_two_moments_include_the_first_and_not_the_last(columns: Columns) -> None:
    assert columns.between(1.0, 2.0) == slice(10, 20)
    assert columns.between(1e9, 2e9) == slice(MANY, MANY)


def test_no_requests_are_drawn_for_no_arrivals() -> None:
    assert list(drawn(total=0).requests(PLAN.models, slice(0, 0), first_number=0)) == []


def test_pick_follows_shares_that_do_not_sum_to_one() -> None:
    assert pick(np.array([0.0, 0.24, 0.26, 0.99]), (1.0, 3.0)).tolist() == [0, 0, 1, 1]
    assert pick(np.array([0.0, 0.999]), (2.0,)).tolist() == [0, 0]
    assert pick(np.array([0.0, 0.5]), (0.0, 1.0)).tolist() == [1, 1]
