"""The shipped scenarios load, and whoever writes a scenario is told what is wrong with it."""

from itertools import pairwise
from pathlib import Path

import pytest

from loadtest.fleet.request import Request
from loadtest.fleet.simulation import Simulation
from loadtest.fleet.timeline import Behave, Deploy
from loadtest.scenarios.catalogue import FLEETS, PLAYS, Overrides, fleet, fleet_names, fleet_plan, load, names
from loadtest.scenarios.document import ScenarioError
from tests.factories.fleets import MONDAY_NS

HEAD = "name: mine\ntitle: Mine\ntitle_zh: 我的\nsummary: A try.\ndays: 1\n"


def nothing(_: Request) -> None:
    """What ended is not asked for."""


def test_every_file_is_listed_and_every_listed_one_has_its_file() -> None:
    assert sorted(names()) == sorted(path.stem for path in PLAYS.glob("*.yaml"))
    assert set(fleet_names()) == {"standard", "large", "small"}


@pytest.mark.parametrize("name", names())
def test_a_shipped_scenario_is_named_as_its_file_and_says_what_to_expect(name: str) -> None:
    scenario = load(name)
    assert scenario.name == name
    assert scenario.title_zh
    assert len(scenario.expect) >= 2
    assert all(one.at_s < scenario.days * 86_400 for one in scenario.timeline)
    assert all(one.at_s < scenario.live_s for one in scenario.live)
    assert all(first.at_s <= second.at_s for first, second in pairwise(scenario.timeline))
    assert 60 <= scenario.live_s <= 180


@pytest.mark.parametrize("name", names())
def test_a_shipped_scenario_speaks_of_what_its_fleet_has(name: str) -> None:
    scenario = load(name)
    Simulation(fleet_plan(scenario, 1, MONDAY_NS), nothing, (*scenario.timeline, *scenario.live))


def test_everything_has_every_kind_of_happening() -> None:
    kinds = {one.__struct_config__.tag for one in load("everything").timeline}
    assert len(kinds) == 15
    assert {one.mode for one in load("everything").timeline if isinstance(one, Deploy)} == {
        "rolling",
        "in_place",
        "canary",
    }


def test_a_week_of_the_large_fleet_has_at_most_a_million_requests() -> None:
    scenario = load("everything")
    assert sum(model.replicas for model in scenario.template.models) == 32
    assert scenario.days * scenario.template.traffic.requests_per_day < 1_000_000


def test_growth_is_a_small_fleet_over_seventy_days() -> None:
    scenario = load("growth")
    assert (scenario.days, [model.replicas for model in scenario.template.models]) == (70, [4])


def test_a_run_has_its_seed_origin_and_traffic() -> None:
    scenario = load("quiet")
    plan = fleet_plan(scenario, 7, MONDAY_NS, Overrides(requests_per_day=123.0, rates_file="rates.csv"))
    assert (plan.seed, plan.origin_ns) == (7, MONDAY_NS)
    assert (plan.traffic.requests_per_day, plan.traffic.rates_file) == (123.0, "rates.csv")
    assert plan.traffic.pulses_per_day == scenario.template.traffic.pulses_per_day


