"""Ids, times, status and kind are checked before anything else is believed."""

import pytest

from collector.otlp.decode import decode_traces
from collector.otlp.envelope import INT64_MAX, open_envelope, span_kinds, statuses, times
from tests.factories.otlp import SECOND_NS, START_NS, request, row, span


@pytest.mark.parametrize(
    ("start", "end", "flags"),
    [
        (START_NS, START_NS + 1, ""),
        (START_NS, START_NS, ""),
        (0, START_NS, "no_start"),
        (START_NS, 0, "no_end"),
        (0, 0, "no_start,no_end"),
        (START_NS, START_NS - 1, "end_before_start"),
        (2**63, 2**63 + 1, "no_start,time_overflow"),
        (START_NS, 2**64 - 1, "time_overflow"),
    ],
)
def test_impossible_times_are_unknown_and_flagged(start: int, end: int, flags: str) -> None:
    found = row(span(start_time_unix_nano=start, end_time_unix_nano=end))
    assert found["quality"] == flags
    assert found["start_ns"] == (start if start <= int(INT64_MAX) else 0)
    assert found["end_ns"] == (end if flags in {"", "no_start"} else None)


def test_a_duration_is_never_negative() -> None:
    found = row(span(end_time_unix_nano=START_NS - SECOND_NS))
    assert found["end_ns"] is None


@pytest.mark.parametrize(
    ("parent", "stored", "flags"),
    [
        (b"", bytes(8), ""),
        (bytes(8), bytes(8), ""),
        (b"parentid", b"parentid", ""),
        (b"odd", bytes(8), "bad_parent"),
        (b"far too long", bytes(8), "bad_parent"),
    ],
)
def test_a_parent_of_the_wrong_length_is_none(parent: bytes, stored: bytes, flags: str) -> None:
    found = row(span(parent_span_id=parent))
    assert (found["parent_span_id"], found["quality"]) == (stored, flags)


def test_ids_of_many_lengths_stay_with_their_spans() -> None:
    ids = [b"a" * 16, b"", b"b" * 16, b"c" * 15, bytes(16), b"d" * 16]
    batch = decode_traces(request(*(span(n, trace_id=i) for n, i in enumerate(ids, 1))).SerializeToString())
    envelope = open_envelope(batch)
    assert envelope.ids["trace_id"].to_pylist() == [b"a" * 16, b"b" * 16, b"d" * 16]
    assert [one[-1] for one in envelope.ids["span_id"].to_pylist()] == [1, 3, 6]
    assert dict(envelope.rejected[0]) == {"invalid_trace_id": 3}


def test_spans_know_their_scope_and_resource() -> None:
    message = request(span(1), span(2), scope="one")
    message.MergeFrom(request(scope="without spans"))
    message.MergeFrom(request(span(3), scope="two"))
    envelope = open_envelope(decode_traces(message.SerializeToString()))
    assert envelope.scope_of.tolist() == [0, 0, 2]
    assert envelope.resource_of.tolist() == [0, 0, 2]


def test_unknown_enum_values_count_as_unspecified() -> None:
    odd = span(1, kind=1)
    odd.kind = 99  # type: ignore[assignment]
    odd.status.code = 9  # type: ignore[assignment]
    envelope = open_envelope(decode_traces(request(odd, span(2, kind=0), span(3, kind=5)).SerializeToString()))
    assert span_kinds(envelope.spans).tolist() == [1, 1, 5]
    codes, messages = statuses(envelope.spans)
    assert codes.tolist() == [0, 0, 0]
    assert messages.to_pylist() == ["", "", ""]


def test_flags_are_added_to_what_is_known() -> None:
    envelope = open_envelope(decode_traces(request(span(1, end_time_unix_nano=0)).SerializeToString()))
    times(envelope.spans, envelope.bits)
    assert envelope.bits.tolist() == [2]
