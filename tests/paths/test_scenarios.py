"""What each scenario promises shows in its truth and in what telemetry tells of it."""

from collections import Counter, defaultdict
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import pytest
from msgspec.structs import replace
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from scipy.optimize import minimize

from loadtest.fleet.request import Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.traffic import Traffic
from loadtest.scenarios.catalogue import Overrides, fleet_plan, load
from loadtest.scenarios.truth_requests import defect_of
from tests.factories.fleets import MONDAY_NS
from tests.factories.plays import DAY_S, HOUR_S, Stretch, mean, share, stretch

CHAT, REASONING = "meridian-70b-instruct", "meridian-r-32b"
ERROR = Status.STATUS_CODE_ERROR


@cache
def ran(name: str, day: int, start_h: float, end_h: float, *, metrics: bool = False) -> Stretch:
    return stretch(name, day * DAY_S + start_h * HOUR_S, day * DAY_S + end_h * HOUR_S, metrics=metrics)


def at(day: int, hour: float) -> float:
    return day * DAY_S + hour * HOUR_S


def failing_by_pod(one: Stretch, model: str) -> dict[str, float]:
    """Share of the requests that a pod worked on and the gateway answered with an error, by their spans."""
    failed = {
        told.span.trace_id for told in one.spans if not told.span.parent_span_id and told.span.status.code == ERROR
    }
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    for told in one.spans:
        if told.is_engine and told.resource["model.id"] == model:
            counts[told.pod][told.span.trace_id in failed] += 1
    return {pod: found[True] / found.total() for pod, found in counts.items()}


def test_quiet_has_a_small_base_that_is_the_same_by_night_and_by_day() -> None:
    night, day = (share(one.requests) for one in (ran("quiet", 1, 1, 4), ran("quiet", 1, 12, 14.5)))
    assert 0.001 < night < 0.007
    assert 0.001 < day < 0.007
    assert not ran("quiet", 1, 12, 14.5).play.simulation.notes


def test_peak_multiplies_defects_by_more_than_requests() -> None:
    night, peak = ran("peak", 2, 2, 5), ran("peak", 2, 12, 15)
    assert share(peak.requests) > 5 * share(night.requests)
    assert {"rejected", "timeout"} <= set(peak.requests["defect"].to_pylist())
    rates = [share(peak.between(at(2, 12), at(2, 15), pod=pod)) for pod in failing_by_pod(peak, CHAT)]
    assert min(rates) > 0.2 * max(rates)


def test_bad_replica_stands_out_among_its_siblings() -> None:
    one = ran("bad-replica", 2, 10, 13)
    (touched,) = one.truth.document()["timeline"][0]["pods"]
    rates = failing_by_pod(one, CHAT)
    assert rates[touched] > 4 * max(rate for pod, rate in rates.items() if pod != touched)
    assert share(one.between(at(2, 10), at(2, 13), pod=touched)) > 0.1
    served = Counter(one.requests["pod"].to_pylist())
    assert served[touched] == min(served[pod] for pod in rates)


def test_a_bad_base_is_the_same_in_every_replica_of_the_pool() -> None:
    one = ran("bad-replica", 4, 9, 14)
    rates = failing_by_pod(one, REASONING)
    assert len(rates) == 3
    assert 0.008 < mean(rates.values()) < 0.03
    assert all(0.003 < rate < 0.04 for rate in rates.values())
    assert max(failing_by_pod(one, CHAT).values()) < 0.006


def test_canary_bug_runs_away_and_answers_nothing_on_the_new_revision_only() -> None:
    one = ran("canary-bug", 1, 11, 15)
    revision = {t.span.trace_id: str(t.resource["model.revision"]) for t in one.spans if t.is_engine}
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for told in one.spans:
        known = told.attributes
        if "gen_ai.response.finish_reasons" in known and known["gen_ai.request.model"] == CHAT:
            reason = (
                "empty" if known["gen_ai.usage.output_tokens"] == 0 else str(known["gen_ai.response.finish_reasons"])
            )
            reasons[revision.get(told.span.trace_id, "")][reason] += 1
    old, new = reasons["2026-08-14"], reasons["2026-11-20"]
    assert 0.05 < new.total() / (old.total() + new.total()) < 0.13
    assert new["['length']"] / new.total() > 1.4 * old["['length']"] / old.total()
    assert new["empty"] / new.total() > 0.01 > old["empty"] / old.total()
    late = [
        share(one.between(at(1, 11.3), at(1, 15), model=CHAT, revision=name), "end", "timed_out") for name in reasons
    ]
    assert late[list(reasons).index("2026-11-20")] > 0.03


