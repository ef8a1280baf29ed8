"""A gateway: admission, refusal, descriptors, dependencies, further attempts, breakers, time-outs, a restart."""

from collections import Counter

import pytest
from msgspec.structs import replace

from loadtest.fleet.plan import Behaviour, Breaker, DependencyPlan, FleetPlan, GatewayPlan, Lengths, RateLimit, Retries
from loadtest.fleet.replica import ReplicaState
from loadtest.fleet.request import End, Phase
from loadtest.fleet.timeline import Behave, LeakDescriptors
from tests.factories.clusters import CALM, ENGINE, MODEL, NO_RETRIES, ROOMY, TENANTS, Scene, asking, cluster_plan

ONE = replace(MODEL, replicas=1)
CACHE = DependencyPlan(
    name="redis", kind="cache", system="redis", latency_ms=Lengths(median=100.0, spread=0.0, largest=500)
)


def failing(error_probability: float = 1.0) -> Behaviour:
    return replace(CALM, error_probability=error_probability)


def with_retries(attempts_max: int = 2, **changes: object) -> FleetPlan:
    gateway = GatewayPlan(retries=Retries(share=1.0, attempts_max=attempts_max, backoff_s=0.4))
    return cluster_plan(ROOMY, **{"gateway": gateway, **changes})


def test_requests_within_the_limits_complete() -> None:
    scene = Scene()
    scene.send(*map(asking, range(5)))
    assert set(scene.run().values()) == {End.COMPLETED}


def test_beyond_places_and_queue_the_gateway_answers_429() -> None:
    scene = Scene()
    scene.send(*map(asking, range(7)))
    assert scene.ends == {5: End.QUEUE_FULL, 6: End.QUEUE_FULL}
    assert End.QUEUE_FULL.status == 429
    gateway = scene.simulation.gateways[0]
    assert (gateway.refused_total, gateway.queued, gateway.in_flight) == (2, 1, 5)


def test_several_gateways_share_the_limits() -> None:
    scene = Scene(cluster_plan(gateway=GatewayPlan(count=2, retries=NO_RETRIES)))
    requests = [asking(number) for number in range(8)]
    scene.send(*requests)
    assert [gateway.forwarded for gateway in scene.simulation.gateways] == [2, 2]
    assert [gateway.queued for gateway in scene.simulation.gateways] == [1, 1]
    assert [request.gateway for request in requests] == [0, 1] * 4
    assert Counter(scene.ends.values()) == {End.QUEUE_FULL: 2}


def test_a_full_engine_queue_is_503() -> None:
    scene = Scene(cluster_plan(replace(ONE, in_flight_max=10)))
    scene.send(*map(asking, range(3)))
    assert scene.run() == {0: End.COMPLETED, 1: End.COMPLETED, 2: End.OVERLOADED}


def test_a_prompt_over_the_context_window_is_the_clients_mistake() -> None:
    scene = Scene()
    scene.send(asking(1, prompt=MODEL.context_window))
    assert scene.run() == {1: End.CONTEXT_TOO_LONG}


def test_a_tenant_over_its_limit_gets_429_and_others_do_not() -> None:
    limited = replace(TENANTS[0], rate_limit=RateLimit(requests_per_s=1.0, burst=2))
    scene = Scene(cluster_plan(ROOMY, tenants=(limited, TENANTS[1])))
    scene.send(*(asking(number, tenant=number % 2, arrival_s=0.1 * number) for number in range(10)))
    scene.run()
    assert [number for number, end in scene.ends.items() if end is End.RATE_LIMITED] == [4, 6, 8]
    assert scene.simulation.gateways[0].rate_limited_total == 3


def test_a_request_that_takes_too_long_times_out_wherever_it_is() -> None:
    running, waiting_at_engine = asking(1, output=6000), asking(2, output=6000)
    queued_at_gateway = asking(3)
    scene = Scene(cluster_plan(replace(ONE, in_flight_max=2)))
    scene.send(running, waiting_at_engine, queued_at_gateway)
    assert set(scene.run().values()) == {End.TIMED_OUT}
    assert {request.ended_s for request in (running, waiting_at_engine, queued_at_gateway)} == {30.0}
    assert scene.simulation.pools[0].replicas[0].in_flight == 0


