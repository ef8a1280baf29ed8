"""A replica's physics: token speed, batching, the KV budget, preemption, faults."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from simpy import Environment
from simpy.events import Event

from loadtest.fleet.plan import EnginePlan
from loadtest.fleet.replica import Replica
from loadtest.fleet.request import End, Phase, Request

PLAN = EnginePlan(
    batch_max=4,
    kv_tokens=1000,
    queue_max=5,
    prefill_tokens_per_s=1000.0,
    prefill_share=0.5,
    step_s=0.1,
    step_per_sequence_s=0.0,
    step_per_kv_token_s=0.0,
    error_probability=0.0,
    empty_probability=0.0,
)


class Bench:
    """One replica, an empty world around it, and what left it."""

    def __init__(self, plan: EnginePlan = PLAN, window: int = 500) -> None:
        self.env = Environment()
        self.left: list[tuple[float, int, End]] = []
        self.replica = Replica(self.env, plan, window, self._note)

    def _note(self, request: Request, end: End) -> None:
        self.left.append((round(self.env.now, 6), request.number, end))

    def at(self, when_s: float, act: Callable[[], object]) -> None:
        def run(_event: Event) -> None:
            act()

        self.env.timeout(when_s).callbacks.append(run)

    def run(self, until_s: float = 10_000.0) -> None:
        self.env.run(until=until_s)


def asking(number: int, prompt: int = 100, output: int = 11, luck: float = 0.5) -> Request:
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
        patience_s=1e9,
        luck=luck,
        when=0.5,
    )


def test_a_lone_request_takes_its_prefill_and_one_step_per_further_token() -> None:
    bench = Bench()
    request = asking(1)
    bench.replica.submit(request)
    bench.run()
    assert bench.left == [(1.1, 1, End.COMPLETED)]  # 100 prompt tokens at 1000/s, then 10 steps of 0.1 s
    assert request.scheduled_s == 0.0
    assert request.first_token_s == pytest.approx(0.1)
    assert request.tokens == 11


def test_one_token_is_there_when_the_prefill_is() -> None:
    bench = Bench()
    bench.replica.submit(asking(1, output=1))
    bench.run()
    assert bench.left == [(0.1, 1, End.COMPLETED)]


def test_a_running_prefill_takes_its_share_of_the_decode_speed() -> None:
    bench = Bench()
    bench.replica.submit(asking(1))
    bench.at(0.5, lambda: bench.replica.submit(asking(2)))
    bench.run()
    slowed_s = 0.1 * 1.02  # the second prefill beside one running sequence
    assert bench.left[0][0] == pytest.approx(1.1 + slowed_s * 0.5)


def test_a_larger_batch_decodes_more_slowly() -> None:
    def last_end(step_per_sequence_s: float) -> float:
        bench = Bench(replace(PLAN, step_per_sequence_s=step_per_sequence_s))
        for number in range(4):
            bench.replica.submit(asking(number, prompt=1))
        bench.run()
        return bench.left[-1][0]

    assert last_end(0.05) > 2 * last_end(0.0)


def test_a_full_batch_makes_others_wait() -> None:
    bench = Bench()
    requests = [asking(number, prompt=1) for number in range(5)]
    for request in requests:
        bench.replica.submit(request)
    bench.run()
    assert requests[4].scheduled_s >= bench.left[0][0]


def test_a_full_queue_refuses() -> None:
    bench = Bench()
    assert [bench.replica.submit(asking(number)) for number in range(7)] == [True] * 6 + [False]  # one runs, five wait


def test_a_full_cache_preempts_the_youngest_and_computes_it_again() -> None:
    bench = Bench()
    first, second = asking(1, prompt=450, output=100), asking(2, prompt=450, output=100)
    bench.replica.submit(first)
    bench.replica.submit(second)
    bench.run()
    assert (first.preemptions, second.preemptions) == (0, 1)
    assert [number for _, number, _ in bench.left] == [1, 2]
    assert second.tokens == 100
    assert bench.replica.kv_highest <= PLAN.kv_tokens + 1e-6


def test_a_cache_that_fills_during_a_prefill_stops_that_prefill() -> None:
    bench = Bench(replace(PLAN, prefill_tokens_per_s=20.0))
    first, second = asking(1, prompt=400, output=100), asking(2, prompt=550, output=5)
    bench.replica.submit(first)
    bench.replica.submit(second)
    bench.run()
    assert second.preemptions == 1
    assert {end for _, _, end in bench.left} == {End.COMPLETED}


def test_an_aborted_request_frees_its_cache_wherever_it_is() -> None:
    bench = Bench()
    requests = [asking(number, prompt=200, output=400) for number in range(6)]
    for request in requests:
        bench.replica.submit(request)
    phases: list[Phase] = []

    def abort_all() -> None:
        phases.extend(request.phase for request in requests)
        for request in requests:
            bench.replica.abort(request)

    bench.at(0.5, abort_all)
    bench.run()
    assert {Phase.DECODE, Phase.PREFILL, Phase.ENGINE_QUEUE} == set(phases)
    assert (bench.replica.in_flight, bench.left) == (0, [])
    assert bench.replica.kv_used == pytest.approx(0.0, abs=1e-9)


def test_a_replica_goes_on_after_aborts() -> None:
    bench = Bench()
    doomed = asking(1, output=400)
    bench.replica.submit(doomed)
    bench.at(1.0, lambda: bench.replica.abort(doomed))
    bench.at(2.0, lambda: bench.replica.submit(asking(2)))
    bench.run()
    assert bench.left == [(3.1, 2, End.COMPLETED)]


def test_fate_is_drawn_against_the_replicas_probabilities() -> None:
    bench = Bench(replace(PLAN, error_probability=0.2, empty_probability=0.1))
    failing, empty, fine = asking(1, luck=0.1), asking(2, luck=0.25), asking(3, luck=0.35)
    for request in (failing, empty, fine):
        bench.replica.submit(request)
    bench.run()
    ends = {number: end for _, number, end in bench.left}
    assert ends == {1: End.ENGINE_ERROR, 2: End.COMPLETED, 3: End.COMPLETED}
    assert (failing.tokens, empty.tokens, fine.tokens) == (5, 0, 11)


def test_a_bad_replica_is_slower_and_fails_more_from_then_on() -> None:
    bench = Bench()
    before, after = asking(1, luck=0.1), asking(2, luck=0.1)
    bench.replica.submit(before)
    bench.at(5.0, lambda: bench.replica.change(speed=0.5, error_probability=0.2, empty_probability=0.0))
    bench.at(6.0, lambda: bench.replica.submit(after))
    bench.run()
    assert [end for _, _, end in bench.left] == [End.COMPLETED, End.ENGINE_ERROR]
    assert after.first_token_s - after.scheduled_s == pytest.approx(0.2)


def test_a_context_window_that_cannot_fit_is_a_mistake_of_the_plan() -> None:
    with pytest.raises(AssertionError):
        Bench(window=2000)
