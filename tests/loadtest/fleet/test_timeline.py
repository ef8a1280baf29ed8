"""Happenings read from a document say their kind, and know when they end."""

import math
from typing import Any

import msgspec
import pytest

from loadtest.fleet.timeline import Behave, Burst, Happening, Timeline

_OF_EVERY_KIND: list[dict[str, Any]] = [
    {"kind": "behave", "model": "m", "speed": 0.0},
    {"kind": "shrink_cache", "model": "m", "share": 0.5},
    {"kind": "spread", "model": "m", "cards": 128},
    {"kind": "slow_link", "rack": 0, "factor": 5},
    {"kind": "train", "model": "m", "mode": "evict"},
    {"kind": "deploy", "model": "m", "version": {"revision": "r"}, "mode": "in_place"},
    {"kind": "scale", "model": "m", "to": 3},
    {"kind": "leak_descriptors", "gateway": 0, "per_s": 1},
    {"kind": "limit_rate", "limit": {"requests_per_s": 1, "burst": 2}},
    {"kind": "change_clients", "retries": {"share": 1.0, "attempts_max": 5}},
    {"kind": "fail_dependency", "dependency": "cache"},
    {"kind": "burst", "factor": 3},
    {"kind": "lose_spans", "share": 0.1},
    {"kind": "skew_clock", "model": "m", "skew_ms": -40},
    {"kind": "sample", "share": 0.25},
]


def test_every_kind_can_be_read_and_says_its_kind() -> None:
    timeline = msgspec.convert([{"at_s": 5, **happening} for happening in _OF_EVERY_KIND], Timeline)
    assert [msgspec.to_builtins(happening)["kind"] for happening in timeline] == [h["kind"] for h in _OF_EVERY_KIND]
    assert all(isinstance(happening, Happening) for happening in timeline)


def test_it_ends_after_its_time_or_never() -> None:
    assert Burst(at_s=10, for_s=5, factor=2).until_s == 15
    assert Burst(at_s=10, factor=2).until_s == math.inf


def test_what_a_behaviour_does_not_name_stays() -> None:
    assert Behave(at_s=0, model="m", speed=0.5).error_probability is None


@pytest.mark.parametrize(
    "happening",
    [
        {"kind": "explode", "at_s": 1},
        {"kind": "burst", "at_s": 1, "factor": 0},
        {"kind": "burst", "at_s": 1, "for_s": 0, "factor": 2},
        {"kind": "burst", "factor": 2},
        {"kind": "deploy", "at_s": 1, "model": "m", "version": {"revision": "r"}, "mode": "sideways"},
        {"kind": "lose_spans", "at_s": 1, "share": 2},
        {"kind": "burst", "at_s": -1, "factor": 2},
        {"kind": "burst", "at_s": math.nan, "factor": 2},
        {"kind": "burst", "at_s": math.inf, "factor": 2},
        {"kind": "burst", "at_s": 1, "for_s": math.inf, "factor": 2},
        {"kind": "behave", "at_s": 1, "model": "m", "speed": -1},
        {"kind": "train", "at_s": 1, "model": "m", "speed": 3},
        {"kind": "train", "at_s": 1, "model": "m", "speed": 0},
        {"kind": "leak_descriptors", "at_s": 1, "gateway": 0, "per_s": math.inf},
        {"kind": "behave", "at_s": 1, "model": "m", "temperature": 0.5},
    ],
)
def test_nonsense_is_refused(happening: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert([happening], Timeline)
