"""A gateway's part of a model."""

from msgspec.structs import replace

from loadtest.fleet.breaker import Breakers
from loadtest.fleet.lane import Lane
from loadtest.fleet.plan import Breaker
from loadtest.fleet.router import Router
from tests.factories.clusters import MODEL, Scene, asking


def lane(gateways: int) -> Lane:
    model = replace(MODEL, in_flight_max=10, queue_max=7)
    router = Router(Scene().simulation.pools[0], affinity=True)
    return Lane(model, router, gateways, Breakers(Breaker(), lambda _place, _standing: None))


def test_limits_are_shared_out_and_rounded_up() -> None:
    assert [(lane(count).places, lane(count).queue_max) for count in (1, 2, 3)] == [(10, 7), (5, 4), (4, 3)]


def test_who_waits_is_counted() -> None:
    one, request = lane(1), asking(1)
    one.wait(request)
    assert (one.queued, list(one.queue)) == (1, [request])
