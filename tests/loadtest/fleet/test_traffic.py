"""Arrivals: how many, when, and the same again from the same seed."""

from collections.abc import Callable, Iterable
from dataclasses import astuple
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from loadtest.fleet.arrivals_file import read_arrivals
from loadtest.fleet.plan import RisePlan
from loadtest.fleet.request import Request
from loadtest.fleet.timeline import Burst, Timeline
from loadtest.fleet.traffic import Traffic
from loadtest.fleet.traffic_file import TrafficFileError
from tests.factories.real_data import real_file
from tests.factories.traffic_plans import DAY_S, HOUR_S, MONDAY_NS, NIGHT, WEEK_S, traffic_plan, written

TRACE = "TIMESTAMP,ContextTokens,GeneratedTokens\n" + "".join(
    f"2023-11-16 18:{second // 60:02d}:{second % 60:02d},{second + 10},{second % 7 + 1}\n"
    for second in range(0, 1200, 3)
    if second % 100 < 60
)
BURST: Timeline = (Burst(at_s=4000.0, for_s=9000.0, factor=2.5, service_tier="general"),)
COURSE = "t_s,req_per_s\n" + "".join(f"{600 * at},{5 + at % 7}\n" for at in range(50))


def told(requests: Iterable[Request]) -> list[tuple[Any, ...]]:
    return [astuple(request) for request in requests]


@pytest.fixture(scope="module")
def week() -> list[Request]:
    return list(Traffic(traffic_plan()).history(0.0, WEEK_S))


@pytest.fixture(params=["typical", "burst", "arrivals", "rates"])
def traffic(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[int], Traffic]:
    """Traffic of each kind by its seed."""
    files = {"arrivals": {"arrivals_file": TRACE}, "rates": {"rates_file": COURSE}}.get(request.param, {})
    named: dict[str, Any] = {field: written(tmp_path, text) for field, text in files.items()}
    return lambda seed: Traffic(traffic_plan(seed, **named), () if request.param == "typical" else BURST)


def test_a_week_holds_the_requests_per_day_that_were_asked_for(week: list[Request]) -> None:
    assert len(week) == pytest.approx(7 * 20_000, rel=0.01)


def test_requests_come_in_order_and_with_distinct_numbers(week: list[Request]) -> None:
    arrivals = [request.arrival_s for request in week]
    assert arrivals == sorted(arrivals)
    assert len({request.number for request in week}) == len(week)