def test_a_scenario_and_a_fleet_of_ones_own_are_files(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        HEAD + "fleet: few.yaml\ntimeline:\n  - {kind: behave, model: meridian-70b-instruct, at_s: 2h, for_s: 1h, "
        "speed: 0}\n"
    )
    (tmp_path / "few.yaml").write_text((FLEETS / "small.yaml").read_text())
    scenario = load(tmp_path / "mine.yaml")
    assert scenario.timeline == (Behave(at_s=7200, for_s=3600, model="meridian-70b-instruct", speed=0),)
    assert scenario.template.models[0].replicas == 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fleet: huge\n", r"mine.yaml:1: fleet: there is no fleet 'huge'; there are large, small, standard"),
        ("timeline:\n  - {kind: explode, at_s: 5}\n", r"mine.yaml:7: timeline\[0\].kind: 'explode' is none of"),
        ("timeline:\n  - {at_s: 5}\n", r"mine.yaml:7: timeline\[0\]: 'kind' is missing"),
        ("timeline: {kind: burst}\n", "mine.yaml:6: timeline: a list is wanted here"),
        ("timeline:\n  - {kind: burst, at_s: noon, factor: 2}\n", r"mine.yaml:7: timeline\[0\].at_s: 'noon' is no"),
        ("timeline:\n  - {kind: burst, at_s: 5, factor: 0}\n", r"timeline\[0\].factor: the number must be > 0.0"),
        ("timeline:\n  - {kind: train, at_s: 5, model: x, mode: steal}\n", r"mode: 'steal' is none of the words"),
        ("change: {models: [{name: gpt, replicas: 2}]}\n", r"mine.yaml:6: models: there is no 'gpt' to change"),
        ("change:\n  gateway: {fds: 5}\n", r"mine.yaml:7: gateway: unknown key 'fds'"),
        ("change: {seed: 5}\n", "mine.yaml:6: seed: belongs to a run; it is an option of the command"),
        ("change: {models: [{name: meridian-r-32b, share: 0.5}]}\n", "models: their shares add up to 1.22, not to 1"),
        ("colour: red\n", "mine.yaml:6: unknown key 'colour'"),
    ],
)
def test_each_mistake_is_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(HEAD + text)
    with pytest.raises(ScenarioError, match=reason) as raised:
        load(path)
    assert "\n" not in str(raised.value)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ScenarioError, match="there is no scenario 'noon'; there are quiet, peak, bad-replica"):
        load("noon")


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("live:\n  - {kind: behave, model: nobody, at_s: 5}\n", r":7: live\[0\]: model 'nobody' does not exist"),
        ("timeline:\n  - {kind: slow_link, rack: 99, at_s: 5, factor: 2}\n", r":7: timeline\[0\]: rack 99 does not"),
        ("live:\n" + "  - {kind: sample, at_s: 5, share: 0.5}\n" * 64, r":1: timeline and live have 64 entries"),
        ("change: {traffic: {requests_per_day: 1e12}}\n", ":1: 1,000,000,000,000 requests a day"),
    ],
)
def test_what_cannot_be_played_is_told_when_the_file_is_read(tmp_path: Path, rest: str, reason: str) -> None:
    (tmp_path / "mine.yaml").write_text(HEAD + rest, encoding="utf-8")
    with pytest.raises(ScenarioError, match=rf"mine\.yaml{reason}"):
        load(tmp_path / "mine.yaml")


def test_live_happenings_may_speak_of_replicas_that_scaling_adds(tmp_path: Path) -> None:
    model = "meridian-70b-instruct"
    live = f"live:\n  - {{kind: scale, model: {model}, to: 9, at_s: 1}}\n"
    live += f"  - {{kind: behave, model: {model}, replicas: [8], at_s: 9, speed: 0.5}}\n"
    (tmp_path / "mine.yaml").write_text(HEAD + live, encoding="utf-8")
    assert len(load(tmp_path / "mine.yaml").live) == 2


def test_more_requests_a_day_than_can_be_played_are_refused_in_a_run_too() -> None:
    with pytest.raises(ScenarioError, match=r"^quiet: 5,000,000,000 requests a day"):
        fleet_plan(load("quiet"), 1, MONDAY_NS, Overrides(requests_per_day=5e9))


@pytest.mark.parametrize("name", fleet_names())
def test_a_shipped_fleet_gets_the_seed_and_the_origin_of_its_run(name: str) -> None:
    plan = fleet(name, 5, 9)
    assert (plan.seed, plan.origin_ns) == (5, 9)


def test_a_fleet_of_ones_own_is_read_as_strictly_as_a_shipped_one(tmp_path: Path) -> None:
    file, text = tmp_path / "mine.yaml", (FLEETS / "small.yaml").read_text()
    file.write_text(text)
    assert fleet(str(file), 0, 0) == fleet("small", 0, 0)
    for wrong in ("wrong: 1\n", text + "seed: 3\n", text.replace("    share: 1.0\n", "    share: 0.5\n", 1)):
        file.write_text(wrong)
        with pytest.raises(ScenarioError, match=r"mine\.yaml"):
            fleet(str(file), 0, 0)


def test_a_fleet_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(ScenarioError, match="standard"):
        fleet("absent", 0, 0)
    with pytest.raises(ScenarioError, match=r"absent\.yaml"):
        fleet("absent.yaml", 0, 0)
