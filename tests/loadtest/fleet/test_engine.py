"""Continuous batching in time: token speed, waiting, aborts, stalls, failures."""

import pytest
from msgspec.structs import replace

from loadtest.fleet.plan import Behaviour
from loadtest.fleet.request import End, Phase
from tests.factories.engines import ENGINE, FAULTLESS, Bench, asking


def test_a_lone_request_takes_its_prefill_and_one_step_per_further_token() -> None:
    bench = Bench()
    request = asking(1)
    bench.ask(request)
    bench.run()
    assert bench.left == [(1.1, 1, End.COMPLETED)]  # 100 prompt tokens at 1000/s, then 10 steps of 0.1 s
    assert request.scheduled_s == 0.0
    assert request.first_token_s == pytest.approx(0.1)
    assert request.tokens == 11


def test_one_token_is_there_when_the_prefill_is() -> None:
    bench = Bench()
    bench.ask(asking(1, output=1))
    bench.run()
    assert bench.left == [(0.1, 1, End.COMPLETED)]


def test_a_running_prefill_takes_its_share_of_the_decode_speed() -> None:
    bench = Bench()
    bench.ask(asking(1))
    bench.at(0.5, lambda: bench.ask(asking(2)))
    bench.run()
    slowed_s = 0.1 * 1.02  # the second prefill beside one running sequence
    assert bench.left[0][0] == pytest.approx(1.1 + slowed_s * 0.5)


def test_a_larger_batch_decodes_more_slowly() -> None:
    def last_end(step_per_sequence_s: float) -> float:
        bench = Bench(replace(ENGINE, step_per_sequence_s=step_per_sequence_s))
        bench.ask(*[asking(number, prompt=1) for number in range(4)])
        bench.run()
        return bench.left[-1][0]

    assert last_end(0.05) > 2 * last_end(0.0)


def test_the_exchange_grows_with_the_sequences_of_the_step_and_slow_links_slow_all_of_it() -> None:
    def step_s(sequences: int, slowness: float) -> float:
        bench = Bench(replace(ENGINE, exchange_s=0.02, exchange_per_sequence_s=0.01, prefill_tokens_per_s=1e9))
        bench.replica.racks[0].slowness = slowness
        bench.replica.refresh()
        bench.ask(*[asking(number, prompt=1, output=101) for number in range(sequences)])
        bench.run()
        return bench.left[-1][0] / 100

    assert [step_s(sequences, 1.0) for sequences in (1, 4)] == pytest.approx([0.12, 0.15], rel=1e-3)
    assert [step_s(sequences, 5.0) for sequences in (1, 4)] == pytest.approx([0.20, 0.35], rel=1e-3)


def test_a_fuller_cache_decodes_more_slowly() -> None:
    def last_end(prompt: int) -> float:
        bench = Bench(replace(ENGINE, step_per_kv_token_s=0.001, prefill_tokens_per_s=1e9))
        bench.ask(asking(1, prompt=prompt))
        bench.run()
        return bench.left[-1][0]

    assert last_end(400) - last_end(200) == pytest.approx(10 * 0.2, rel=1e-3)


def test_a_full_batch_makes_others_wait() -> None:
    bench = Bench()
    requests = [asking(number, prompt=1) for number in range(5)]
    bench.ask(*requests)
    bench.run()
    assert requests[4].scheduled_s >= bench.left[0][0]


def test_a_full_queue_refuses_and_counts() -> None:
    bench = Bench()
    taken = [bench.replica.submit(asking(number)) for number in range(7)]
    assert taken == [True] * 6 + [False]  # one runs, five wait
    assert (bench.replica.in_flight, bench.replica.running, bench.replica.waiting_count) == (6, 1, 5)
    assert bench.replica.admission_rejections == 1


def test_an_aborted_request_frees_its_cache_wherever_it_is() -> None:
    bench = Bench()
    requests = [asking(number, prompt=200, output=400) for number in range(6)]
    bench.ask(*requests)
    bench.run(0.5)
    assert {Phase.DECODE, Phase.PREFILL, Phase.ENGINE_QUEUE} == {request.phase for request in requests}
    for request in requests:
        bench.replica.abort(request)
    bench.run()
    assert (bench.replica.in_flight, bench.left) == (0, [])
    assert (bench.replica.kv.used, bench.replica.finished["abort"]) == (0.0, 6)


