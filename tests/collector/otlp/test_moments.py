"""Events and links keep their order, their owners and their attributes."""

import json

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.factories.otlp import SECOND_NS, START_NS, attributes, request, row, rows, span

FIRST = "First Token Stream Event"


def event(name: str, at_ns: int = START_NS, facts: dict[str, object] | None = None) -> Span.Event:
    return Span.Event(name=name, time_unix_nano=at_ns, attributes=attributes(facts or {}))


def test_events_stay_in_order_and_with_their_span() -> None:
    found = rows(
        request(span(1, events=[event("b", 2), event("a", 1, {"n": 1})]), span(2), span(3, events=[event("c", 3)]))
    )
    assert [one["event_names"] for one in found] == [["b", "a"], [], ["c"]]
    assert [one["event_times_ns"] for one in found] == [[2, 1], [], [3]]
    assert [json.loads(text) for text in found[0]["event_attributes"]] == [{}, {"n": 1}]


def test_an_impossible_event_time_is_zero() -> None:
    assert row(span(events=[event("late", 2**64 - 1)]))["event_times_ns"] == [0]


def test_the_first_token_event_tells_when_the_caller_saw_a_token() -> None:
    tokens = [event("other"), event(FIRST, START_NS + SECOND_NS // 2), event(FIRST, START_NS + SECOND_NS)]
    assert row(span(events=tokens))["client_ttft_s"] == 0.5
    assert row(span(events=[event(FIRST, START_NS - 1)]))["client_ttft_s"] is None
    assert row(span(events=[event(FIRST, 0)]))["client_ttft_s"] is None
    assert row(span(start_time_unix_nano=0, events=tokens))["client_ttft_s"] is None


def test_of_an_exception_only_known_phrases_are_kept() -> None:
    facts: dict[str, object] = {"exception.type": "E", "exception.message": "Request timed out for my secret words"}
    failure = event("exception", facts=facts)
    (text,) = row(span(events=[failure]))["event_attributes"]
    found = json.loads(text)
    assert found["exception.type"] == "E"
    assert found["exception.phrases"] == "Request timed out"
    assert found["exception.message"].keys() == {"chars", "hash"}


def test_links_with_bad_ids_are_dropped_and_counted() -> None:
    good = Span.Link(trace_id=b"t" * 16, span_id=b"s" * 8, attributes=attributes({"n": 1}), trace_state="a=b", flags=1)
    bad = Span.Link(trace_id=b"t", span_id=b"s" * 8)
    first, second = rows(request(span(1, links=[bad, good], dropped_links_count=2), span(2, links=[good])))
    assert first["link_trace_ids"] == second["link_trace_ids"] == [b"t" * 16]
    assert first["link_span_ids"] == [b"s" * 8]
    assert (first["dropped_links"], first["quality"]) == (3, "bad_link")
    assert (second["dropped_links"], second["quality"]) == (0, "")
    assert json.loads(first["link_attributes"][0]) == {"n": 1, "w3c.trace_state": "a=b", "otel.flags": 1}


def test_what_an_event_dropped_is_told() -> None:
    dropped = event("e")
    dropped.dropped_attributes_count = 4
    assert json.loads(row(span(events=[dropped]))["event_attributes"][0]) == {"otel.dropped_attributes_count": 4}
