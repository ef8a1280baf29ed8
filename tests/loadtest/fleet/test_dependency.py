"""Dependencies: who asks them, healthy calls, fail-over, the flood after it."""

from random import Random

import numpy as np
import pytest
from msgspec.structs import replace
from simpy import Environment

from loadtest.fleet.dependency import Dependency
from loadtest.fleet.plan import DependencyPlan, Lengths
from loadtest.fleet.request import Request
from tests.factories.clusters import asking

CACHE = DependencyPlan(
    name="redis", kind="cache", system="redis", latency_ms=Lengths(median=2.0, spread=0.4, largest=500), timeout_s=5.0
)
VECTOR = replace(CACHE, name="milvus", kind="vector", system="milvus", share=0.25)
QUEUE = replace(CACHE, name="kafka", kind="queue", system="kafka")


class Asked:
    """A dependency with what it answered: (second, number, ok)."""

    def __init__(self, plan: DependencyPlan = CACHE) -> None:
        self.env = Environment()
        self.answers: list[tuple[float, int, bool]] = []
        self.one = Dependency(self.env, plan, 2, batch_tenants=frozenset({1}), rng=Random(3), answered=self._answered)

    def _answered(self, request: Request, index: int, is_ok: bool) -> None:  # noqa: FBT001 - as the callback is
        assert index == 2
        self.answers.append((self.env.now, request.number, is_ok))

    def run(self, until_s: float) -> list[tuple[float, int, bool]]:
        self.env.run(until=until_s)
        return self.answers


def test_a_cache_is_asked_by_further_turns() -> None:
    one = Asked().one
    assert one.concerns(asking(1, session=4, prefix_tokens=10))
    assert not one.concerns(asking(1, session=4))
    assert not one.concerns(asking(1))


def test_a_vector_database_is_asked_by_its_share() -> None:
    one = Asked(VECTOR).one
    assert sum(one.concerns(asking(number)) for number in range(4_000)) / 4_000 == pytest.approx(0.25, abs=0.02)


def test_a_queue_is_asked_by_the_batch_tier() -> None:
    one = Asked(QUEUE).one
    assert [one.concerns(asking(1, tenant=tenant)) for tenant in (0, 1)] == [False, True]


def test_healthy_calls_take_their_latency() -> None:
    asked = Asked()
    requests = [asking(number) for number in range(2_000)]
    for request in requests:
        asked.one.call(request)
    assert asked.one.in_flight == 2_000
    answers = asked.run(10.0)
    assert all(is_ok for _, _, is_ok in answers)
    assert np.median([at_s for at_s, _, _ in answers]) == pytest.approx(0.002, rel=0.1)
    assert (asked.one.in_flight, asked.one.calls_total, asked.one.failures_total) == (0, 2_000, 0)
    call = requests[0].calls[0]
    assert (call.dependency, call.start_s, call.is_ok) == (2, 0.0, True)
    assert asked.one.last_latency_ms == pytest.approx(answers[-1][0] * 1e3)


def test_calls_hang_until_it_is_back() -> None:
    asked = Asked()
    asked.one.call(asking(1))  # on its way when it fails
    asked.one.fail(0.0)
    asked.one.call(asking(2))
    assert asked.run(3.0) == []
    asked.one.recover()
    answers = asked.run(10.0)
    assert sorted(number for _, number, is_ok in answers if is_ok) == [1, 2]
    assert all(3.0 < at_s < 3.1 for at_s, _, _ in answers)


def test_calls_that_hang_too_long_are_given_up() -> None:
    asked = Asked()
    asked.one.fail(0.0)
    asked.one.call(asking(1))
    assert asked.run(100.0) == [(5.0, 1, False)]
    assert asked.one.failures_total == 1


def test_a_share_fails_at_once_and_stays_failed() -> None:
    asked = Asked()
    asked.one.fail(0.3)
    for number in range(1_000):
        asked.one.call(asking(number))
    at_once = len(asked.run(1.0))
    asked.one.recover()
    answers = asked.run(10.0)
    assert at_once / 1_000 == pytest.approx(0.3, abs=0.05)
    assert [is_ok for _, _, is_ok in answers].count(False) == at_once


def test_what_gathered_in_a_queue_comes_out_at_a_bounded_pace_in_order() -> None:
    asked = Asked(QUEUE)
    asked.one.fail(0.0)
    for number in range(10):
        asked.one.call(asking(number))
    assert asked.run(60.0) == []
    asked.one.recover()
    asked.one.call(asking(10))  # waits behind them
    answers = asked.run(70.0)
    assert [number for _, number, _ in answers] == list(range(11))
    assert [at_s for at_s, _, _ in answers] == pytest.approx([60.05 + 0.05 * number for number in range(11)])
    asked.one.call(asking(11))
    assert asked.run(80.0)[-1][0] == pytest.approx(70.002, abs=0.005)


def test_a_second_failure_catches_what_has_not_come_out() -> None:
    asked = Asked(QUEUE)
    asked.one.fail(0.0)
    for number in range(10):
        asked.one.call(asking(number))
    asked.one.recover()
    assert len(asked.run(0.26)) == 5
    asked.one.fail(0.0)
    asked.one.fail(0.0)  # twice is no difference
    assert len(asked.run(50.0)) == 5
    asked.one.recover()
    assert len(asked.run(60.0)) == 10


def test_who_is_given_up_is_answered_no_more() -> None:
    asked = Asked()
    request = asking(1)
    asked.one.call(request)
    assert asked.one.abandon(request)
    assert not asked.one.abandon(request)
    assert asked.run(10.0) == []
    assert [call.is_ok for call in request.calls] == [False]


def test_requests_collect_its_bits_when_they_ask_when_they_are_answered_and_when_they_give_up() -> None:
    asked = Asked()
    before, answered, abandoned, during = (asking(number) for number in range(4))
    for request in (before, answered, abandoned):
        asked.one.call(request)
    assert list(asked.one.present()) == [before, answered, abandoned]
    asked.one.abandon(before)
    asked.one.exposure = 4
    asked.one.call(during)
    asked.one.abandon(abandoned)
    asked.run(1.0)
    assert [one.exposure for one in (before, answered, abandoned, during)] == [0, 4, 4, 4]
    assert list(asked.one.present()) == []