def test_an_engine_goes_on_after_aborts() -> None:
    bench = Bench()
    doomed = asking(1, output=400)
    bench.ask(doomed)
    bench.at(1.0, lambda: bench.replica.abort(doomed))
    bench.at(2.0, lambda: bench.ask(asking(2)))
    bench.run()
    assert bench.left == [(3.1, 2, End.COMPLETED)]
    assert doomed.tokens == pytest.approx(10.0)


def test_a_request_longer_than_the_whole_cache_fails_once_scheduled() -> None:
    bench = Bench()
    long = asking(1, prompt=400)
    bench.replica.shrink_cache(0.3)
    bench.ask(long)
    bench.run()
    assert bench.left == [(0.0, 1, End.ENGINE_ERROR)]
    assert (long.scheduled_s, long.first_token_s, long.tokens, long.is_base) == (0.0, -1.0, 0, False)


def test_a_sequence_that_outgrows_the_whole_cache_fails_where_it_is() -> None:
    bench = Bench()
    growing = asking(1, prompt=290, output=100)
    bench.replica.shrink_cache(0.3)
    bench.ask(growing)
    bench.run()
    assert bench.ends() == {1: End.ENGINE_ERROR}
    assert 10 <= growing.tokens <= 12
    assert growing.first_token_s > 0


def test_an_error_before_the_first_token_has_no_first_token() -> None:
    bench = Bench(behaviour=Behaviour(error_probability=1.0))
    early, late = asking(1, output=1), asking(2, output=20)
    bench.ask(early, late)
    bench.run()
    assert set(bench.ends().values()) == {End.ENGINE_ERROR}
    assert (early.tokens, early.first_token_s) == (0, -1.0)
    assert (late.tokens, late.first_token_s > 0) == (10, True)


def test_a_stalled_engine_completes_nothing_and_sets_no_alarm() -> None:
    bench = Bench()
    running, prefilling, waiting = (asking(number) for number in range(3))
    bench.ask(running)
    bench.run(0.5)
    bench.ask(prefilling, waiting)
    bench.run(0.55)
    bench.replica.behave(replace(FAULTLESS, speed=0.0))
    bench.run(5000.0)
    assert bench.left == []
    assert bench.replica._alarm is None
    bench.replica.abort(waiting)
    bench.replica.behave(FAULTLESS)
    bench.run()
    assert bench.left[0][0] == pytest.approx(5000.0 + 0.6, abs=0.06)
    assert prefilling.first_token_s == pytest.approx(5000.0 + 0.052)  # the stall came in the middle of its prefill
    assert bench.replica.in_flight == 0


def test_a_stalled_engine_fills_its_queue_and_lets_go_what_is_aborted() -> None:
    bench = Bench(behaviour=replace(FAULTLESS, speed=0.0))
    requests = [asking(number) for number in range(7)]
    assert [bench.replica.submit(request) for request in requests] == [True] * 6 + [False]
    bench.run(100.0)
    for request in requests[:6]:
        bench.replica.abort(request)
    assert (bench.replica.in_flight, bench.replica.kv.used) == (0, 0.0)


def test_looking_at_tokens_follows_the_clock_and_changes_nothing() -> None:
    bench = Bench()
    request = asking(1)
    bench.ask(request)
    seen = []
    for when_s in (0.05, 0.1, 0.35, 1.1, 2.0):
        bench.run(when_s)
        seen.append(bench.replica.tokens_now(request))
    assert seen == pytest.approx([0, 0, 3.5, 11, 11])
    assert bench.left == [(1.1, 1, End.COMPLETED)]


def test_cache_usage_grows_between_events() -> None:
    bench = Bench()
    bench.ask(asking(1, prompt=400, output=100))
    bench.run(0.4 + 5.0)
    assert bench.replica.kv_usage == pytest.approx(0.45)
