"""Sampled metrics tell the cluster's state and change nothing in it."""

from collections import defaultdict
from itertools import pairwise

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE

from loadtest.emission.metrics import MetricsSampler
from loadtest.emission.sources import gateway_resource
from loadtest.fleet.plan import FleetPlan
from loadtest.fleet.request import Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import Behave, Deploy, LeakDescriptors, SlowLink, Spread, Timeline, Train
from loadtest.fleet.traffic import Traffic
from tests.factories.emissions import (
    EVERY_S,
    Emitted,
    emission_plan,
    emit,
    every_happening,
    metrics_in,
    points_of,
    told_by,
    value_of,
)

PLAN = emission_plan()
CHAT = PLAN.models[0].name
RESTARTED_S = next(one.until_s for one in every_happening(PLAN) if isinstance(one, LeakDescriptors))
Course = list[tuple[float, float]]


def series(emitted: Emitted, name: str, key: str = "service.instance.id", **labels: str) -> dict[object, Course]:
    """(seconds since the origin, value) of a metric, by an attribute of its resource."""
    found: dict[object, Course] = defaultdict(list)
    for resource, metric in metrics_in(emitted.metrics):
        if metric.name != name:
            continue
        for point in points_of(metric):
            if labels.items() <= told_by(point).items():
                seconds = (point.time_unix_nano - PLAN.origin_ns) / 1e9
                found[resource.get(key)].append((seconds, value_of(point)))
    return found


def short(timeline: Timeline) -> Emitted:
    return emit(PLAN, 0.75, timeline)


def test_looking_does_not_change_what_happens() -> None:
    def ended(*, is_looked_at: bool) -> list[tuple[int, float, str]]:
        requests: list[Request] = []
        simulation = Simulation(PLAN, requests.append, every_happening(PLAN))
        if is_looked_at:
            MetricsSampler(simulation, 7.0)
        simulation.feed(Traffic(PLAN).history(0.0, float("inf")))
        simulation.run(5_000.0)
        return [(request.number, request.ended_s, request.end.name) for request in requests]

    assert ended(is_looked_at=True) == ended(is_looked_at=False)


def test_a_look_is_taken_at_every_multiple(quiet: Emitted) -> None:
    for course in series(quiet, "vllm:num_requests_running").values():
        times = [at_s for at_s, _ in course]
        assert times == [EVERY_S * step for step in range(1, len(times) + 1)]
        assert len(times) >= 6 * 3600 / EVERY_S - 1


def test_looks_begin_behind_the_first_second_of_a_later_start() -> None:
    simulation = Simulation(PLAN, lambda _: None, start_s=100.0)
    sampler = MetricsSampler(simulation, EVERY_S)
    simulation.run(250.0)
    times = {point.time_unix_nano for _, metric in metrics_in(sampler.take(250.0)) for point in points_of(metric)}
    assert sorted(times) == [PLAN.origin_ns + int(at_s * 1e9) for at_s in (120.0, 180.0, 240.0)]


def test_counters_only_grow_and_belong_to_one_process(eventful: Emitted) -> None:
    starts: dict[str, set[int]] = defaultdict(set)
    courses: dict[str, list[float]] = defaultdict(list)
    for resource, metric in metrics_in(eventful.metrics):
        if metric.WhichOneof("data") != "sum":
            continue
        assert metric.sum.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE
        for point in points_of(metric):
            key = repr((metric.name, resource, told_by(point)))
            assert point.start_time_unix_nano <= point.time_unix_nano
            starts[key].add(point.start_time_unix_nano)
            if metric.sum.is_monotonic:
                courses[key].append(value_of(point))
    assert {len(found) for found in starts.values()} == {1}
    assert len(courses) > 100
    assert all(before <= after for course in courses.values() for before, after in pairwise(course))


def test_counters_agree_with_the_spans(quiet: Emitted) -> None:
    by_status: dict[str, float] = defaultdict(float)
    for status in ("200", "400", "429", "499", "500", "504"):
        courses = series(quiet, "litellm_proxy_total_requests_metric", status_code=status)
        by_status[status] = sum(course[-1][1] for course in courses.values())
    last_s = max(at_s for course in series(quiet, "gateway.queue.length").values() for at_s, _ in course)
    seen = [request for request in quiet.requests if request.ended_s < last_s]
    assert sum(by_status.values()) == len(seen)
    assert by_status["200"] == sum(request.end.status == 200 for request in seen)


def test_a_restarted_replica_has_new_counters_and_a_later_start(eventful: Emitted) -> None:
    starts: dict[object, set[int]] = defaultdict(set)
    for resource, metric in metrics_in(eventful.metrics):
        if metric.name == "vllm:prompt_tokens":
            starts[resource["k8s.node.name"]] |= {point.start_time_unix_nano for point in points_of(metric)}
    assert max(len(found) for found in starts.values()) > 1
    names = series(eventful, "vllm:prompt_tokens", "k8s.pod.name")
    assert len(names) > sum(model.replicas for model in PLAN.models)


