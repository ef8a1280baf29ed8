import re
from pathlib import Path

import pytest

from loadtest.endpoint.injections import (
    KINDS,
    Injection,
    InjectionError,
    Injections,
    injection_from,
    injection_from_text,
)


def test_text_names_kind_share_and_options() -> None:
    assert injection_from_text("stall:0.05:seconds=8, after=20") == Injection(
        kind="stall", share=0.05, seconds=8.0, after=20
    )
    assert injection_from_text("429") == Injection(kind="429", share=1.0)
    assert injection_from_text("503::retry_after=4,times=2") == Injection(kind="503", retry_after=4, times=2)


@pytest.mark.parametrize("text", ["", "418", "429:2", "429:x", "429:1:seconds", "429:1:wrong=1", "stall:1:seconds=-1"])
def test_what_makes_no_sense_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(InjectionError):
        injection_from_text(text)


def test_the_sentence_names_what_there_is() -> None:
    with pytest.raises(InjectionError) as told:
        injection_from_text("bad:2")
    assert str(told.value) == f"there is no kind 'bad'; kinds are {', '.join(KINDS)}, and behave for replicas"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("429:2", "share cannot be '2'; it is a number from 0 to 1"),
        ("stall:1:how=loud", "how cannot be 'loud'; it is event or broken"),
        ("behave:0:speed=1", "behave changes replicas, not a request; it is for --inject and /simulate/faults"),
    ],
)
def test_a_wrong_value_is_told_with_what_it_may_be(text: str, sentence: str) -> None:
    with pytest.raises(InjectionError, match=f"^{re.escape(sentence)}$"):
        injection_from_text(text)


def test_an_unknown_option_is_told_with_all_options() -> None:
    options = ", ".join(Injection.__struct_fields__[1:])
    with pytest.raises(InjectionError, match=f"^'wrong' is no option; options are {options}$"):
        injection_from_text("429:1:wrong=1")


def test_a_fault_without_a_kind_says_so() -> None:
    with pytest.raises(InjectionError, match=r"^no kind is named; kinds are 429"):
        injection_from({"share": 1})


def test_a_share_is_met_by_that_part_of_the_requests_and_the_seed_decides_which() -> None:
    def met(seed: int) -> list[bool]:
        injections = Injections(seed)
        injections.plant(Injection(kind="503", share=0.3))
        return [injections.next_for("m") is not None for _ in range(2000)]

    assert met(1) == met(1) != met(2)
    assert 0.26 < sum(met(1)) / 2000 < 0.34


def test_times_limits_the_hits_and_a_model_narrows_them() -> None:
    injections = Injections(0)
    planted = injections.plant(Injection(kind="429", times=2, model="m"))
    assert [injections.next_for(model) is not None for model in ("n", "m", "m", "m")] == [False, True, True, False]
    assert (planted.seen, planted.hits, injections.counts["429"]) == (3, 2, 2)


def test_a_request_meets_one_injection_at_most_and_only_that_is_counted() -> None:
    injections = Injections(0)
    first, second = injections.plant(Injection(kind="stall")), injections.plant(Injection(kind="503"))
    struck = injections.next_for("m")
    assert struck is not None
    assert struck.kind == "stall"
    assert (first.hits, second.hits) == (1, 0)
    assert sum(injections.counts.values()) == 1


def test_statuses_are_those_of_their_names() -> None:
    assert [Injection(kind=kind).status for kind in ("429", "503", "504", "529")] == [429, 503, 504, 529]
    assert Injection(kind="timeout").status is None
    assert len(KINDS) == 10


def test_it_strikes_after_a_third_of_the_answer_unless_told() -> None:
    assert Injection(kind="stall").place(90) == 30
    assert Injection(kind="stall", after=10).place(90) == 10
    assert Injection(kind="stall", after=100).place(90) == 90


def test_every_kind_and_every_option_is_documented() -> None:
    told = set(re.findall(r"`([a-z0-9_]+)`", (Path(__file__).parents[3] / "docs" / "endpoint.md").read_text()))
    assert {*KINDS, *Injection.__struct_fields__} - {"kind", "share", "how"} <= told