def test_days_are_busier_than_nights_and_weekends_quieter(week: list[Request]) -> None:
    hours = np.array([request.arrival_s for request in week if request.tenant != NIGHT]) / 3600
    by_day = np.bincount((hours // 24).astype(int), minlength=7)
    of_day = np.bincount((hours % 24).astype(int), minlength=24)
    assert by_day[5:].max() < 0.85 * by_day[:5].min()
    assert of_day[14] > 2.2 * of_day[2]


def test_the_batch_tenant_works_at_night(week: list[Request]) -> None:
    of_day = np.array([request.arrival_s / 3600 % 24 for request in week if request.tenant == NIGHT])
    assert np.sum((of_day < 6) | (of_day > 22)) > np.sum((of_day > 10) & (of_day < 18))


def test_shares_of_models_and_tenants_are_kept(week: list[Request]) -> None:
    plan = traffic_plan()
    models = np.bincount([request.model for request in week]) / len(week)
    tenants = np.bincount([request.tenant for request in week]) / len(week)
    assert models == pytest.approx([one.share for one in plan.models], abs=0.01)
    assert tenants == pytest.approx([one.share for one in plan.tenants], abs=0.015)


def test_requests_are_first_tries_that_have_not_begun(week: list[Request]) -> None:
    assert {(one.client_attempt, one.first_number, one.tokens, one.place) for one in week} == {(0, -1, 0.0, -1)}


def test_the_same_seed_draws_the_same_requests_and_another_seed_others(traffic: Callable[[int], Traffic]) -> None:
    one, again, other = (told(traffic(seed).history(0.0, 7200.0)) for seed in (1, 1, 2))
    assert len(one) > 500
    assert one == again != other


def test_any_stretch_is_that_of_a_longer_one(traffic: Callable[[int], Traffic]) -> None:
    whole = list(traffic(1).history(0.0, 40_000.0))
    for start_s, end_s in ((0.0, 50.0), (9000.0, 20_000.0), (7200.0, 10_800.0), (3599.0, 3601.0), (5000.0, 5000.0)):
        part = [request for request in whole if start_s <= request.arrival_s < end_s]
        assert told(traffic(1).history(start_s, end_s)) == told(part)


def test_an_endless_history_is_drawn_lazily(traffic: Callable[[int], Traffic]) -> None:
    assert len(list(islice(traffic(1).history(0.0, float("inf")), 10))) == 10


@pytest.mark.parametrize("files", [{}, {"arrivals_file": TRACE}, {"rates_file": COURSE}])
def test_a_burst_multiplies_what_arrives_between_its_seconds(tmp_path: Path, files: dict[str, str]) -> None:
    named: dict[str, Any] = {name: written(tmp_path, text) for name, text in files.items()}
    plan = traffic_plan(noise=0.0, pulses_per_day=0.0, **named)
    hit, level = (
        np.array([(one.arrival_s, one.tenant) for one in Traffic(plan, timeline).history(0.0, 20_000.0)])
        for timeline in (BURST, ())
    )
    for start_s, end_s, general, others in ((0, 4000, 1, 1), (4000, 13_000, 2.5, 1), (13_000, 20_000, 1, 1)):
        counts = [one[(one[:, 0] >= start_s) & (one[:, 0] < end_s)] for one in (hit, level)]
        is_general = [np.isin(one[:, 1], (1, 2)) for one in counts]
        assert is_general[0].sum() == pytest.approx(general * is_general[1].sum(), rel=0.2)
        assert (~is_general[0]).sum() == pytest.approx(others * (~is_general[1]).sum(), rel=0.2)


def test_a_burst_of_a_trace_repeats_rows_within_their_second(tmp_path: Path) -> None:
    plan = traffic_plan(arrivals_file=written(tmp_path, TRACE))
    timeline: Timeline = (Burst(at_s=1000.0, for_s=500.0, factor=2.0),)
    hit, level = (list(Traffic(plan, one).history(0.0, HOUR_S)) for one in (timeline, ()))
    twice = [request for request in level if 1000.0 <= request.arrival_s < 1500.0]
    assert len(hit) == len(level) + len(twice)
    times = {request.arrival_s for request in level}
    assert times <= {request.arrival_s for request in hit}
    again = [request for request in hit if request.arrival_s not in times]
    assert sorted(int(one.arrival_s) for one in again) == sorted(int(one.arrival_s) for one in twice)


def test_a_lull_of_a_trace_leaves_rows_out(tmp_path: Path) -> None:
    plan = traffic_plan(arrivals_file=written(tmp_path, TRACE))
    timeline: Timeline = (Burst(at_s=0.0, factor=0.25),)
    hit, level = (list(Traffic(plan, one).history(0.0, DAY_S)) for one in (timeline, ()))
    assert len(hit) == pytest.approx(0.25 * len(level), rel=0.05)
    assert {request.arrival_s for request in hit} < {request.arrival_s for request in level}


def test_growth_makes_the_second_week_busier() -> None:
    weeks = [
        sum(1 for _ in Traffic(traffic_plan(growth_per_week=1.3, noise=0.0, pulses_per_day=0.0)).history(*span))
        for span in ((0.0, WEEK_S), (WEEK_S, 2 * WEEK_S))
    ]
    assert weeks[1] == pytest.approx(1.3 * weeks[0], rel=0.01)


def test_numbers_tell_the_hour_and_leave_room_for_four_thousand_requests_a_second(week: list[Request]) -> None:
    assert all(request.number >> 24 == int(request.arrival_s // HOUR_S) for request in week)
    assert (1 << 24) / HOUR_S > 4000


def test_the_rise_starts_at_a_weekday_peak_and_ends_at_its_multiple() -> None:
    traffic, rise = Traffic(traffic_plan()), RisePlan(from_factor=1.0, to_factor=3.0, rise_s=600.0)
    peak = float(traffic.weekday_peak().sum())
    drawn = list(islice(traffic.rise(1000.0, rise), int(peak * 30_000)))
    arrivals = np.array([request.arrival_s for request in drawn]) - 1000.0
    assert arrivals[0] >= 0
    assert arrivals.tolist() == sorted(arrivals)
    assert np.sum(arrivals < 60) / 60 == pytest.approx(1.1 * peak, rel=0.4)
    assert np.sum((arrivals > 300) & (arrivals < 600)) / 300 == pytest.approx(2.5 * peak, rel=0.15)
    assert np.sum((arrivals > 900) & (arrivals < 8000)) / 7100 == pytest.approx(3.0 * peak, rel=0.05)


def test_the_rise_has_conversations_too() -> None:
    drawn = list(islice(Traffic(traffic_plan()).rise(0.0, RisePlan()), 5000))
    assert np.mean([request.prefix_tokens > 0 for request in drawn]) == pytest.approx(0.45, abs=0.03)


def test_bursts_leave_the_rise_alone_and_growth_lifts_it() -> None:
    burst: Timeline = (Burst(at_s=0.0, factor=5.0),)
    plain, hit = (told(islice(Traffic(traffic_plan(), one).rise(0.0, RisePlan()), 500)) for one in ((), burst))
    grown = Traffic(traffic_plan(growth_per_week=1.5))
    assert plain == hit
    assert grown.weekday_peak(2 * WEEK_S) == pytest.approx(2.25 * Traffic(traffic_plan()).weekday_peak())


def test_the_rise_shares_no_number_and_no_session_with_history() -> None:
    traffic = Traffic(traffic_plan())
    history, rise = list(traffic.history(0.0, DAY_S)), list(islice(traffic.rise(0.0, RisePlan()), 1000))
    assert not {request.number for request in history} & {request.number for request in rise}
    assert {request.session for request in history} & {request.session for request in rise} == {-1}


def test_a_trace_is_played_with_its_pairs_and_its_mean_rate(tmp_path: Path) -> None:
    path = written(tmp_path, TRACE)
    file = read_arrivals(path)
    pairs = list(zip(file.prompt.tolist(), file.generated.tolist(), strict=True))
    requests = list(Traffic(traffic_plan(arrivals_file=path)).history(0.0, DAY_S))
    assert len(requests) == pytest.approx(20_000, abs=1)
    played = [(request.prompt_tokens, request.natural_tokens) for request in requests]
    assert played == (pairs * (len(requests) // len(pairs) + 1))[: len(requests)]
    assert {(request.session, request.max_tokens) for request in requests} == {(-1, 0)}
    assert np.bincount([one.tenant for one in requests]) / 20_000 == pytest.approx([0.3, 0.4, 0.1, 0.2], abs=0.02)


def test_the_rise_after_a_trace_has_the_pairs_of_the_trace(tmp_path: Path) -> None:
    path = written(tmp_path, TRACE)
    file = read_arrivals(path)
    traffic = Traffic(traffic_plan(arrivals_file=path))
    drawn = list(islice(traffic.rise(0.0, RisePlan()), 500))
    assert {(one.prompt_tokens, one.natural_tokens) for one in drawn} <= set(
        zip(file.prompt.tolist(), file.generated.tolist(), strict=True)
    )
    assert traffic.weekday_peak().sum() == pytest.approx(20_000 / DAY_S * file.peak())


@pytest.mark.parametrize(("name", "rows"), [("code", 8_819), ("conv", 19_366)])
def test_one_loop_of_azures_trace_has_the_counts_and_totals_of_the_file(name: str, rows: int) -> None:
    path = str(real_file("azure-llm-2023", f"AzureLLMInferenceTrace_{name}.csv"))
    plan = traffic_plan(requests_per_day=float(rows), arrivals_file=path)
    wide = tuple(msgspec.structs.replace(model, context_window=20_000) for model in plan.models)
    requests = list(Traffic(msgspec.structs.replace(plan, models=wide)).history(0.0, DAY_S))
    totals = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2), dtype=np.int64).sum(axis=0)
    assert len(requests) == rows
    assert sum(request.prompt_tokens for request in requests) == totals[0]
    assert sum(min(request.natural_tokens, request.limit_tokens) for request in requests) == totals[1]


def test_a_course_is_followed_and_its_mean_met(tmp_path: Path) -> None:
    plan = traffic_plan(requests_per_day=100_000.0, rates_file=written(tmp_path, COURSE))
    arrivals = np.array([request.arrival_s for request in Traffic(plan).history(0.0, 30_000.0 * 4)])
    windows = np.bincount((arrivals % 30_000 // 600).astype(int))
    rates = np.array([5 + at % 7 for at in range(50)])
    assert len(arrivals) == pytest.approx(100_000 * 120_000 / DAY_S, rel=0.01)
    assert np.corrcoef(windows, rates)[0, 1] > 0.99


def test_a_bad_file_is_told_before_anything_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(TrafficFileError, match="the file is empty"):
        Traffic(traffic_plan(arrivals_file=written(tmp_path, "")))
    with pytest.raises(TrafficFileError, match="line 1: the header does not begin with t_s"):
        Traffic(traffic_plan(rates_file=written(tmp_path, TRACE)))


def test_two_traffic_files_at_once_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, TRACE)
    with pytest.raises(TrafficFileError, match="a file of arrivals is named already; name one of them"):
        Traffic(traffic_plan(arrivals_file=path, rates_file=path))


def test_the_origin_need_not_be_midnight() -> None:
    noon = msgspec.structs.replace(traffic_plan(noise=0.0, pulses_per_day=0.0), origin_ns=MONDAY_NS + 12 * 3600 * 10**9)
    counts = [sum(1 for _ in Traffic(noon).history(hour * HOUR_S, (hour + 1) * HOUR_S)) for hour in (2, 14)]
    assert counts[0] > 1.2 * counts[1]