def test_an_impatient_client_leaves_before_the_first_token_only() -> None:
    scene = Scene(cluster_plan(ONE))
    scene.send(asking(1, output=300, patience_s=1.0), asking(2, patience_s=1.0))
    assert scene.run() == {1: End.COMPLETED, 2: End.CLIENT_GONE}


def test_a_freed_place_goes_to_the_queue() -> None:
    first, second = asking(1), asking(2)
    scene = Scene(cluster_plan(replace(ONE, in_flight_max=1)))
    scene.send(first, second)
    assert scene.run() == {1: End.COMPLETED, 2: End.COMPLETED}
    assert second.gateway_ready_s == 0.0
    assert second.forwarded_s == first.ended_s


def test_a_long_queue_in_front_of_engines_that_refuse_drains_without_a_recursion() -> None:
    deep = replace(ONE, in_flight_max=1, queue_max=5_000)
    scene = Scene(cluster_plan(deep, gateway=GatewayPlan(fd_limit=6_000, retries=NO_RETRIES)))
    scene.send(asking(0, output=10))
    replica = scene.simulation.pools[0].replicas[0]
    scene.send(*map(asking, range(1, 5_000)))
    replica.state = ReplicaState.DRAINING  # it refuses what the router still gives it
    scene.run(29.0)
    assert Counter(scene.ends.values()) == {End.COMPLETED: 1, End.OVERLOADED: 5, End.NO_REPLICA: 4_994}


def test_without_a_replica_there_is_no_answer() -> None:
    scene = Scene()
    scene.simulation.pools[0].evict()
    scene.send(asking(1))
    assert scene.ends == {1: End.NO_REPLICA}


class TestDescriptors:
    """Open files: one per connection, one per forwarded request."""

    PLAN = cluster_plan(ROOMY, gateway=GatewayPlan(fd_limit=49, fd_idle=40, retries=NO_RETRIES))

    def test_connections_and_forwarded_requests_hold_one_each(self) -> None:
        scene = Scene(self.PLAN)
        scene.send(*map(asking, range(3)))
        gateway = scene.simulation.gateways[0]
        assert (gateway.fds_used, gateway.fd_limit) == (46, 49)
        scene.run()
        assert gateway.fds_used == 40

    def test_the_last_one_accepts_a_client_that_gets_no_further_and_then_nobody_connects(self) -> None:
        scene = Scene(self.PLAN)
        refused = asking(5)
        scene.send(*map(asking, range(5)))
        assert scene.ends == {4: End.NO_CONNECTION}
        scene.simulation.gateways[0].descriptors.open += 1
        scene.send(refused)
        assert refused.end is End.NEVER_CONNECTED
        assert (refused.ended_s, refused.forwarded_s, refused.gateway_ready_s) == (0.0, -1.0, -1.0)

    def test_a_leak_starves_the_gateway_until_it_is_restarted(self) -> None:
        leak = LeakDescriptors(at_s=1.0, for_s=19.0, gateway=0, per_s=1.0)
        scene = Scene(self.PLAN, (leak,))
        early, cut, late = (
            asking(1, output=5, arrival_s=0.5),
            asking(2, output=200, arrival_s=2.0),
            asking(4, arrival_s=20.5),
        )
        starved = asking(3, arrival_s=18.0)
        scene.send(early, cut, starved, late)
        hanging = asking(5, output=700, arrival_s=3.0)
        scene.send(hanging)
        assert scene.run() == {
            1: End.COMPLETED,
            2: End.COMPLETED,
            3: End.NEVER_CONNECTED,
            5: End.NO_CONNECTION,
            4: End.COMPLETED,
        }
        assert hanging.ended_s == 20.0
        assert [note for note in scene.simulation.notes if note.what == "gateway_restarted"] == [
            (20.0, "gateway_restarted", "gateway/0")
        ]
        assert scene.simulation.gateways[0].fds_used == 40
        assert [request.exposure for request in (early, cut, starved, hanging, late)] == [0, 1, 1, 1, 0]


