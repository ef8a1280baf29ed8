from typing import Any

import msgspec
import pytest
from starlette.datastructures import Headers

from loadtest.endpoint.desk import Desk, is_loopback
from loadtest.endpoint.injections import Injection, InjectionError
from loadtest.endpoint.options import EndpointOptions
from loadtest.endpoint.plans import default_plan
from loadtest.endpoint.refusals import Refusal
from loadtest.fleet.plan import TenantPlan
from loadtest.fleet.timeline import Behave

NEAR = {"client": ("127.0.0.1", 1)}
FAR = {"client": ("192.0.2.7", 1)}


def desk(**options: Any) -> Desk:
    return Desk(EndpointOptions(**({"plan": default_plan()} | options)))


def headers(**named: str) -> Headers:
    return Headers({name.replace("_", "-"): value for name, value in named.items()})


def test_without_a_key_nobody_is_asked() -> None:
    desk().check_key(headers())


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", "Basic right", "Bearer rightx"])
def test_a_wrong_key_is_401(given: str) -> None:
    with pytest.raises(Refusal) as caught:
        desk(api_key="right").check_key(headers(authorization=given))
    assert caught.value.status == 401


def test_the_right_key_opens() -> None:
    desk(api_key="right").check_key(headers(authorization="Bearer right"))


@pytest.mark.parametrize("key", ["schlüssel", "\udcff"])
def test_a_key_beyond_ascii_is_compared_byte_by_byte(key: str) -> None:
    sent = key.encode("utf-8", "surrogateescape").decode("latin-1")
    desk(api_key=key).check_key(headers(authorization=f"Bearer {sent}"))
    with pytest.raises(Refusal):
        desk(api_key=key).check_key(headers(authorization="Bearer right"))


def test_an_injection_for_a_model_that_is_not_served_is_refused() -> None:
    with pytest.raises(InjectionError, match="absent"):
        desk(injections=(Injection(kind="503", model="absent"),))


def test_the_header_goes_before_what_is_planted() -> None:
    one = desk(injections=(Injection(kind="503"),))
    asked = one.injection(headers(x_simulate="stall"), NEAR, "m")
    planted = one.injection(headers(), NEAR, "m")
    assert asked is not None
    assert planted is not None
    assert (asked.kind, planted.kind) == ("stall", "503")
    assert (one.injections.counts["stall"], one.injections.counts["503"]) == (1, 1)


def test_the_header_is_obeyed_for_this_machine_and_where_allowed_only() -> None:
    assert desk().injection(headers(x_simulate="stall"), FAR, "m") is None
    assert desk(allows_header=False).injection(headers(x_simulate="stall"), NEAR, "m") is None


def test_a_header_that_makes_no_sense_is_400() -> None:
    with pytest.raises(Refusal) as caught:
        desk().injection(headers(x_simulate="whatever"), NEAR, "m")
    assert caught.value.status == 400


def test_a_caller_may_name_its_tenant() -> None:
    plan = default_plan()
    other = TenantPlan(name="other", service_tier="core", share=0.0)
    one = desk(plan=msgspec.structs.replace(plan, tenants=(*plan.tenants, other)))
    asked = [headers(), headers(x_tenant="other"), headers(x_tenant="nobody")]
    assert [one.tenant(named) for named in asked] == [0, 1, 0]


def test_behaviours_from_the_start_are_in_force_and_checked() -> None:
    model = default_plan().models[0].name
    one = desk(behaviours=(Behave(at_s=0.0, model=model, replicas=(1,), speed=0.5),))
    assert [replica.behaviour.speed for replica in one.room.simulation.pools[0].replicas] == [1.0, 0.5]
    with pytest.raises(InjectionError):
        desk(behaviours=(Behave(at_s=0.0, model=model, replicas=(9,), speed=0.5),))


def test_only_this_machine_is_loopback() -> None:
    assert is_loopback(NEAR)
    assert not is_loopback(FAR)
    assert not is_loopback({"client": ("testclient", 1)})
    assert not is_loopback({"client": None})