def test_an_upgrade_in_place_doubles_the_weights_and_admits_nothing_meanwhile() -> None:
    one = ran("canary-bug", 3, 11.9, 13, metrics=True)
    memory = [p for p in one.points["hw.gpu.memory.usage"] if at(3, 12) < p.at_s < at(3, 12) + 60]
    before = [p for p in one.points["hw.gpu.memory.usage"] if p.at_s < at(3, 12)]
    assert {p.value for p in memory} != {p.value for p in before}
    revisions = set(one.between(at(3, 12.8), at(3, 13), model=REASONING)["revision"].to_pylist())
    assert revisions == {"2026-11-22"}


def test_drift_shows_in_the_length_of_answers_told_or_not() -> None:
    told = ran("drift", 2, 8, 11)
    lengths: dict[str, list[float]] = defaultdict(list)
    for row in told.between(at(2, 8.5), at(2, 11), model=CHAT, end="completed", is_cut=False).to_pylist():
        lengths[row["revision"] + row["pod"]].append(row["output_tokens"])
    quantization = {t.pod: t.resource["model.quantization"] for t in told.spans if t.is_engine}
    means = {pod: mean(found) for pod, found in lengths.items()}
    int4 = [value for pod, value in means.items() if quantization[pod.removeprefix("2026-08-14")] == "int4"]
    fp8 = [value for pod, value in means.items() if quantization[pod.removeprefix("2026-08-14")] == "fp8"]
    assert (len(int4), len(fp8)) == (2, 3)
    assert max(int4) < 0.9 * min(fp8)
    silent = ran("drift", 5, 5, 9)
    (pod,) = silent.truth.document()["timeline"][1]["pods"]
    assert {t.resource["model.quantization"] for t in silent.spans if t.is_engine and t.pod == pod} == {"fp8"}
    rows = silent.between(at(5, 5), at(5, 9), model=CHAT, end="completed", is_cut=False).to_pylist()
    assert mean(r["output_tokens"] for r in rows if r["pod"] == pod) < 0.9 * mean(
        r["output_tokens"] for r in rows if quantization.get(r["pod"], "fp8") == "fp8" and r["pod"] != pod
    )