def test_a_slow_rack_is_seen_on_its_links() -> None:
    timeline = (SlowLink(at_s=600, for_s=1200, rack=1, factor=10.0),)
    courses = series(short(timeline), "hw.network.latency", "rack.id")
    during = {rack: dict(course)[1200.0] for rack, course in courses.items()}
    assert during["rack-2"] == pytest.approx(10 * during["rack-1"])
    assert dict(courses["rack-2"])[2400.0] == pytest.approx(during["rack-1"])


def test_racks_exchange_what_their_replicas_compute(quiet: Emitted) -> None:
    for course in series(quiet, "hw.network.io", "rack.id").values():
        assert course[-1][1] > 1e9


@pytest.mark.parametrize("mode", ["share", "evict"])
def test_training_is_seen_on_the_card_that_it_takes(mode: str) -> None:
    train = Train(at_s=600, for_s=1200, model=CHAT, replicas=(1,), mode="evict" if mode == "evict" else "share")
    courses = series(short((train,)), "hw.gpu.utilization", "host.name", **{"hw.gpu.task": "training"})
    during = {node: dict(course)[1200.0] for node, course in courses.items()}
    assert during.pop("gpu-node-02") > 0.5
    assert max(during.values()) < 0.05


def test_an_upgrade_in_place_doubles_the_weights_in_memory() -> None:
    version = PLAN.models[0].version
    deploy = Deploy(at_s=610, model=CHAT, replicas=(0,), version=version, mode="in_place", every_s=10)
    course = dict(series(short((deploy,)), "hw.gpu.memory.usage", "host.name")["gpu-node-01"])
    assert course[660.0] > 1.1 * course[600.0]
    assert course[1200.0] == course[600.0]


def test_a_stalled_replica_holds_requests_and_completes_none() -> None:
    stall = Behave(at_s=600, for_s=600, model=CHAT, replicas=(1,), speed=0.0)
    emitted = short((stall,))
    running, completed, aborted = (
        dict(series(emitted, name, "k8s.node.name", **labels)["gpu-node-02"])
        for name, labels in (
            ("vllm:num_requests_running", {}),
            ("vllm:request_success", {"finished_reason": "stop"}),
            ("vllm:request_success", {"finished_reason": "abort"}),
        )
    )
    during = [660.0 + EVERY_S * step for step in range(9)]
    assert max(running[at_s] for at_s in during) > 0
    assert {completed[at_s] for at_s in during} == {completed[660.0]}
    assert completed[600.0] > 0
    assert aborted[1200.0] > aborted[600.0]


def test_dependencies_tell_their_calls(eventful: Emitted) -> None:
    calls = series(eventful, "db.client.operation.count", "service.name")
    failures = series(eventful, "db.client.operation.failures", "service.name")
    assert set(calls) == {"sessions", "documents"}
    assert failures["sessions"][-1][1] > 0
    assert series(eventful, "messaging.client.operation.count", "service.name")["batch-queue"][-1][1] > 0


def test_descriptors_of_a_leaking_gateway_reach_their_limit(eventful: Emitted) -> None:
    used = series(eventful, "process.unix.file_descriptor.count", "k8s.pod.name")
    assert len(used) == PLAN.gateway.count
    most = [max(value for _, value in course) for course in used.values()]
    assert max(most) == PLAN.gateway.fd_limit > min(most)


def test_a_restarted_gateway_counts_from_zero_as_another_instance(eventful: Emitted) -> None:
    name = "litellm_proxy_total_requests_metric"
    pod = gateway_resource(PLAN, 1)["k8s.pod.name"]
    starts: dict[object, set[int]] = defaultdict(set)
    for resource, metric in metrics_in(eventful.metrics):
        if metric.name == name and resource["k8s.pod.name"] == pod:
            starts[resource["service.instance.id"]] |= {point.start_time_unix_nano for point in points_of(metric)}
    assert list(starts.values()) == [{PLAN.origin_ns}, {PLAN.origin_ns + int(RESTARTED_S * 1e9)}]
    before, after = (series(eventful, name, status_code="200")[instance] for instance in starts)
    assert before[-1][0] <= RESTARTED_S < after[0][0]
    assert after[0][1] < before[-1][1] / 10 < after[-1][1]


def test_a_replica_that_spans_more_cards_has_their_memory() -> None:
    spread = Spread(at_s=610, for_s=600, model=CHAT, replicas=(0,), cards=3)
    course = dict(series(short((spread,)), "hw.gpu.memory.limit", "host.name")["gpu-node-01"])
    assert [course[at_s] / course[600.0] for at_s in (660.0, 1200.0, 1260.0)] == [3.0, 3.0, 1.0]


def test_processes_that_are_down_tell_nothing_and_their_nodes_go_on(eventful: Emitted) -> None:
    nodes = series(eventful, "hw.gpu.memory.limit", "host.name")["gpu-node-04"]
    engine = series(eventful, "vllm:num_requests_running", "k8s.node.name")["gpu-node-04"]
    during = {at_s for at_s, _ in nodes if 2460.0 <= at_s <= 3000.0}
    assert len(during) == 10
    assert not during & {at_s for at_s, _ in engine}


def test_a_plan_without_dependencies_has_no_series_of_them() -> None:
    plan: FleetPlan = emission_plan(dependencies=())
    assert not [1 for _, metric in metrics_in(emit(plan, 0.2).metrics) if metric.name.startswith("db.")]
