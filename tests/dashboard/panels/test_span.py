from dashboard.panels.span import as_text, span_panel
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
    assert "gen_ai.request.model m model_requested" in shown
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