def test_a_restart_ends_whatever_is_in_flight_in_every_phase() -> None:
    plan = cluster_plan(
        replace(ONE, in_flight_max=2, queue_max=2),
        gateway=GatewayPlan(retries=Retries(share=1.0, attempts_max=3, backoff_s=50.0)),
        dependencies=(replace(CACHE, latency_ms=Lengths(median=5_000.0, spread=0.0, largest=10_000)),),
    )
    scene = Scene(plan)
    gateway = scene.simulation.gateways[0]
    at_engine, backing_off, queued, asking_redis = (
        asking(1, output=400),
        asking(2),
        asking(3),
        asking(4, session=1, prefix_tokens=9),
    )
    scene.send(at_engine, backing_off, queued, asking_redis)
    scene.simulation.pools[0].replicas[0].abort(backing_off)
    gateway.engine_ended(backing_off, End.ENGINE_ERROR)
    phases = [request.phase for request in (at_engine, backing_off, queued, asking_redis)]
    assert phases == [Phase.PREFILL, Phase.BACKOFF, Phase.GATEWAY_QUEUE, Phase.DEPENDENCY]
    scene.at(1.0, gateway.restart)
    scene.at(1.5, lambda: scene.simulation.arrive(asking(5, arrival_s=1.5)))
    assert scene.run() == dict.fromkeys((1, 2, 3, 4), End.NO_CONNECTION) | {5: End.COMPLETED}
    assert (gateway.forwarded, gateway.queued, gateway.in_flight) == (0, 0, 0)
    assert (gateway.incarnation, gateway.started_s, at_engine.gateway_incarnation) == (1, 1.0, 0)
    assert ({end: count for end, count in gateway.ends.items() if count}, gateway.retries_total) == (
        {End.COMPLETED: 1},
        0,
    )
    assert scene.ended[-1].gateway_incarnation == 1


class TestFurtherAttempts:
    """The gateway tries another time before the answer has begun."""

    def test_a_failed_attempt_is_kept_and_another_one_answers(self) -> None:
        bad = Behave(at_s=0.0, model="chat", replicas=(1,), error_probability=1.0)
        scene = Scene(with_retries(), (bad,))
        request = asking(1, is_streamed=False)
        scene.send(request)
        scene.run()
        assert request.end is End.COMPLETED
        (earlier,) = request.earlier
        assert (earlier.end, earlier.identity.place, earlier.forwarded_s) == (End.ENGINE_ERROR, 1, 0.0)
        assert 0.2 <= request.forwarded_s - earlier.ended_s <= 0.6
        assert (request.place, request.tokens, request.fails) == (0, 100.0, False)
        assert earlier.tokens == 50.0
        assert scene.simulation.gateways[0].retries_total == 1
        assert request.exposure == 1

    def test_another_replica_is_asked_even_if_the_one_that_failed_is_the_least_loaded(self) -> None:
        bad = Behave(at_s=0.0, model="chat", replicas=(1,), error_probability=1.0)
        gateway = GatewayPlan(
            retries=Retries(share=1.0, attempts_max=2, backoff_s=0.4), breaker=Breaker(failures=10_000)
        )
        scene = Scene(with_retries(gateway=gateway), (bad,))
        requests = [
            asking(number, is_streamed=False, when=0.0, arrival_s=0.3 * number, output=50) for number in range(100)
        ]
        scene.send(*requests)
        assert set(scene.run().values()) == {End.COMPLETED}
        assert sum(len(request.earlier) for request in requests) > 80

    def test_a_stream_that_has_begun_fails_for_good(self) -> None:
        scene = Scene(with_retries(), (Behave(at_s=0.0, model="chat", error_probability=1.0),))
        request = asking(1)
        scene.send(request)
        scene.run()
        assert (request.end, request.earlier, request.tokens) == (End.ENGINE_ERROR, [], 50.0)

    def test_attempts_are_bounded(self) -> None:
        scene = Scene(with_retries(3), (Behave(at_s=0.0, model="chat", error_probability=1.0),))
        request = asking(1, is_streamed=False)
        scene.send(request)
        scene.run()
        assert (request.end, len(request.earlier)) == (End.ENGINE_ERROR, 2)
        assert [attempt.end for attempt in request.earlier] == [End.ENGINE_ERROR] * 2

    def test_a_refusal_by_a_full_engine_is_tried_again(self) -> None:
        scene = Scene(with_retries(models=(replace(ROOMY, engine=ENGINE, replicas=1),)))
        running, waiting, refused = (asking(number, output=5) for number in range(3))
        scene.send(running, waiting, refused)
        scene.run()
        assert refused.end is End.COMPLETED
        assert [(one.end, one.identity.place, one.scheduled_s) for one in refused.earlier] == [
            (End.OVERLOADED, 0, -1.0)
        ]

    def test_the_time_out_runs_over_all_attempts(self) -> None:
        gateway = GatewayPlan(retries=Retries(share=1.0, attempts_max=9, backoff_s=50.0))
        scene = Scene(with_retries(gateway=gateway), (Behave(at_s=0.0, model="chat", error_probability=1.0),))
        request = asking(1, is_streamed=False)
        scene.send(request)
        scene.run()
        assert (request.end, request.ended_s, len(request.earlier)) == (End.TIMED_OUT, 30.0, 1)
        assert (request.identity, request.place, request.first_token_s) == (None, -1, -1.0)

    def test_a_request_keeps_its_place_while_it_waits(self) -> None:
        scene = Scene(
            with_retries(models=(replace(ROOMY, in_flight_max=1),)),
            (Behave(at_s=0.0, model="chat", replicas=(1,), error_probability=1.0),),
        )
        first, second = asking(1, is_streamed=False), asking(2)
        scene.send(first, second)
        scene.run()
        assert len(first.earlier) == 1
        assert second.forwarded_s == first.ended_s

    def test_only_a_share_may_be_tried_again(self) -> None:
        gateway = GatewayPlan(
            retries=Retries(share=0.5, attempts_max=2, backoff_s=0.1), breaker=Breaker(failures=10_000)
        )
        scene = Scene(with_retries(gateway=gateway), (Behave(at_s=0.0, model="chat", error_probability=1.0),))
        scene.send(*(asking(number, output=2, is_streamed=False) for number in range(400)))
        scene.run()
        assert scene.simulation.gateways[0].retries_total == pytest.approx(200, abs=40)


