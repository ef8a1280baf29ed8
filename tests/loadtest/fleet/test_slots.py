"""The books of a process: contexts, evictions, preemptions, hung requests, counters."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from loadtest.fleet.plan import Behaviour
from loadtest.fleet.request import End, Phase, Request
from tests.factories.engines import ENGINE, FAULTLESS, Bench, asking

HANGING = replace(FAULTLESS, hang_probability=1.0)


def test_a_full_cache_preempts_the_youngest_and_computes_it_again() -> None:
    bench = Bench()
    first, second = asking(1, prompt=450, output=100), asking(2, prompt=450, output=100)
    bench.ask(first, second)
    bench.run()
    assert (first.preemptions, second.preemptions, bench.replica.preemptions) == (0, 1, 1)
    assert [number for _, number, _ in bench.left] == [1, 2]
    assert second.tokens == 100
    assert second.first_token_s < bench.left[0][0]  # what the client has seen is not taken back


def test_a_cache_that_fills_during_a_prefill_stops_that_prefill() -> None:
    bench = Bench(replace(ENGINE, prefill_tokens_per_s=20.0))
    first, second = asking(1, prompt=400, output=100), asking(2, prompt=550, output=5)
    bench.ask(first, second)
    bench.run()
    assert second.preemptions == 1
    assert set(bench.ends().values()) == {End.COMPLETED}


def test_cached_contexts_go_before_anybody_is_preempted() -> None:
    bench = Bench()
    bench.ask(asking(1, prompt=400, output=11, session=7))
    bench.at(10.0, lambda: bench.ask(asking(2, prompt=480, output=200)))
    bench.run(10.2)
    assert bench.replica.holds(7)
    bench.run()
    assert not bench.replica.holds(7)
    assert (bench.replica.kv.evictions, bench.replica.preemptions) == (1, 0)
    assert bench.ends() == {1: End.COMPLETED, 2: End.COMPLETED}


def test_a_further_turn_finds_its_context_and_has_its_first_token_sooner() -> None:
    bench = Bench()
    turn, stranger = asking(2, prompt=300, session=7, prefix=200), asking(3, prompt=300, session=8, prefix=200)
    bench.ask(asking(1, prompt=300, session=7))
    bench.at(10.0, lambda: bench.ask(turn))
    bench.at(20.0, lambda: bench.ask(stranger))
    bench.run()
    assert (turn.cached_tokens, stranger.cached_tokens) == (200, 0)
    assert turn.first_token_s - turn.scheduled_s == pytest.approx(0.1)
    assert stranger.first_token_s - stranger.scheduled_s == pytest.approx(0.3)
    assert (bench.replica.kv.queries, bench.replica.kv.hits) == (900, 200)


def test_no_more_is_found_than_the_last_turn_left() -> None:
    bench = Bench()
    turn = asking(2, prompt=300, session=7, prefix=280)
    bench.ask(asking(1, prompt=100, session=7))
    bench.at(10.0, lambda: bench.ask(turn))
    bench.run()
    assert turn.cached_tokens == 110  # the last token of an answer is not in the cache


def test_an_identical_prompt_still_computes_its_last_token() -> None:
    bench = Bench()
    turn = asking(2, prompt=100, session=7, prefix=100)
    bench.ask(asking(1, prompt=100, session=7))
    bench.at(10.0, lambda: bench.ask(turn))
    bench.run()
    assert turn.cached_tokens == 99


def test_without_a_prefix_cache_nothing_is_kept() -> None:
    bench = Bench(replace(ENGINE, prefix_cache=False))
    bench.ask(asking(1, session=7))
    bench.run()
    assert (bench.replica.holds(7), bench.replica.kv.used, bench.replica.kv.cached) == (False, 0.0, 0)


def test_only_finished_turns_leave_a_context() -> None:
    failing = Bench(behaviour=Behaviour(error_probability=1.0))
    failing.ask(asking(1, session=7))
    failing.run()
    aborting = Bench()
    request = asking(1, session=7)
    aborting.ask(request)
    aborting.run(0.5)
    aborting.replica.abort(request)
    assert not failing.replica.holds(7)
    assert not aborting.replica.holds(7)


def test_a_hung_request_stays_after_its_first_token_and_holds_slot_and_cache() -> None:
    bench = Bench(behaviour=HANGING)
    hung = asking(1, prompt=300)
    bench.ask(hung)
    bench.run(100.0)
    assert (hung.tokens, hung.phase, bench.left) == (1, Phase.DECODE, [])
    bench.replica.abort(hung)
    bench.run(200.0)
    assert hung.phase is Phase.ENDED
    assert (bench.replica.in_flight, bench.replica.running, bench.replica.kv.used) == (1, 1, 300)
    assert bench.replica.finished["abort"] == 0


def test_hung_requests_take_the_room_of_others_until_nobody_gets_in() -> None:
    bench = Bench(behaviour=HANGING)
    bench.ask(*[asking(number, prompt=200) for number in range(4)])
    bench.run(10.0)
    bench.replica.behave(FAULTLESS)
    waiting = asking(9, prompt=10)
    bench.ask(waiting)
    bench.run(1000.0)
    assert (waiting.phase, bench.replica.waiting_count) == (Phase.ENGINE_QUEUE, 1)
    bench.replica.abort(waiting)
    assert bench.replica.in_flight == 4


def test_a_cache_that_hung_requests_fill_makes_others_wait_but_fails_none() -> None:
    bench = Bench(behaviour=HANGING)
    bench.ask(asking(1, prompt=450), asking(2, prompt=300))
    bench.run(10.0)
    bench.replica.behave(FAULTLESS)
    waiting = asking(9, prompt=200, output=100)
    bench.ask(waiting)
    bench.run(1000.0)
    assert (waiting.phase, bench.left) == (Phase.ENGINE_QUEUE, [])
    assert waiting.preemptions == 1


def test_a_shrinking_cache_evicts_then_preempts_the_youngest_until_it_fits() -> None:
    bench = Bench()
    bench.ask(asking(1, prompt=200, session=7))
    bench.run(2.0)
    old, young = asking(2, prompt=300, output=100), asking(3, prompt=250, output=100)
    bench.ask(old, young)
    bench.run(4.0)
    bench.replica.shrink_cache(0.5)
    kv = bench.replica.kv
    assert (kv.capacity, kv.cached, kv.evictions) == (500, 0, 1)
    assert (old.preemptions, young.preemptions) == (0, 1)
    bench.run()
    assert set(bench.ends().values()) == {End.COMPLETED}


def test_a_cache_cannot_shrink_below_what_hung_requests_hold() -> None:
    bench = Bench(behaviour=HANGING)
    bench.ask(asking(1, prompt=400))
    bench.run(10.0)
    bench.replica.shrink_cache(0.1)
    assert (bench.replica.kv.used, bench.replica.kv.capacity) == (400, 400)


def test_counters_tell_what_the_process_did() -> None:
    bench = Bench(behaviour=Behaviour(error_probability=0.1, empty_probability=0.0, runaway_probability=0.0))
    bench.ask(asking(1), asking(2, limit=5), asking(3, luck=0.05))
    bench.run()
    replica = bench.replica
    assert replica.finished == {"stop": 1, "length": 1, "abort": 0, "error": 1}
    assert replica.prompt_tokens_total == 300
    assert replica.generation_tokens_total == pytest.approx(11 + 5 + 5, abs=1e-3)
    assert replica.busy_s == pytest.approx(bench.left[-1][0])


Act = tuple[str, int, int, int]
ACTS = st.lists(
    st.tuples(
        st.sampled_from(("ask", "ask", "ask", "abort", "wait", "wait", "shrink", "behave", "load", "restart")),
        st.integers(1, 490),
        st.integers(1, 200),
        st.integers(0, 4),
    ),
    max_size=60,
)
BEHAVIOURS = (
    FAULTLESS,
    replace(FAULTLESS, speed=0.0),
    replace(FAULTLESS, speed=0.3, error_probability=0.3, empty_probability=0.1),
    replace(FAULTLESS, hang_probability=0.3),
    replace(FAULTLESS, runaway_probability=0.5, output_factor=2.0),
)


class Drill:
    """Does what it is told to a replica and keeps its own books."""

    def __init__(self) -> None:
        self.bench = Bench(replace(ENGINE, step_per_sequence_s=0.01, step_per_kv_token_s=1e-5))
        self.inside: dict[int, Request] = {}
        self.asked = self.aborted = self.lost = 0

    def do(self, act: Act) -> None:
        kind, big, small, few = act
        replica = self.bench.replica
        if kind == "ask":
            self._ask(big, small, few)
        elif kind == "abort":
            self._abort(big)
        elif kind == "wait":
            self.bench.run(self.bench.env.now + small / 10)
        elif kind == "shrink":
            replica.shrink_cache((few + 1) / 5)
        elif kind == "behave":
            replica.behave(BEHAVIOURS[few])
        elif replica.is_loading:
            replica.swap_weights(replica.version, reports=True)
        elif kind == "load":
            replica.load_beside()
        else:
            self.lost += len(replica.die())
            replica.begin(replica.version, reports=True)
            replica.state = type(replica.state).READY

    def _ask(self, big: int, small: int, few: int) -> None:
        number = 1000 + self.asked
        luck = (number * 0.618) % 1.0
        session = few if small % 2 else -1
        request = asking(number, big, small, luck=luck, limit=500 - big, session=session, prefix=big // 2)
        if self.bench.replica.submit(request):
            self.asked += 1
            self.inside[number] = request

    def _abort(self, which: int) -> None:
        here = [request for request in self.inside.values() if request.phase is not Phase.ENDED]
        if here:
            self.bench.replica.abort(here[which % len(here)])
            self.aborted += 1

    def look(self, until_s: float) -> None:
        """Wait in small steps, looking at everything in between."""
        env, replica = self.bench.env, self.bench.replica
        while env.now < until_s:
            self.bench.run(min(env.now + 0.7, until_s))
            assert 0 <= replica.kv_usage <= 1
            assert all(replica.tokens_now(one) <= max(one.target_tokens, 0) for one in self.inside.values())


def check_books(replica_of: Bench, inside: Sequence[Request]) -> None:
    replica, kv = replica_of.replica, replica_of.replica.kv
    decoding = sum(one.kv_at_join + replica.batch.clock - one.joined_clock for one in replica.batch.requests)
    prefilling = replica.prefilling.kv_at_join if replica.prefilling is not None else 0.0
    assert kv.used == pytest.approx(decoding + prefilling + replica._stuck_kv, abs=1e-6)
    assert kv.cached == sum(kv.contexts.values())
    assert 0 <= kv.used <= kv.used + kv.cached <= kv.capacity
    slots = len(replica.batch) + replica._stuck_slots
    assert slots <= replica.engine.batch_max
    assert replica.in_flight == replica.waiting_count + slots + (replica.prefilling is not None)
    zombies = replica._stuck_slots - len(replica._hung)
    assert replica.in_flight - zombies == sum(request.phase is not Phase.ENDED for request in inside)


@settings(deadline=None, max_examples=150)
@given(ACTS)
def test_the_books_balance_whatever_happens(acts: list[Act]) -> None:
    drill = Drill()
    for act in acts:
        drill.do(act)
        check_books(drill.bench, list(drill.inside.values()))
    here = sum(request.phase is not Phase.ENDED for request in drill.inside.values())
    assert drill.asked == here + len(drill.bench.left) + drill.aborted + drill.lost


@settings(deadline=None, max_examples=40)
@given(ACTS)
def test_the_same_acts_have_the_same_effects_however_often_one_looks(acts: list[Act]) -> None:
    plain, watched = Drill(), Drill()
    for act in acts:
        plain.do(act)
        if act[0] == "wait":
            watched.look(until_s=plain.bench.env.now)
        else:
            watched.do(act)
    assert watched.bench.left == plain.bench.left
    assert watched.bench.replica.kv.used == plain.bench.replica.kv.used
