import pytest

from loadtest.endpoint.behaviours import Behaviours, behave_from, behave_from_text
from loadtest.endpoint.clock import Clock
from loadtest.endpoint.engine_room import EngineRoom
from loadtest.endpoint.injections import InjectionError
from loadtest.endpoint.plans import DEFAULT_MODEL, default_plan


def behaviours() -> Behaviours:
    return Behaviours(EngineRoom(default_plan(replicas=3), Clock()))


def speeds(one: Behaviours) -> list[float]:
    return [replica.behaviour.speed for replica in one.room.simulation.pools[0].replicas]


def test_text_names_replicas_and_changes() -> None:
    behave = behave_from_text("behave:0+2:speed=0.25", DEFAULT_MODEL)
    one = behaviours()
    shown = one.plant(7, behave)
    assert speeds(one) == [0.25, 1.0, 0.25]
    assert shown == {
        "id": 7,
        "kind": "behave",
        "model": DEFAULT_MODEL,
        "replicas": [0, 2],
        "for_s": None,
        "speed": 0.25,
    }


def test_all_names_every_replica_and_removing_restores() -> None:
    one = behaviours()
    one.plant(1, behave_from_text("behave:all:speed=0", DEFAULT_MODEL))
    assert speeds(one) == [0.0, 0.0, 0.0]
    assert one.remove(1)
    assert speeds(one) == [1.0, 1.0, 1.0]
    assert not one.remove(1)


@pytest.mark.parametrize("text", ["behave:7:speed=0", "behave:0", "behave:0:speed=0,model=other", "behave:-1:speed=0"])
def test_what_the_fleet_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(InjectionError):
        behaviours().plant(1, behave_from_text(text, DEFAULT_MODEL))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("speed", value) for value in ("nan", "inf", -1.0, 1e308)],
        *[("output_factor", value) for value in ("inf", 1e308)],
        *[("for_s", value) for value in ("inf", 1e300)],
    ],
)
def test_a_number_that_the_simulation_cannot_follow_is_refused(name: str, value: object) -> None:
    with pytest.raises(InjectionError, match=name):
        behave_from({"model": DEFAULT_MODEL, "speed": 1.0, name: value})


def test_an_option_has_no_end() -> None:
    with pytest.raises(InjectionError, match="for_s"):
        behave_from_text("behave:0:speed=0.5,for_s=10", DEFAULT_MODEL)


def test_a_wrong_field_is_refused() -> None:
    with pytest.raises(InjectionError, match=r"^behave: 'colour' is no option; options are model, replicas, speed"):
        behave_from({"model": "m", "colour": "red"})
    with pytest.raises(InjectionError, match=r"^behave: speed cannot be 'fast'$"):
        behave_from({"model": "m", "speed": "fast"})
