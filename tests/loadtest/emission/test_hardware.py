"""Cards and links follow from what the engines did."""

from types import SimpleNamespace
from typing import Any

import pytest

from loadtest.emission.hardware import (
    Done,
    done_by,
    exchanged_bytes,
    inference_share,
    memory_limit,
    memory_used,
    training_share,
)
from tests.factories.emissions import emission_plan

ENGINE = emission_plan().models[0].engine


def worker(**changes: Any) -> Any:
    state = {
        "engine": ENGINE,
        "cards": ENGINE.cards,
        "is_loading": False,
        "started_s": 0.0,
        "busy_s": 30.0,
        "training_share": 1.0,
        "prompt_tokens_total": 1_000,
        "generation_tokens_total": 500.0,
        "kv": SimpleNamespace(hits=200),
    }
    return SimpleNamespace(**state | changes)


def test_tokens_found_in_the_cache_are_not_computed() -> None:
    assert done_by(worker()) == Done(0.0, 30.0, 1_300.0)


def test_another_process_begins_anew() -> None:
    before = Done(0.0, 30.0, 1_300.0)
    assert Done(0.0, 50.0, 1_500.0).since(before) == (20.0, 200.0)
    assert Done(90.0, 5.0, 10.0).since(before) == (5.0, 10.0)


def test_a_training_job_and_the_engine_share_the_card() -> None:
    shared = worker(training_share=0.4)
    assert inference_share(shared, 1.0) == 0.4
    assert training_share(shared, is_evicted=False, moment=1) == pytest.approx(0.6, abs=0.02)
    assert inference_share(worker(), 7.0) == 1.0


def test_without_training_other_jobs_take_next_to_nothing_but_not_nothing() -> None:
    shares = [training_share(worker(), is_evicted=False, moment=moment) for moment in range(200)]
    assert 0.0 <= min(shares) < max(shares) <= 0.02


def test_a_job_that_evicted_the_replica_has_nearly_all() -> None:
    assert training_share(worker(), is_evicted=True, moment=1) > 0.9
    assert memory_used(worker(), is_up=False) == 0


def test_two_sets_of_weights_just_fit() -> None:
    serving, upgrading = memory_used(worker(), is_up=True), memory_used(worker(is_loading=True), is_up=True)
    assert 0.85 < serving / memory_limit(worker()) < 0.95 < upgrading / memory_limit(worker()) <= 1.0


def test_a_replica_that_spans_more_cards_has_the_memory_of_all_of_them() -> None:
    spread = worker(cards=2 * ENGINE.cards)
    assert memory_limit(spread) == 2 * memory_limit(worker()) == 2 * ENGINE.memory_bytes * ENGINE.cards
    assert memory_used(spread, is_up=True) == pytest.approx(2 * memory_used(worker(), is_up=True))


def test_only_replicas_whose_cards_wait_for_one_another_exchange_much() -> None:
    alone = worker(engine=SimpleNamespace(exchange_s=0.0))
    assert exchanged_bytes(worker(), 10.0) > 100 * exchanged_bytes(alone, 10.0) > 0
