"""Clients that try again."""

from random import Random

import numpy as np
import pytest
from msgspec.structs import replace
from simpy import Environment

from loadtest.fleet.clients import FIRST_REPETITION, Clients, backoff_s
from loadtest.fleet.plan import DependencyPlan, GatewayPlan, Lengths, Retries
from loadtest.fleet.request import End, Request
from loadtest.fleet.timeline import Behave, FailDependency
from tests.factories.clusters import NO_RETRIES, ROOMY, Scene, asking, cluster_plan

EAGER = Retries(share=1.0, attempts_max=3, backoff_s=2.0)


class Crowd:
    """Clients whose repetitions are collected."""

    def __init__(self, retries: Retries = EAGER) -> None:
        self.env = Environment()
        self.arrived: list[Request] = []
        self.clients = Clients(self.env, retries, Random(1), self.arrived.append)

    def see(self, request: Request, end: End) -> None:
        request.end = end
        self.clients.ended(request)

    def run(self) -> list[Request]:
        self.env.run()
        return self.arrived


def test_a_repetition_is_a_request_of_its_own_that_asks_for_the_same() -> None:
    crowd = Crowd()
    first = asking(5, output=70, session=3, prefix_tokens=50, tenant=1, patience_s=9.0)
    crowd.see(first, End.OVERLOADED)
    assert crowd.clients.waiting == 1
    (again,) = crowd.run()
    same = (
        "model",
        "tenant",
        "session",
        "prefix_tokens",
        "prompt_tokens",
        "natural_tokens",
        "limit_tokens",
        "patience_s",
    )
    assert [getattr(again, name) for name in same] == [getattr(first, name) for name in same]
    assert (again.number, again.client_attempt, again.first_number) == (FIRST_REPETITION, 1, 5)
    assert (again.luck, again.when) != (first.luck, first.when)
    assert again.arrival_s == crowd.env.now
    assert crowd.clients.waiting == 0


def test_a_repetition_asks_with_the_context_that_a_failed_cache_could_not_tell() -> None:
    redis = DependencyPlan(
        name="redis", kind="cache", system="redis", latency_ms=Lengths(median=2.0, spread=0.1, largest=50)
    )
    plan = cluster_plan(ROOMY, clients=Retries(share=1.0, attempts_max=2, backoff_s=30.0), dependencies=(redis,))
    timeline = (
        FailDependency(at_s=0.0, for_s=10.0, dependency="redis", fails_at_once=1.0),
        Behave(at_s=0.0, for_s=10.0, model="chat", error_probability=1.0),
    )
    scene = Scene(plan, timeline)
    scene.send(asking(1, arrival_s=5.0, session=7, prefix_tokens=50))
    scene.run()
    assert [(one.prefix_tokens, [call.is_ok for call in one.calls]) for one in scene.ended] == [
        (0, [False]),
        (50, [True]),
    ]


def test_repetitions_end_with_the_attempts() -> None:
    crowd = Crowd()
    crowd.see(asking(5), End.TIMED_OUT)
    crowd.see(crowd.run()[0], End.TIMED_OUT)
    second = crowd.run()[1]
    crowd.see(second, End.TIMED_OUT)
    assert len(crowd.run()) == 2
    assert (second.client_attempt, second.first_number, second.number) == (2, 5, FIRST_REPETITION + 1)


@pytest.mark.parametrize("end", [End.COMPLETED, End.CONTEXT_TOO_LONG, End.CLIENT_GONE])
def test_who_has_an_answer_or_went_away_does_not_ask_again(end: End) -> None:
    crowd = Crowd()
    crowd.see(asking(5), end)
    assert crowd.run() == []


def test_a_refused_connection_is_tried_again() -> None:
    crowd = Crowd()
    crowd.see(asking(5), End.NEVER_CONNECTED)
    assert len(crowd.run()) == 1


def test_only_a_share_of_the_senders_tries_again_and_always_the_same_ones() -> None:
    told = []
    for end in (End.RATE_LIMITED, End.NO_REPLICA):
        crowd = Crowd(Retries(share=0.3, attempts_max=2, backoff_s=1.0))
        for number in range(2_000):
            crowd.see(asking(number), end)
        told.append({request.first_number for request in crowd.run()})
    assert told[0] == told[1]
    assert len(told[0]) / 2_000 == pytest.approx(0.3, abs=0.03)


def test_the_wait_doubles_and_half_of_it_is_chance() -> None:
    assert [backoff_s(EAGER, attempt, 0.5) for attempt in range(3)] == [2.0, 4.0, 8.0]
    assert (backoff_s(EAGER, 0, 0.0), backoff_s(EAGER, 0, 1.0)) == (1.0, 3.0)


class TestRetryStorm:
    """A trigger of one minute in a pool that runs at four fifths of what it can do."""

    STALL = Behave(at_s=300.0, for_s=60.0, model="chat", speed=0.0)

    @classmethod
    def late_bad_share(cls, clients: Retries) -> float:
        """Part of the requests that failed a quarter of an hour after the trigger."""
        engine = replace(ROOMY.engine, batch_max=4, queue_max=200)
        model = replace(ROOMY, engine=engine, in_flight_max=400, queue_max=0, timeout_s=20.0)
        gateway = GatewayPlan(retries=NO_RETRIES, fd_limit=10_000)
        scene = Scene(cluster_plan(model, clients=clients, gateway=gateway), (cls.STALL,))
        rng = np.random.default_rng(2)
        arrivals = np.cumsum(rng.exponential(1 / 1.6, 4_000))
        scene.simulation.feed(
            asking(number, arrival_s=float(at_s), is_streamed=False) for number, at_s in enumerate(arrivals)
        )
        scene.run(1_500.0)
        late = [request for request in scene.ended if request.arrival_s > 1_200.0]
        return sum(request.end is not End.COMPLETED for request in late) / len(late)

    def test_aggressive_clients_keep_the_load_up_after_the_trigger_is_gone(self) -> None:
        assert self.late_bad_share(Retries(share=1.0, attempts_max=12, backoff_s=0.5)) > 0.5

    def test_modest_clients_let_it_recover(self) -> None:
        assert self.late_bad_share(Retries(share=0.3, attempts_max=2, backoff_s=4.0)) < 0.02

    def test_so_do_none(self) -> None:
        assert self.late_bad_share(NO_RETRIES) < 0.02
