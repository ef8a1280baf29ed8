from analyzer.questions.requests import one_trace
from analyzer.questions.span_records import span_records
from store.telemetry.open import Telemetry
from tests.factories.stores import new_id, span, spans

TRACE, PARENT, OTHER = new_id(16), new_id(8), new_id(8)
FULL = span(
    trace_id=TRACE,
    parent_span_id=PARENT,
    name="llm_request",
    attr_text=[("gen_ai.request.model", "m")],
    attr_int=[("gen_ai.usage.input_tokens", 12)],
    attr_double=[("temperature", 0.5)],
    attr_json=[("stop", '["a",{"b":null}]'), ("flag", "true"), ("torn", "{no json")],
    resource='{"service.name":"chat","nested":{"a":[1,2]}}',
    sources='{"input_tokens":"gen_ai.usage.input_tokens"}',
    scope="{}",
    quality="clock_skew,no_end",
    event_times_ns=[1_760_000_000_000_000_001],
    event_names=["first_token"],
    event_attributes=['{"index":0}'],
    link_trace_ids=[TRACE],
    link_span_ids=[OTHER],
    link_attributes=[""],
    input_tokens=12,
    stream=False,
    temperature=0.0,
)


def test_a_span_reads_as_people_do() -> None:
    (found,) = span_records(spans(FULL))
    assert found.parent_span_id == PARENT.hex()
    assert found.attributes == {
        "flag": True,
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 12,
        "stop": ["a", {"b": None}],
        "temperature": 0.5,
        "torn": "{no json",
    }
    assert found.resource == {"service.name": "chat", "nested": {"a": [1, 2]}}
    assert found.sources == {"input_tokens": "gen_ai.usage.input_tokens"}
    assert found.events == [{"time_ns": 1_760_000_000_000_000_001, "name": "first_token", "attributes": {"index": 0}}]
    assert found.links == [{"trace_id": TRACE.hex(), "span_id": OTHER.hex(), "attributes": {}}]
    assert found.quality == ["clock_skew", "no_end"]


def test_false_and_zero_are_known_and_absent_fields_are_absent() -> None:
    (found,) = span_records(spans(FULL))
    assert found.fields == {"input_tokens": 12, "stream": False, "temperature": 0.0}


def test_a_root_has_no_parent_and_a_bare_span_no_attributes() -> None:
    (found,) = span_records(spans(span(end_ns=None)))
    assert (found.parent_span_id, found.end_ns) == ("", None)
    assert (found.attributes, found.events, found.links, found.resource, found.sources) == ({}, [], [], {}, {})


def test_what_the_store_gives_back_reads_the_same(telemetry: Telemetry) -> None:
    telemetry.writer.append_spans(spans(FULL))
    found = one_trace(telemetry.reader, TRACE.hex())
    assert found is not None
    assert list(found.spans) == span_records(spans(FULL))
