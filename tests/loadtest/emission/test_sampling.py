"""Consistent probability sampling as OpenTelemetry has it, and spans that get lost."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace._sampling_experimental import composable_traceid_ratio_based, composite_sampler
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace.span import TraceState

from loadtest.emission.identifiers import Identifiers
from loadtest.emission.sampling import is_lost, is_sampled, rejection_threshold, trace_state
from tests.factories.clusters import asking
from tests.factories.emissions import emission_plan

IDS = [Identifiers(emission_plan()).of_request(asking(number)) for number in range(4_000)]


@given(share=st.floats(0.001, 0.999), number=st.integers(0, len(IDS) - 1))
def test_the_sdk_decides_and_says_the_same(share: float, number: int) -> None:
    trace_id = IDS[number].trace_id
    sampler = composite_sampler(composable_traceid_ratio_based(share))
    result = sampler.should_sample(None, int.from_bytes(trace_id, "big"), "chat")
    is_recorded = result.decision is Decision.RECORD_AND_SAMPLE
    threshold = rejection_threshold(share)
    assert is_recorded is is_sampled(trace_id, threshold)
    if is_sampled(trace_id, threshold):
        told = TraceState.from_header([Span.FromString(trace_state(threshold)).trace_state])
        assert told == result.trace_state


@pytest.mark.parametrize(("share", "text"), [(0.5, "ot=th:8"), (0.25, "ot=th:c"), (1.0, "ot=th:0")])
def test_thresholds_are_written_without_their_last_zeros(share: float, text: str) -> None:
    assert Span.FromString(trace_state(rejection_threshold(share))).trace_state == text


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_that_is_asked_for_is_sampled_or_lost(share: float) -> None:
    threshold = rejection_threshold(share)
    sampled = sum(is_sampled(ids.trace_id, threshold) for ids in IDS)
    lost = sum(is_lost(ids.engine_span_id, share) for ids in IDS)
    assert sampled / len(IDS) == pytest.approx(share, abs=0.03)
    assert lost / len(IDS) == pytest.approx(share, abs=0.03)


def test_none_and_all() -> None:
    assert not any(is_sampled(ids.trace_id, rejection_threshold(0.0)) for ids in IDS)
    assert all(is_sampled(ids.trace_id, rejection_threshold(1.0)) for ids in IDS)
    assert not any(is_lost(ids.engine_span_id, 0.0) for ids in IDS)
    assert all(is_lost(ids.engine_span_id, 1.0) for ids in IDS)


def test_ids_that_arrive_do_not_tell_which_were_lost() -> None:
    kept = [ids.engine_span_id for ids in IDS if not is_lost(ids.engine_span_id, 0.3)]
    for byte in range(8):
        sixteenths = Counter(span_id[byte] >> 4 for span_id in kept)
        assert len(sixteenths) == 16
        assert all(count == pytest.approx(len(kept) / 16, rel=0.35) for count in sixteenths.values())


def test_what_a_smaller_share_keeps_a_larger_one_keeps_too() -> None:
    small, large = rejection_threshold(0.2), rejection_threshold(0.6)
    assert all(is_sampled(ids.trace_id, large) for ids in IDS if is_sampled(ids.trace_id, small))
