"""The gateway's route: admission, refusal, time-outs, impatience, the least loaded replica."""

from dataclasses import replace

import pytest
from simpy import Environment

from loadtest.fleet.demo_plan import CHAT
from loadtest.fleet.gateway import Route, carried
from loadtest.fleet.plan import ModelPlan
from loadtest.fleet.request import End, Request

ENGINE = replace(CHAT.engine, batch_max=1, queue_max=1, error_probability=0.0, empty_probability=0.0)
MODEL = replace(CHAT, replicas=2, in_flight_max=4, queue_max=1, timeout_s=30.0, engine=ENGINE)


def asking(number: int, output: int = 100, prompt: int = 100, patience_s: float = 1e9) -> Request:
    return Request(
        number=number,
        arrival_s=0.0,
        model=0,
        tenant=0,
        prompt_tokens=prompt,
        output_tokens=output,
        max_tokens=0,
        is_cut=False,
        is_streamed=True,
        temperature=0.0,
        patience_s=patience_s,
        luck=0.5,
        when=0.5,
    )


def ends(model: ModelPlan, *requests: Request, until_s: float = 1000.0) -> dict[int, End]:
    env = Environment()
    ended: dict[int, End] = {}
    route = Route(env, model, lambda request: ended.update({request.number: request.end}))
    for request in requests:
        route.arrive(request)
        assert route.arrived == sum(route.ends.values()) + route.in_flight
    env.run(until=until_s)
    assert route.in_flight == 0
    return ended


def test_requests_within_the_limits_complete() -> None:
    assert set(ends(MODEL, *map(asking, range(5))).values()) == {End.COMPLETED}


def test_beyond_limit_and_queue_the_gateway_answers_429() -> None:
    assert ends(MODEL, *map(asking, range(7)))[6] is End.RATE_LIMITED


def test_a_full_engine_queue_is_503() -> None:
    few = replace(MODEL, replicas=1, in_flight_max=10)
    found = ends(few, *map(asking, range(3)))
    assert found == {0: End.COMPLETED, 1: End.COMPLETED, 2: End.OVERLOADED}


def test_a_prompt_over_the_context_window_is_the_clients_mistake() -> None:
    assert ends(MODEL, asking(1, prompt=MODEL.context_window)) == {1: End.CONTEXT_TOO_LONG}


def test_a_request_that_takes_too_long_times_out_wherever_it_is() -> None:
    running, waiting_at_engine = asking(1, output=6000), asking(2, output=6000)
    queued_at_gateway = asking(3)
    one = replace(MODEL, replicas=1, in_flight_max=2)
    found = ends(one, running, waiting_at_engine, queued_at_gateway)
    assert set(found.values()) == {End.TIMED_OUT}
    assert {request.ended_s for request in (running, waiting_at_engine, queued_at_gateway)} == {30.0}


def test_an_impatient_client_leaves_before_the_first_token_only() -> None:
    one = replace(MODEL, replicas=1)
    served, impatient = asking(1, output=300, patience_s=1.0), asking(2, patience_s=1.0)
    assert ends(one, served, impatient) == {1: End.COMPLETED, 2: End.CLIENT_GONE}


def test_a_freed_place_goes_to_the_queue() -> None:
    one = replace(MODEL, replicas=1, in_flight_max=1)
    first, second = asking(1), asking(2)
    assert ends(one, first, second) == {1: End.COMPLETED, 2: End.COMPLETED}
    assert second.forwarded_s == first.ended_s


def test_the_router_picks_the_least_loaded_and_takes_turns_among_equals() -> None:
    env = Environment()
    route = Route(env, replace(MODEL, replicas=3, in_flight_max=9), lambda _: None)
    requests = [asking(number, output=5000) for number in range(6)]
    for request in requests:
        route.arrive(request)
    assert sorted(request.replica for request in requests) == [0, 0, 1, 1, 2, 2]


def test_an_event_that_carries_no_request_is_a_mistake() -> None:
    with pytest.raises(AssertionError):
        carried(Environment().timeout(1.0, "something"))
