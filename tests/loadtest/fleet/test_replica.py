"""A replica on its cards: identity, versions, behaviours, and what racks do to its speed."""

import pytest
from msgspec.structs import replace
from simpy import Environment

from loadtest.fleet.plan import Behaviour, Version
from loadtest.fleet.rack import Rack
from loadtest.fleet.replica import ReplicaState
from loadtest.fleet.request import End, Phase, Request
from tests.factories.engines import ENGINE, FAULTLESS, Bench, asking

EXCHANGING = replace(ENGINE, exchange_s=0.02, prefill_tokens_per_s=1e9)
OTHER = Version(revision="2", quantization="awq", dtype="float16", engine_version="0.34.0", behaviour=FAULTLESS)


def row(racks: int, cards: int = 8) -> tuple[Rack, ...]:
    return tuple(Rack(index, cards, 6.0) for index in range(racks))


def token_s(bench: Bench, tokens: int = 401) -> float:
    """Seconds per token of a lone answer."""
    start_s = bench.env.now
    bench.ask(asking(1, prompt=1, output=tokens))
    bench.run(start_s + 1e6)
    return (bench.left[-1][0] - start_s) / (tokens - 1)


def test_a_request_learns_where_it_is_answered() -> None:
    bench = Bench()
    request = asking(1)
    bench.replica.skew_ns, bench.replica.exposure, request.exposure = 250, 0b100, 0b001
    bench.ask(request)
    assert (request.place, request.identity, request.skew_ns) == (0, bench.replica.identity, 250)
    assert request.exposure == 0b101


def test_what_touches_a_replica_later_touches_the_requests_that_it_has() -> None:
    bench = Bench()
    done, aborted = asking(1), asking(2)
    bench.ask(done, aborted)
    bench.run(0.5)
    bench.replica.exposure = 0b10
    bench.replica.abort(aborted)
    bench.run()
    assert (done.exposure, aborted.exposure) == (0b10, 0b10)


def test_a_further_attempt_forgets_the_earlier_one() -> None:
    bench = Bench(behaviour=Behaviour(error_probability=1.0))
    request = asking(1, output=20)
    bench.ask(request)
    bench.run(100.0)
    assert (request.fails, request.tokens) == (True, 10)
    bench.replica.behave(FAULTLESS)
    bench.ask(request)
    assert (request.fails, request.tokens, request.first_token_s, request.scheduled_s) == (False, 0, -1.0, 100.0)
    bench.run()
    assert bench.ends()[1] is End.COMPLETED
    assert request.tokens == 20


@pytest.mark.parametrize("state", [ReplicaState.STARTING, ReplicaState.DRAINING, ReplicaState.DOWN])
def test_only_a_ready_replica_takes_requests(state: ReplicaState) -> None:
    bench = Bench()
    bench.replica.state = state
    assert not bench.replica.submit(asking(1))
    assert bench.replica.in_flight == 0


def test_a_bad_replica_is_slower_and_fails_more_from_then_on() -> None:
    bench = Bench()
    before, after = asking(1, luck=0.1), asking(2, luck=0.1)
    bench.ask(before)
    bench.at(5.0, lambda: bench.replica.behave(replace(FAULTLESS, speed=0.5, error_probability=0.2)))
    bench.at(6.0, lambda: bench.ask(after))
    bench.run()
    assert [end for _, _, end in bench.left] == [End.COMPLETED, End.ENGINE_ERROR]
    assert after.first_token_s - after.scheduled_s == pytest.approx(0.2)


def test_a_fault_adds_to_the_planned_defects_and_is_told_from_them() -> None:
    bench = Bench(behaviour=Behaviour(error_probability=0.1, empty_probability=0.0, runaway_probability=0.0))
    base, added = asking(1, luck=0.05), asking(2, luck=0.15)
    bench.replica.behave(replace(bench.replica.behaviour, error_probability=0.2))
    bench.ask(base, added)
    bench.run()
    assert (base.fails, base.is_base) == (True, True)
    assert (added.fails, added.is_base) == (True, False)


def test_a_slower_replica_finishes_a_running_prefill_later() -> None:
    bench = Bench()
    request = asking(1, prompt=400)
    bench.ask(request)
    bench.at(0.1, lambda: bench.replica.behave(replace(FAULTLESS, speed=0.5)))
    bench.run()
    assert request.first_token_s == pytest.approx(0.1 + 0.6)


