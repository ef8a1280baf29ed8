"""Circuit breakers: closed, open, half open."""

from loadtest.fleet.breaker import Breakers, Standing
from loadtest.fleet.plan import Breaker


def breakers(failures: int = 3, cool_s: float = 20.0) -> tuple[Breakers, list[tuple[int, Standing]]]:
    changes: list[tuple[int, Standing]] = []
    return Breakers(Breaker(failures=failures, cool_s=cool_s), lambda *change: changes.append(change)), changes


def test_failures_in_a_row_open_it_for_a_while() -> None:
    kept, changes = breakers()
    for at_s in (1.0, 2.0, 3.0):
        assert kept.shut(at_s) == frozenset()
        kept.failed(7, at_s)
    assert kept.shut(3.0) == kept.shut(22.9) == {7}
    assert kept.shut(23.0) == frozenset()
    assert (changes, kept.open_count) == ([(7, Standing.OPEN)], 1)


def test_a_success_ends_the_row() -> None:
    kept, changes = breakers()
    for _ in range(5):
        kept.failed(7, 1.0)
        kept.failed(7, 1.0)
        kept.succeeded(7)
    assert (changes, kept.shut(1.0), kept.states) == ([], frozenset(), {})


def test_half_open_lets_one_request_try() -> None:
    kept, changes = breakers(failures=1)
    kept.failed(7, 0.0)
    kept.asked(7, 1)
    assert kept.shut(25.0) == {7}
    kept.succeeded(7)
    assert kept.shut(25.0) == frozenset()
    assert [standing for _, standing in changes] == [Standing.OPEN, Standing.HALF_OPEN, Standing.CLOSED]


def test_a_trial_that_fails_opens_it_again() -> None:
    kept, _ = breakers()
    for at_s in (0.0, 0.0, 0.0):
        kept.failed(7, at_s)
    kept.asked(7, 1)
    kept.failed(7, 30.0)
    assert [sorted(kept.shut(at_s)) for at_s in (49.9, 50.0)] == [[7], []]


def test_failures_of_requests_that_were_there_before_do_not_prolong_it() -> None:
    kept, changes = breakers(failures=1)
    kept.failed(7, 0.0)
    kept.failed(7, 10.0)
    assert kept.shut(20.0) == frozenset()
    assert len(changes) == 1


def test_a_trial_without_a_verdict_lets_the_next_one_try() -> None:
    kept, changes = breakers(failures=1)
    kept.failed(7, 0.0)
    kept.asked(7, 1)
    kept.withdrawn(7, 1)
    assert kept.shut(25.0) == frozenset()
    assert [standing for _, standing in changes] == [Standing.OPEN, Standing.HALF_OPEN, Standing.OPEN]


def test_an_older_request_that_is_withdrawn_says_nothing_of_the_trial() -> None:
    kept, _ = breakers(failures=1)
    kept.failed(7, 0.0)
    kept.asked(7, 2)
    kept.withdrawn(7, 1)
    assert kept.shut(25.0) == {7}
    kept.withdrawn(7, 2)
    assert kept.shut(25.0) == frozenset()


def test_what_is_forgotten_is_told_as_closed() -> None:
    kept, changes = breakers(failures=2)
    kept.failed(1, 0.0)
    for _ in range(2):
        kept.failed(7, 0.0)
    kept.forget()
    assert (kept.states, kept.shut(1.0)) == ({}, frozenset())
    assert changes == [(7, Standing.OPEN), (7, Standing.CLOSED)]


def test_replicas_are_judged_one_by_one() -> None:
    kept, _ = breakers(failures=2)
    kept.failed(1, 0.0)
    kept.failed(2, 0.0)
    kept.failed(2, 0.0)
    kept.withdrawn(1, 1)
    kept.withdrawn(5, 1)
    kept.asked(1, 1)
    assert kept.shut(0.0) == {2}