class TestBreakers:
    """Replicas that fail in a row are left alone."""

    GATEWAY = GatewayPlan(retries=NO_RETRIES, breaker=Breaker(failures=3, cool_s=20.0))

    def test_a_failing_replica_is_left_alone_tried_and_taken_back(self) -> None:
        plan = cluster_plan(ROOMY, gateway=self.GATEWAY)
        scene = Scene(plan, (Behave(at_s=0.0, for_s=45.0, model="chat", replicas=(1,), error_probability=1.0),))
        scene.send(*(asking(number, output=2, arrival_s=0.5 * number) for number in range(200)))
        scene.run(30.0)
        assert scene.simulation.gateways[0].open_breakers == 1
        scene.run()
        told = [(note.what, note.subject) for note in scene.simulation.notes]
        subject = "gateway/0 model/0/1"
        assert told == [
            ("breaker_open", subject),
            *(("breaker_half_open", subject), ("breaker_open", subject)) * 2,
            ("breaker_half_open", subject),
            ("breaker_closed", subject),
        ]
        assert Counter(scene.ends.values())[End.ENGINE_ERROR] == 5
        assert scene.simulation.gateways[0].open_breakers == 0

    def test_time_outs_at_a_stalled_replica_count(self) -> None:
        plan = cluster_plan(ROOMY, gateway=self.GATEWAY)
        scene = Scene(plan, (Behave(at_s=0.0, model="chat", replicas=(1,), speed=0.0),))
        scene.send(*(asking(number, output=2) for number in range(6)))
        scene.run(29.0)
        assert scene.simulation.gateways[0].open_breakers == 0
        scene.run(31.0)
        assert scene.simulation.gateways[0].open_breakers == 1
        assert Counter(scene.ends.values()) == {End.COMPLETED: 3, End.TIMED_OUT: 3}

    def test_a_trial_whose_client_leaves_lets_the_next_one_try(self) -> None:
        plan = cluster_plan(replace(ROOMY, replicas=1), gateway=self.GATEWAY)
        scene = Scene(plan, (Behave(at_s=0.0, for_s=5.0, model="chat", error_probability=1.0),))
        scene.send(*(asking(number, output=2, arrival_s=float(number)) for number in range(3)))
        gone = asking(4, prompt=8_000, arrival_s=30.0, patience_s=0.5)
        refused, next_one = asking(5, arrival_s=30.1), asking(6, arrival_s=31.0)
        scene.send(asking(3, arrival_s=8.0), gone, refused, next_one)
        scene.run()
        assert [scene.ends[number] for number in (3, 4, 5, 6)] == [
            End.NO_REPLICA,
            End.CLIENT_GONE,
            End.NO_REPLICA,
            End.COMPLETED,
        ]

    def test_a_restarted_gateway_asks_a_replica_that_its_breaker_had_shut(self) -> None:
        scene = Scene(cluster_plan(replace(ROOMY, replicas=1), gateway=self.GATEWAY))
        failing = [asking(number, output=2, arrival_s=0.1 * number) for number in range(3)]
        scene.at(0.0, lambda: scene.simulation.pools[0].replicas[0].behave(replace(CALM, error_probability=1.0)))
        scene.at(5.0, lambda: scene.simulation.pools[0].replicas[0].behave(CALM))
        scene.send(*failing, asking(3, arrival_s=6.0), asking(4, arrival_s=8.0))
        scene.at(7.0, scene.simulation.gateways[0].restart)
        scene.run()
        assert (scene.ends[3], scene.ends[4]) == (End.NO_REPLICA, End.COMPLETED)
        assert [note.what for note in scene.simulation.notes] == ["breaker_open", "breaker_closed", "gateway_restarted"]


