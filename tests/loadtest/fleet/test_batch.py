"""The token clock and the order of ends."""

from loadtest.fleet.batch import Batch
from loadtest.fleet.request import Request
from tests.factories.engines import asking


def decoding(batch: Batch, number: int, target: float) -> Request:
    request = asking(number)
    request.target_tokens = target
    batch.join(request)
    return request


def test_sequences_end_in_the_order_of_their_last_tokens() -> None:
    batch = Batch()
    first, second = decoding(batch, 1, 30.0), decoding(batch, 2, 20.0)
    assert batch.due() is None
    batch.clock = 20.0
    assert batch.due() is second
    batch.leave(second)
    batch.clock = 30.0
    assert batch.due() is first


def test_a_sequence_that_joins_later_ends_later_by_the_clock() -> None:
    batch = Batch()
    batch.clock = 100.0
    request = decoding(batch, 1, 20.0)
    batch.clock = 119.0
    assert batch.due() is None
    batch.clock = 120.0
    assert batch.due() is request


def test_leaving_adds_what_was_decoded() -> None:
    batch = Batch()
    request = decoding(batch, 1, 20.0)
    batch.clock = 7.5
    assert batch.leave(request) == 7.5
    assert (request.tokens, len(batch)) == (7.5, 0)


def test_one_that_left_and_came_back_ends_once() -> None:
    batch = Batch()
    request = decoding(batch, 1, 20.0)
    batch.clock = 5.0
    batch.leave(request)
    batch.clock = 10.0
    batch.join(request)
    batch.clock = 20.0
    assert batch.due() is None
    batch.clock = 25.0
    assert batch.due() is request
    batch.leave(request)
    assert batch.due() is None


def test_the_youngest_is_who_joined_last() -> None:
    batch = Batch()
    decoding(batch, 2, 5.0)
    youngest = decoding(batch, 1, 9.0)
    assert batch.youngest() is youngest
