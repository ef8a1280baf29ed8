"""What a happening touched, by the names that telemetry uses."""

from typing import Any

from loadtest.emission.sources import gateway_resource
from loadtest.fleet.plan import Version
from loadtest.fleet.timeline import Deploy, FailDependency, LeakDescriptors, Scale, SlowLink, Timeline, Train
from loadtest.scenarios.truth import TruthRecorder
from loadtest.scenarios.truth_touched import instant
from tests.factories.fleets import fleet_plan
from tests.factories.plays import stretch


def test_instants_are_absolute_with_milliseconds() -> None:
    assert instant(fleet_plan(), 0) == "2025-11-24T00:00:00.000Z"
    assert instant(fleet_plan(), 86_400 + 0.25) == "2025-11-25T00:00:00.250Z"


def entries(timeline: Timeline, seconds: float = 1800.0) -> list[dict[str, Any]]:
    one = stretch("everything", 0.0, 1.0)
    truth = TruthRecorder(one.play.plan, timeline)
    play = type(one.play)(_with(one.play.scenario, timeline), one.play.plan, truth)
    list(play.history(seconds, 1_000_000))
    found: list[dict[str, Any]] = truth.document()["timeline"]
    return found


def _with(scenario: Any, timeline: Timeline) -> Any:
    return type(scenario)(
        **{name: getattr(scenario, name) for name in scenario.__struct_fields__} | {"timeline": timeline}
    )


def test_pods_are_those_whose_requests_were_touched_a_new_one_after_a_restart() -> None:
    model = "meridian-r-32b"
    (train,) = entries((Train(at_s=300, for_s=300, model=model, replicas=(1, 3)),))
    assert len(train["pods"]) == 2
    assert all(pod.startswith(model) for pod in train["pods"])
    (scale,) = entries((Scale(at_s=60, model=model, to=14),))
    assert len(scale["pods"]) == 2


def test_racks_gateways_and_dependencies_are_named() -> None:
    slow, leak, failing = entries(
        (
            SlowLink(at_s=60, for_s=1200, rack=1, factor=9),
            LeakDescriptors(at_s=60, gateway=2, per_s=0.1),
            FailDependency(at_s=120, for_s=60, dependency="session-cache"),
        )
    )
    assert (slow["racks"], len(slow["pods"])) == (["rack-2"], 4)
    assert leak["gateways"] == [gateway_resource(fleet_plan(), 2)["k8s.pod.name"]]
    assert failing["dependencies"] == ["session-cache"]
    assert (failing["from"], failing["until"]) == ("2025-11-24T00:02:00.000Z", "2025-11-24T00:03:00.000Z")
    assert (leak["until"], leak["what"]) == (None, {"gateway": 2, "per_s": 0.1})
    assert all(one["requests"] > 0 for one in (slow, leak))


def test_instants_beyond_the_calendar_are_its_last() -> None:
    assert instant(fleet_plan(), 1e12) == "9999-12-31T23:59:59.999Z"


def test_a_pod_that_was_upgraded_in_place_is_named_once() -> None:
    model, other = "meridian-r-32b", Version(revision="2026-12-01", quantization="awq")
    (deploy,) = entries((Deploy(at_s=300, model=model, replicas=(1,), mode="in_place", version=other),))
    assert len(deploy["pods"]) == 1
