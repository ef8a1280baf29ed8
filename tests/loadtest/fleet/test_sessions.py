"""Conversations: who follows whom, what the context grows to, and that no moment is poor in them."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from loadtest.fleet.columns import Columns
from loadtest.fleet.request import Request
from loadtest.fleet.sessions import Sessions
from loadtest.fleet.traffic import Traffic
from tests.factories.traffic_plans import DAY_S, traffic_plan

PLAN = traffic_plan()


@pytest.fixture(scope="module")
def days() -> list[Request]:
    return list(Traffic(PLAN).history(0.0, 5 * DAY_S))


@pytest.fixture(scope="module")
def sessions(days: list[Request]) -> list[list[Request]]:
    """Turns of each session that ends well before the end."""
    found = defaultdict(list)
    for request in days:
        if request.session >= 0:
            found[request.session].append(request)
    return [turns for turns in found.values() if turns[0].arrival_s < 5 * DAY_S - 7200]


def test_as_many_requests_are_further_turns_as_planned(days: list[Request]) -> None:
    assert np.mean([request.prefix_tokens > 0 for request in days]) == pytest.approx(0.45, abs=0.02)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6])
def test_the_share_of_further_turns_can_be_chosen(share: float) -> None:
    requests = list(Traffic(traffic_plan(session_share=share)).history(0.0, DAY_S))
    assert np.mean([request.prefix_tokens > 0 for request in requests]) == pytest.approx(share, abs=0.03)


def test_a_session_has_one_caller_and_one_model(sessions: list[list[Request]]) -> None:
    assert all(len({(turn.tenant, turn.model) for turn in turns}) == 1 for turns in sessions)


def test_a_session_has_two_turns_or_more_and_others_are_in_none(sessions: list[list[Request]]) -> None:
    lengths = np.array([len(turns) for turns in sessions])
    assert lengths.min() == 2
    assert 2.3 < lengths.mean() < 4
    assert lengths.max() > 7


def test_requests_outside_of_sessions_have_no_prefix(days: list[Request]) -> None:
    assert {request.session for request in days if request.session < 0} == {-1}
    assert all(request.prefix_tokens == 0 for request in days if request.session < 0)


def test_the_prefix_of_a_turn_is_the_prompt_and_the_answer_before_it(sessions: list[list[Request]]) -> None:
    for turns in sessions:
        assert turns[0].prefix_tokens == 0
        for before, turn in pairwise(turns):
            answered = min(before.natural_tokens, before.limit_tokens)
            assert turn.prefix_tokens == before.prompt_tokens + answered
            assert turn.prompt_tokens > turn.prefix_tokens


def test_further_turns_stay_below_the_context_window(sessions: list[list[Request]]) -> None:
    for turns in sessions:
        window = PLAN.models[turns[0].model].context_window
        assert all(turn.prompt_tokens < window for turn in turns[1:])


def test_further_turns_add_less_than_a_first_prompt(sessions: list[list[Request]]) -> None:
    added = [turn.prompt_tokens - turn.prefix_tokens for turns in sessions for turn in turns[1:]]
    assert np.median(added) == pytest.approx(250, rel=0.1)


def test_a_turn_leaves_time_to_write_and_read_the_answer_before_it(sessions: list[list[Request]]) -> None:
    for turns in sessions:
        for before, turn in pairwise(turns):
            answered = min(before.natural_tokens, before.limit_tokens)
            assert turn.arrival_s - before.arrival_s >= 8.0 + 0.05 * answered


def test_every_part_of_an_hour_has_its_conversations(days: list[Request]) -> None:
    part = np.array([request.arrival_s % 3600 // 300 for request in days]).astype(int)
    further = np.array([request.prefix_tokens > 0 for request in days])
    shares = np.bincount(part, further) / np.bincount(part)
    assert shares == pytest.approx(np.full(12, 0.45), abs=0.05)


def test_conversations_cross_the_full_hour(sessions: list[list[Request]]) -> None:
    assert any(turns[0].arrival_s // 3600 < turns[-1].arrival_s // 3600 for turns in sessions)


def test_busier_times_have_more_conversations_not_faster_ones() -> None:
    gaps, at_once = [], []
    for per_day in (200_000.0, 800_000.0):
        found = defaultdict(list)
        for request in Traffic(traffic_plan(requests_per_day=per_day)).history(0.0, 7200.0):
            if request.session >= 0:
                found[request.session].append(request.arrival_s)
        gaps.append(np.mean([gap for turns in found.values() for gap in np.diff(turns)]))
        at_once.append(sum(turns[0] < 5400 < turns[-1] for turns in found.values()))
    assert gaps[1] == pytest.approx(gaps[0], rel=0.1)
    assert at_once[1] == pytest.approx(4 * at_once[0], rel=0.2)


def test_stretches_without_requests_are_linked() -> None:
    empty, one = (columns(np.arange(total) * 100.0) for total in (0, 1))
    linker = Sessions(PLAN.models, 4, share=0.5, seconds=3600.0)
    linker.link(None, empty, 0.0, 0)
    linker.link(empty, one, 0.0, 0)
    assert one.session.tolist() == [-1]


def test_who_comes_too_soon_or_too_late_does_not_follow() -> None:
    arrivals = columns(np.array([0.0, 1.0, 100.0, 2000.0]))
    Sessions(PLAN.models, 4, share=1.0, seconds=1e5).link(None, arrivals, 0.0, 70)
    assert arrivals.session.tolist() == [-1, 71, 71, -1]
    assert arrivals.prefix_tokens.tolist() == [0, 0, 1010, 0]
    assert arrivals.prompt_tokens.tolist() == [1000, 1000, 1260, 1000]


def test_a_conversation_that_outgrows_the_window_begins_anew() -> None:
    arrivals = columns(np.arange(30) * 100.0)
    Sessions(PLAN.models, 4, share=1.0, seconds=1e5).link(None, arrivals, 0.0, 0)
    starts = np.flatnonzero(arrivals.prefix_tokens == 0)
    assert len(starts) == 2
    assert arrivals.prefix_tokens.max() < 0.75 * 8192
    assert len(set(arrivals.session.tolist())) == 2


def columns(arrival_s: npt.NDArray[Any]) -> Columns:
    """Requests of one caller for the chat model: 1000 tokens in, 10 out, all in one lane."""
    found = Columns.draw(
        np.random.default_rng(1), PLAN.models, arrival_s * 1.0, np.zeros(len(arrival_s), dtype=np.int64)
    )
    found.model[:], found.prompt_tokens[:], found.natural_tokens[:] = 0, 1000, 10
    found.lane[:], found.luck_of_turn[:] = 0.0, 0.0
    return found