class TestDependencies:
    """What is asked before a request is forwarded."""

    def test_the_answer_comes_before_the_engine(self) -> None:
        scene = Scene(cluster_plan(ROOMY, dependencies=(CACHE,)))
        further, first = asking(1, session=1, prefix_tokens=50), asking(2, session=2)
        scene.send(further, first)
        assert further.phase is Phase.DEPENDENCY
        scene.run()
        assert further.gateway_ready_s == further.forwarded_s == pytest.approx(0.1)
        assert [(call.dependency, call.start_s, call.is_ok) for call in further.calls] == [(0, 0.0, True)]
        assert (first.calls, first.forwarded_s) == ([], 0.0)

    def test_several_are_asked_one_after_the_other(self) -> None:
        vector = replace(CACHE, name="milvus", kind="vector", system="milvus", share=1.0)
        scene = Scene(cluster_plan(ROOMY, dependencies=(vector, CACHE)))
        request = asking(1, session=1, prefix_tokens=50)
        scene.send(request)
        scene.run()
        assert [(call.dependency, call.start_s) for call in request.calls] == [(0, 0.0), (1, pytest.approx(0.1))]

    def test_without_a_cache_that_is_not_needed_the_whole_prompt_is_computed(self) -> None:
        scene = Scene(cluster_plan(ROOMY, dependencies=(replace(CACHE, timeout_s=2.0),)))
        scene.simulation.dependencies[0].fail(0.0)
        request = asking(1, session=1, prefix_tokens=50)
        scene.send(request)
        scene.run()
        assert (request.end, request.prefix_tokens, request.forwarded_s) == (End.COMPLETED, 0, 2.0)
        assert [call.is_ok for call in request.calls] == [False]

    def test_without_one_that_is_needed_the_request_fails(self) -> None:
        scene = Scene(cluster_plan(ROOMY, dependencies=(replace(CACHE, timeout_s=2.0, is_needed=True),)))
        scene.simulation.dependencies[0].fail(0.0)
        request = asking(1, session=1, prefix_tokens=50)
        scene.send(request)
        scene.run()
        assert (request.end, request.ended_s, request.forwarded_s) == (End.DEPENDENCY_FAILED, 2.0, -1.0)

    def test_patience_ends_while_a_dependency_hangs(self) -> None:
        scene = Scene(cluster_plan(ROOMY, dependencies=(CACHE,)))
        scene.simulation.dependencies[0].fail(0.0)
        request = asking(1, session=1, prefix_tokens=50, patience_s=1.0)
        scene.send(request)
        scene.run()
        assert (request.end, request.ended_s) == (End.CLIENT_GONE, 1.0)
        assert [(call.end_s, call.is_ok) for call in request.calls] == [(1.0, False)]