def excess_by_load(rates: list[float]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Requests and defects of the chat pool of kv-exhaustion, at constant loads (requests a day)."""
    scenario = load("kv-exhaustion")
    counts = np.zeros(len(rates))
    defects = np.zeros(len(rates))
    for place, rate in enumerate(rates):
        plan = fleet_plan(scenario, 1, MONDAY_NS, Overrides(requests_per_day=rate))
        plan = replace(plan, traffic=replace(plan.traffic, night_floor=1.0, weekend=1.0, noise=0.0))

        def ended(request: Request, place: int = place) -> None:
            if request.model == 0:
                counts[place] += 1
                defects[place] += defect_of(request) != ""

        simulation = Simulation(plan, ended)
        simulation.feed(Traffic(plan).history(0.0, float("inf")))
        simulation.run(max(4000 / rate * DAY_S, 2 * HOUR_S))
    return counts, defects


def test_kv_exhaustion_saturates_and_is_not_logistic_in_the_log_of_load() -> None:
    rates = [2_000.0, 5_000.0, 12_000.0, 30_000.0, 60_000.0, 110_000.0]
    counts, defects = excess_by_load(rates)
    load_axis = np.array(rates)

    def deviance(rate: npt.NDArray[np.float64]) -> float:
        likely = np.clip(rate, 1e-9, 1 - 1e-9)
        return float(-2 * np.sum(defects * np.log(likely) + (counts - defects) * np.log1p(-likely)))

    logistic = minimize(
        lambda x: deviance(1 / (1 + np.exp(-(x[0] + x[1] * np.log(load_axis))))), [-8.0, 0.5], method="Nelder-Mead"
    )
    saturating = minimize(
        lambda x: deviance(0.0025 + np.exp(x[0]) * (1 - np.exp(-load_axis / np.exp(x[1])))),
        [-2.5, 9.5],
        method="Nelder-Mead",
    )
    observed = defects / counts
    assert observed[0] < 0.02
    assert observed[4] < 1.6 * observed[3]
    assert logistic.fun > saturating.fun + 30


def test_kv_exhaustion_hits_long_prompts_that_found_nothing_in_the_cache() -> None:
    one = ran("kv-exhaustion", 1, 10, 13)
    chat = one.between(at(1, 10), at(1, 13), model=CHAT)
    long = chat.filter(pc.greater(chat["prompt_tokens"], 9_000))
    short = chat.filter(pc.less(chat["prompt_tokens"], 6_000))
    assert share(long) > 0.4
    assert share(short) < 0.02
    late = long.filter(pc.equal(long["defect"], "timeout"))
    assert mean(late["cached_tokens"].to_pylist()) < 500


def seconds_per_token(one: Stretch, since_s: float) -> dict[str, list[float]]:
    """Decode time per output token of the chat pods' longer answers, as engine spans tell it."""
    found: dict[str, list[float]] = defaultdict(list)
    for told in one.spans:
        if told.is_engine and told.resource["model.id"] == CHAT:
            known = told.attributes
            tokens = int(known.get("gen_ai.usage.completion_tokens", 0))  # type: ignore[call-overload]
            if tokens > 50 and told.span.end_time_unix_nano - MONDAY_NS > since_s * 1e9:
                found[told.pod].append(float(known["gen_ai.latency.time_in_model_decode"]) / tokens)  # type: ignore[arg-type]
    return found


def test_a_slow_rack_slows_its_replica_and_shows_as_link_latency() -> None:
    one = ran("rack", 1, 11.5, 14, metrics=True)
    (touched,) = one.truth.document()["timeline"][0]["pods"]
    latency: dict[object, list[float]] = defaultdict(list)
    for point in one.points["hw.network.latency"]:
        if point.at_s > at(1, 12.2):
            latency[point.resource["rack.id"]].append(point.value)
    assert mean(latency["rack-2"]) > 5 * mean(latency["rack-1"])
    speed = seconds_per_token(one, at(1, 12.3))
    assert mean(speed[touched]) > 1.4 * max(mean(found) for pod, found in speed.items() if pod != touched)


def test_twice_the_cards_over_two_racks_give_a_fifth_less_each_or_worse() -> None:
    one = ran("rack", 3, 11.5, 14)
    speed = seconds_per_token(one, at(3, 12.2))
    cards = {told.pod: told.resource["model.tensor_parallel_size"] for told in one.spans if told.is_engine}
    spread = {pod for pod, count in cards.items() if count == 128 and pod in speed}
    assert spread == set(one.truth.document()["timeline"][1]["pods"]) & speed.keys()
    assert len(spread) == 2
    usual = mean([seconds for pod, found in speed.items() if pod not in spread for seconds in found])
    for pod in spread:
        assert mean(speed[pod]) * 2 > usual / 0.8


def test_a_retry_storm_outlives_its_pulse_by_repetitions_and_ends_with_modest_clients() -> None:
    one = ran("retry-storm", 2, 11.5, 15)
    usual = one.between(at(2, 11.5), at(2, 12)).num_rows
    after = one.between(at(2, 13.2), at(2, 13.7))
    assert after.num_rows > 1.3 * usual
    assert share(after) > 0.2
    assert share(after.filter(pc.greater(after["client_attempt"], 0)), "client_attempt", 0) == 0
    assert after.filter(pc.greater(after["client_attempt"], 0)).num_rows > 0.25 * after.num_rows
    resent = [t for t in one.spans if not t.is_engine and "http.request.resend_count" in t.attributes]
    assert len(resent) > 500
    assert share(one.between(at(2, 14.75), at(2, 15))) < 0.05


def test_a_gateway_runs_into_its_descriptor_limit_and_is_restarted() -> None:
    one = ran("gateway", 1, 8.9, 14.3, metrics=True)
    (touched,) = one.truth.document()["timeline"][0]["gateways"]
    counts = [p for p in one.points["process.unix.file_descriptor.count"] if p.resource["k8s.pod.name"] == touched]
    assert counts[0].value < 120
    assert max(p.value for p in counts) == 1_024
    assert counts[-1].value < 150
    unseen = one.between(at(1, 13.4), at(1, 14), end="never_connected")
    assert unseen.num_rows > 100
    assert set(unseen["emitted"].to_pylist()) == {"none"}
    assert set(unseen["gateway"].to_pylist()) == {0}
    assert "gateway_restarted" in {note.what for note in one.play.simulation.notes}


def test_a_limit_too_tight_rejects_one_tier_without_more_arrivals() -> None:
    one = ran("gateway", 3, 9.5, 11.5)
    first_tries = one.between(at(3, 10), at(3, 11.5), end="rate_limited")
    assert set(first_tries["service_tier"].to_pylist()) == {"general"}
    arrivals = [pc.sum(pc.equal(one.between(at(3, h), at(3, h + 0.5))["client_attempt"], 0)).as_py() for h in (9.5, 10)]
    assert arrivals[1] < 1.3 * arrivals[0]
    general = one.between(at(3, 10), at(3, 11.5), service_tier="general")
    assert share(general, "status", 429) > 0.3
    assert share(one.between(at(3, 10), at(3, 11.5), service_tier="core"), "status", 429) < 0.02


def test_training_shares_cards_and_then_evicts_replicas_which_come_back_anew() -> None:
    one = ran("training", 1, 10.8, 12.5, metrics=True)
    training = [p for p in one.points["hw.gpu.utilization"] if p.attributes["hw.gpu.task"] == "training"]
    nodes = {p.resource["k8s.node.name"] for p in training if p.value > 0.3}
    assert len(nodes) == 2
    evicted = ran("training", 3, 11.5, 14.3)
    pods = {
        hour: set(evicted.between(at(3, hour), at(3, hour + 0.25), model=CHAT, end="completed")["pod"].to_pylist())
        for hour in (11.5, 12.5, 14.05)
    }
    assert (len(pods[11.5]), len(pods[12.5]), len(pods[14.05])) == (5, 4, 5)
    assert len(pods[14.05] - pods[11.5]) == 1


@pytest.mark.parametrize(
    ("day", "hour", "system"), [(1, 13.0, "redis"), (2, 13.0, "milvus")], ids=["session cache", "vector database"]
)
def test_a_dependency_that_fails_over_shows_in_its_calls(day: int, hour: float, system: str) -> None:
    one = ran("dependency", day, hour - 0.2, hour + 0.2)
    calls = [t for t in one.spans if t.attributes.get("db.system.name") == system]
    failed = [t for t in calls if t.span.status.code == ERROR]
    assert len(failed) > 30
    assert all(t.span.end_time_unix_nano - MONDAY_NS >= at(day, hour) * 1e9 for t in failed)
    ends = set(one.between(at(day, hour), at(day, hour + 0.2))["end"].to_pylist())
    assert ("dependency_failed" in ends) == (system == "milvus")


def test_a_batch_queue_that_fails_over_holds_its_requests_and_lets_them_go_at_once() -> None:
    one = ran("dependency", 4, 0.7, 1.4)
    reached: Counter[int] = Counter()
    for told in one.spans:
        if told.is_engine and told.resource["model.id"] == CHAT:
            reached[int((told.span.start_time_unix_nano / 1e9 - MONDAY_NS / 1e9 - at(4, 1)) // 60)] += 1
    assert mean(reached[minute] for minute in range(8, 10)) > 1.5 * mean(reached[minute] for minute in range(1, 8))


def test_a_stalled_replica_holds_requests_and_finishes_none() -> None:
    one = ran("stalled", 1, 13.8, 14.4, metrics=True)
    (touched,) = one.truth.document()["timeline"][0]["pods"]
    running = [
        p.value
        for p in one.points["vllm:num_requests_running"]
        if p.resource["k8s.pod.name"] == touched and at(1, 14.05) < p.at_s < at(1, 14.3)
    ]
    ends = [t.span.end_time_unix_nano / 1e9 - MONDAY_NS / 1e9 for t in one.spans if t.is_engine and t.pod == touched]
    assert max(running) > 0
    assert not [end for end in ends if at(1, 14) < end < at(1, 14) + 1200]
    assert [end for end in ends if end > at(1, 14) + 1200]
    assert "breaker_open" in {note.what for note in one.play.simulation.notes}


def test_hung_requests_keep_their_cache_after_everybody_gave_them_up() -> None:
    one = ran("stalled", 3, 9.8, 12, metrics=True)
    (touched,) = one.truth.document()["timeline"][1]["pods"]
    usage = [p for p in one.points["vllm:kv_cache_usage_perc"] if p.resource["k8s.pod.name"] == touched]
    running = [p for p in one.points["vllm:num_requests_running"] if p.resource["k8s.pod.name"] == touched]
    assert mean(p.value for p in usage[-20:]) > mean(p.value for p in usage[:10]) + 0.2
    assert min(p.value for p in running[-20:]) > 3
    assert one.between(at(3, 10), at(3, 11.5), pod=touched, end="timed_out").num_rows > 5


def test_growth_multiplies_traffic_and_scaling_lowers_the_load_of_a_replica() -> None:
    scenario = load("growth")
    plan = fleet_plan(scenario, 1, MONDAY_NS)
    traffic = Traffic(plan, scenario.timeline)
    first, last = (sum(1 for _ in traffic.history(week * 7 * DAY_S, week * 7 * DAY_S + 2 * DAY_S)) for week in (0, 9))
    assert 1.9 < last / first < 2.9
    one = ran("growth", 44, 5, 12)
    assert len(one.play.simulation.pools[0].ready()) == 6
    assert len(set(one.between(at(44, 8), at(44, 12))["pod"].to_pylist()) - {""}) == 6


def test_everything_ends_with_lost_spans_wrong_clocks_and_sampling() -> None:
    lost = ran("everything", 6, 2, 2.5)
    assert lost.play.outbox.lost > 30
    completed = lost.between(at(6, 2), at(6, 2.5), end="completed")
    assert 0.05 < share(completed, "emitted", "gateway") < 0.11
    skewed = ran("everything", 6, 7, 7.3)
    gateway = {t.span.span_id: t.span for t in skewed.spans if not t.is_engine}
    late = {
        t.pod
        for t in skewed.spans
        if t.is_engine and t.span.end_time_unix_nano > gateway[t.span.parent_span_id].end_time_unix_nano + 500_000_000
    }
    assert late == set(skewed.truth.document()["timeline"][-2]["pods"])
    sampled = ran("everything", 6, 16, 16.3)
    told = sum(body.requests for body in sampled.bodies)
    assert 0.2 < told / sampled.requests.num_rows < 0.3
    assert {t.span.trace_state for t in sampled.spans} == {"ot=th:c"}


@pytest.mark.parametrize("name", ["retry-storm", "everything"])
def test_arrivals_are_ends_and_what_is_in_flight(name: str) -> None:
    one = ran("retry-storm", 2, 11.5, 15) if name == "retry-storm" else ran("everything", 6, 2, 2.5)
    assert one.truth.document()["conservation"]["holds"]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    bodies = [
        stretch("everything", 3 * DAY_S + 12 * HOUR_S, 3 * DAY_S + 12.5 * HOUR_S, seed=seed).bodies
        for seed in (1, 1, 2)
    ]
    assert bodies[0] == bodies[1]
    assert bodies[0] != bodies[2]
