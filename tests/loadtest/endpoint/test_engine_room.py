import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from loadtest.endpoint.asks import chat_ask
from loadtest.endpoint.clock import Clock
from loadtest.endpoint.drafting import drafted
from loadtest.endpoint.engine_room import EngineRoom, Ticket
from loadtest.endpoint.plans import default_plan
from loadtest.fleet.request import End, Request
from tests.loadtest.endpoint.running import narrow_plan


class Hands:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at_s = 0.0

    def __call__(self) -> float:
        return self.at_s


def request(tokens: int = 100, text: str = "hello", **body: Any) -> Request:
    said = {"messages": [{"role": "user", "content": text}], "max_tokens": tokens, "ignore_eos": True, **body}
    plan = default_plan()
    return drafted(chat_ask(json.dumps(said).encode(), plan.models), plan.models[0], 0, None).request


def in_room(story: Callable[[EngineRoom, Hands], Awaitable[None]], plan: Any = None, speed: float = 1.0) -> None:
    async def told() -> None:
        hands = Hands()
        room = EngineRoom(plan or default_plan(), Clock(speed, hands, lambda: 0))
        await story(room, hands)
        await room.stop()

    asyncio.run(told())


def test_tokens_come_with_time_and_the_end_wakes_who_waits() -> None:
    async def story(room: EngineRoom, hands: Hands) -> None:
        heard: list[Request] = []
        room.heard.append(heard.append)
        ticket = room.enter(request(100))
        assert room.tokens(ticket) == 0
        hands.at_s = 0.5
        some = room.tokens(ticket)
        assert 20 < some < 60
        assert ticket.has_begun
        hands.at_s = 10.0
        await ticket.news()
        assert ticket.is_over
        assert room.tokens(ticket) == 100
        assert heard == [ticket.request]
        assert ticket.request.end is End.COMPLETED
        assert not room.tickets

    in_room(story)


def test_a_faster_clock_runs_the_whole_cluster_faster() -> None:
    async def story(room: EngineRoom, hands: Hands) -> None:
        ticket = room.enter(request(100))
        hands.at_s = 0.05
        assert 20 < room.tokens(ticket) < 60

    in_room(story, speed=10.0)


def test_who_leaves_frees_the_slot() -> None:
    async def story(room: EngineRoom, hands: Hands) -> None:
        first, second = room.enter(request(4000)), room.enter(request(10))
        hands.at_s = 1.0
        room.advance()
        assert first.has_begun
        assert not second.has_begun
        room.leave(first)
        assert first.request.end is End.CLIENT_GONE
        hands.at_s = 3.0
        room.advance()
        assert second.is_over
        assert room.simulation.in_flight == 0

    in_room(story, narrow_plan(batch_max=1))


def test_a_stopped_room_lets_everybody_go() -> None:
    async def story(room: EngineRoom, _: Hands) -> None:
        waiting = [asyncio.ensure_future(room.enter(request()).news()) for _ in range(3)]
        await asyncio.sleep(0)
        await room.stop()
        await asyncio.wait_for(asyncio.gather(*waiting), 5)

    in_room(story)


def test_a_wait_ends_by_itself_after_its_time() -> None:
    async def story(_: EngineRoom, __: Hands) -> None:
        await asyncio.wait_for(Ticket(request()).news(0.001), 5)

    in_room(story)


def test_the_pump_follows_the_clock_by_itself() -> None:
    async def told() -> None:
        room = EngineRoom(default_plan(), Clock(100.0))
        ticket = room.enter(request(50))
        while not ticket.is_over:
            await asyncio.wait_for(ticket.news(), 10)
        assert ticket.request.end is End.COMPLETED
        await room.stop()

    asyncio.run(told())


def test_a_changed_behaviour_lasts_until_it_is_taken_back_and_two_compose() -> None:
    async def story(room: EngineRoom, _: Hands) -> None:
        replica = room.simulation.pools[0].replicas[0]
        room.behave(1, [replica], {"speed": 0.5})
        room.behave(2, [replica], {"error_probability": 0.2})
        assert (replica.behaviour.speed, replica.behaviour.error_probability) == (0.5, 0.2)
        assert room.unbehave(1)
        assert (replica.behaviour.speed, replica.behaviour.error_probability) == (1.0, 0.2)
        assert not room.unbehave(1)

    in_room(story)


def test_simulated_clients_do_not_try_again() -> None:
    async def story(room: EngineRoom, _: Hands) -> None:
        assert room.plan.clients.share == 0.0

    in_room(story)


def test_the_same_seed_draws_the_same_fates() -> None:
    def fates(seed: int) -> list[float]:
        drawn: list[float] = []

        async def story(room: EngineRoom, _: Hands) -> None:
            drawn.extend(room.enter(request()).request.luck for _ in range(5))

        in_room(story, default_plan(seed=seed))
        return drawn

    assert fates(1) == fates(1) != fates(2)


@pytest.mark.parametrize(("streams", "seconds"), [(1, 0.012), (1000, 0.3)])
def test_many_streams_look_less_often(streams: int, seconds: float) -> None:
    async def story(room: EngineRoom, _: Hands) -> None:
        room.tickets = {number: Ticket(request()) for number in range(streams)}
        assert room.look_s == pytest.approx(seconds)
        room.tickets.clear()

    in_room(story)