def test_training_takes_its_share_of_the_speed() -> None:
    bench = Bench()
    bench.replica.training_share = 0.4
    bench.replica.refresh()
    assert token_s(bench) == pytest.approx(0.1 / 0.4, rel=1e-3)


def test_other_weights_bring_their_own_behaviour() -> None:
    bench = Bench()
    bench.replica.behave(replace(FAULTLESS, speed=0.5))
    bench.replica.run_version(replace(OTHER, behaviour=replace(FAULTLESS, output_factor=2.0)))
    assert bench.replica.behaviour == replace(FAULTLESS, output_factor=2.0)


def test_what_touches_a_rack_touches_requests_in_it_and_those_that_move_in() -> None:
    racks = row(3)
    bench = Bench(EXCHANGING, racks=racks[:1])
    racks[0].exposure, racks[2].exposure = 0b01, 0b10
    requests = [asking(number, output=100) for number in range(4)]
    bench.ask(requests[0])
    racks[0].exposure = 0
    bench.ask(requests[1])
    bench.replica.stand(racks[1:], 16)
    bench.ask(requests[2])
    bench.replica.stand(racks[:1], 8)
    bench.ask(requests[3])
    assert [one.exposure for one in requests] == [0b11, 0b10, 0b10, 0]
    assert list(racks[0].present()) == list(bench.replica.present()) == requests
    assert list(racks[2].present()) == []


def test_an_engine_whose_exchange_grows_with_its_sequences_only_loads_the_uplinks_too() -> None:
    engine = replace(EXCHANGING, exchange_s=0.0, exchange_per_sequence_s=0.01)
    racks = row(2)
    bench = Bench(engine, racks=racks)
    bench.ask(asking(1))
    assert racks[0].crossing == {bench.replica}


def test_the_slowest_rack_of_a_replica_slows_its_exchange_only() -> None:
    healthy, slow = Bench(EXCHANGING), Bench(EXCHANGING)
    slow.replica.racks[0].slowness = 5.0
    slow.replica.racks[0].refresh()
    assert token_s(healthy) == pytest.approx(0.12, rel=1e-3)
    assert token_s(slow) == pytest.approx(0.10 + 5 * 0.02, rel=1e-3)


def test_a_slow_link_slows_a_prefill_by_the_part_that_waits_for_cards() -> None:
    engine = replace(EXCHANGING, prefill_tokens_per_s=1000.0)
    slow = Bench(engine)
    slow.replica.racks[0].slowness = 4.0
    slow.replica.refresh()
    request = asking(1, prompt=120)
    slow.ask(request)
    slow.run()
    assert request.first_token_s == pytest.approx(0.120 * (5 / 6 + 4 / 6))


def test_twice_the_cards_across_racks_lose_a_fifth_of_their_throughput_and_more() -> None:
    engine = replace(EXCHANGING, cards=64, exchange_s=0.008)
    racks = row(2, cards=64)
    small, large = Bench(engine, racks=racks[:1]), Bench(engine, racks=racks[:1])
    large.replica.stand(racks, 128)
    per_card = (1 / token_s(large) / 128) / (1 / token_s(small) / 64)
    assert per_card < 0.8
    assert token_s(large) < token_s(small)  # it is faster, only not by as much as the cards cost
    assert (large.replica.identity.cards, large.replica.identity.incarnation) == (128, 0)


def test_busy_replicas_that_span_racks_slow_one_another() -> None:
    env, racks = Environment(), row(2)
    one, other = (Bench(EXCHANGING, racks=racks, env=env) for _ in range(2))
    alone_s = token_s(one)
    other.ask(asking(1, prompt=1, output=900))
    assert racks[0].crossing == {other.replica}
    assert token_s(one) == pytest.approx(alone_s + 0.02 * 6 * 0.15, rel=1e-3)


def test_an_idle_replica_congests_nobody() -> None:
    env, racks = Environment(), row(2)
    one, other = (Bench(EXCHANGING, racks=racks, env=env) for _ in range(2))
    token_s(one)
    token_s(other)
    assert (racks[0].crossing, racks[1].crossing) == (set(), set())


def test_a_dead_replica_congests_nobody() -> None:
    env, racks = Environment(), row(2)
    one, other = (Bench(EXCHANGING, racks=racks, env=env) for _ in range(2))
    alone_s = token_s(one)
    other.ask(asking(1))
    other.replica.die()
    assert racks[0].crossing == set()
    assert token_s(one) == pytest.approx(alone_s, rel=1e-3)


