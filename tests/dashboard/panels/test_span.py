from dashboard.panels.span import as_text, raw_attributes, span_panel
from tests.dashboard.looking import view_of, words
from tests.dashboard.spans import START_NS, span
from vocabulary.pools import SECOND_NS

VIEW = view_of("/")


def test_a_span_is_shown_whole() -> None:
    whole = span(
        *("abc", "up"),
        kind=2,
        status_code=2,
        status_message="boom",
        hop_role="engine",
        emitter="vllm",
        scope_name="s",
        scope_version="1",
        quality=["clock_skew"],
        resource={"service.name": "chat"},
        attributes={"gen_ai.request.model": "m", "stop": ["a"]},
        sources={"model_requested": "gen_ai.request.model"},
        events=[{"time_ns": START_NS + SECOND_NS // 2, "name": "first token", "attributes": {"n": 1}}],
        links=[{"trace_id": "t1", "span_id": "s1", "attributes": {}}],
    )
    shown = words(span_panel(VIEW, whole))
    for wanted in (
        "engine",
        "error",
        "clock_skew",
        "boom",
        "server",
        "vllm",
        "s 1",
        "chat",
        "500 ms first token",
        "t1 s1",
    ):
        assert wanted in shown
    assert "gen_ai.request.model m → model_requested" in shown
    assert 'stop ["a"]' in shown


def test_an_end_that_was_never_told_is_unknown_and_a_root_has_no_parent() -> None:
    shown = words(span_panel(VIEW, span("abc", length_s=None)))
    assert "Duration unknown" in shown
    assert "none: a root" in shown


def test_values_are_written_as_an_emitter_would() -> None:
    values: list[object] = ["x", 1, True, {"a": "é"}, [], {}]
    assert [as_text(value) for value in values] == [
        "x",
        "1",
        "true",
        '{"a": "é"}',
        "–",
        "–",
    ]


def test_an_attribute_that_became_a_field_is_still_shown_under_its_own_name() -> None:
    told = span(
        "abc",
        fields={"output_tokens": 42, "replica": "r1", "stream": True},
        sources={
            "output_tokens": "gen_ai.usage.completion_tokens",
            "replica": "service.instance.id",
            "stream": "present time_to_first_chunk",
        },
        resource={"service.instance.id": "r1"},
        attributes={"own.key": "v"},
    )
    assert raw_attributes(told) == {"gen_ai.usage.completion_tokens": 42, "own.key": "v"}
    shown = words(span_panel(VIEW, told))
    assert "gen_ai.usage.completion_tokens 42 → output_tokens" in shown
    assert "as their canonical field holds them" in shown
    assert "规范字段的取值" in words(span_panel(view_of("/?lang=zh"), told))
