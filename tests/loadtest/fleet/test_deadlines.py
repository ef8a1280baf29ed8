"""Time-out and patience."""

from simpy import Environment

from loadtest.fleet.deadlines import Deadlines
from loadtest.fleet.request import End, Phase, Request
from tests.factories.clusters import asking


class Watched:
    """Requests under deadlines; the time-out is 30 s."""

    def __init__(self, *requests: Request) -> None:
        self.env = Environment()
        self.given_up: list[tuple[float, int, End]] = []
        self.deadlines = Deadlines(self.env, (30.0,), self._give_up)
        for request in requests:
            self.deadlines.watch(request)

    def _give_up(self, request: Request, end: End) -> None:
        request.phase = Phase.ENDED
        self.given_up.append((self.env.now, request.number, end))

    def run(self) -> list[tuple[float, int, End]]:
        self.env.run(until=500.0)
        return self.given_up


def test_each_is_given_up_at_its_own_time() -> None:
    watched = Watched(asking(1, patience_s=40.0), asking(2, patience_s=3.0), asking(3, patience_s=1.5))
    assert watched.run() == [(1.5, 3, End.CLIENT_GONE), (3.0, 2, End.CLIENT_GONE), (30.0, 1, End.TIMED_OUT)]


def test_patience_ends_with_the_first_token_and_then_only_the_time_out_counts() -> None:
    served = asking(1, patience_s=5.0)
    served.first_token_s = 4.0
    assert Watched(served).run() == [(30.0, 1, End.TIMED_OUT)]


def test_who_does_not_stream_sees_nothing_before_the_end() -> None:
    whole = asking(1, patience_s=5.0, is_streamed=False)
    whole.first_token_s = 4.0
    assert Watched(whole).run() == [(5.0, 1, End.CLIENT_GONE)]


def test_both_count_from_the_arrival() -> None:
    watched = Watched()
    watched.env.run(until=10.0)
    watched.deadlines.watch(asking(1, arrival_s=10.0))
    watched.deadlines.watch(asking(2, arrival_s=4.0))
    assert watched.run() == [(34.0, 2, End.TIMED_OUT), (40.0, 1, End.TIMED_OUT)]


def test_who_has_ended_is_left_alone_and_costs_no_event() -> None:
    done = [asking(number, arrival_s=float(number)) for number in range(20)]
    watched = Watched(*done, asking(20, arrival_s=20.0))
    for request in done:
        request.phase = Phase.ENDED
    events = 0
    while watched.env.peek() < 500.0:
        watched.env.step()
        events += 1
    assert (watched.given_up, events) == ([(50.0, 20, End.TIMED_OUT)], 2)