def test_new_weights_beside_the_old_ones_halve_the_cache_and_block_admission() -> None:
    bench = Bench()
    running, waiting = asking(1, prompt=100, output=50), asking(2)
    bench.ask(running)
    bench.run(1.0)
    bench.replica.load_beside()
    bench.ask(waiting)
    bench.run(50.0)
    assert (bench.replica.kv.capacity, running.phase, waiting.phase) == (500, Phase.ENDED, Phase.ENGINE_QUEUE)
    bench.replica.swap_weights(OTHER, reports=True)
    bench.run()
    assert (bench.replica.kv.capacity, waiting.phase) == (1000, Phase.ENDED)


def test_swapped_weights_change_the_labels_but_not_the_process() -> None:
    bench = Bench()
    before = bench.replica.identity
    bench.replica.load_beside()
    bench.replica.swap_weights(OTHER, reports=True)
    assert bench.replica.identity == before._replace(revision="2", quantization="awq", dtype="float16")
    assert bench.replica.version == OTHER


def test_silent_changes_keep_the_old_labels() -> None:
    bench = Bench()
    before = bench.replica.identity
    bench.replica.load_beside()
    bench.replica.swap_weights(OTHER, reports=False)
    assert (bench.replica.identity, bench.replica.version) == (before, OTHER)
    bench.replica.die()
    bench.replica.begin(OTHER, reports=False)
    assert bench.replica.identity == before._replace(incarnation=1)


def test_swapped_weights_know_no_context_of_the_old_ones() -> None:
    bench = Bench()
    bench.ask(asking(1, session=7))
    bench.run(10.0)
    bench.replica.load_beside()
    bench.replica.swap_weights(OTHER, reports=True)
    assert not bench.replica.holds(7)


def test_a_dying_replica_loses_all_that_it_has_in_every_phase() -> None:
    bench = Bench(behaviour=replace(FAULTLESS, hang_probability=0.1))
    hung, decoding = asking(1, luck=0.05), asking(2, output=400)
    bench.ask(hung, decoding)
    bench.run(1.2)
    prefilling, waiting = asking(3, prompt=300), asking(4)
    bench.ask(prefilling, waiting)
    assert bench.replica.die() == [hung, decoding, prefilling, waiting]
    assert decoding.tokens == pytest.approx(11, abs=0.1)
    assert {request.phase for request in (hung, decoding, prefilling, waiting)} == {Phase.ENDED}
    assert (bench.replica.in_flight, bench.replica.kv.used, bench.replica.state) == (0, 0.0, ReplicaState.DOWN)
    bench.run()
    assert bench.left == []


def test_a_new_process_has_other_names_and_fresh_counters() -> None:
    bench = Bench(behaviour=replace(FAULTLESS, hang_probability=1.0))
    hung = asking(1, session=7)
    bench.ask(hung)
    bench.run(10.0)
    bench.replica.abort(hung)
    before = bench.replica.identity
    bench.replica.die()
    bench.replica.begin(OTHER, reports=True)
    replica = bench.replica
    assert replica.state is ReplicaState.STARTING
    assert replica.identity == before._replace(
        incarnation=1, revision="2", quantization="awq", dtype="float16", engine_version="0.34.0"
    )
    assert (replica.in_flight, replica.prompt_tokens_total, replica.busy_s, replica.started_s) == (0, 0, 0.0, 10.0)


def test_a_shrunken_cache_stays_shrunken_after_a_restart() -> None:
    bench = Bench()
    bench.replica.shrink_cache(0.6)
    bench.replica.die()
    bench.replica.begin(OTHER, reports=True)
    assert bench.replica.kv.capacity == 600
    bench.replica.shrink_cache(1.0)
    assert bench.replica.kv.capacity == 1000


def test_a_context_window_that_cannot_fit_is_a_mistake_of_the_plan() -> None:
    with pytest.raises(AssertionError):
        Bench(window=2000)


def test_equal_requests_have_equal_ends() -> None:
    def ends() -> list[tuple[float, int, End]]:
        bench = Bench(behaviour=Behaviour(error_probability=0.1, hang_probability=0.05))
        for number in range(60):
            request: Request = asking(number, 50 + number % 7 * 60, 5 + number % 11 * 20, luck=number * 0.618 % 1)
            bench.at(number * 3.0 + 0.1, lambda request=request: bench.replica.submit(request))  # type: ignore[misc]
        bench.run()
        return bench.left

    assert ends() == ends()
