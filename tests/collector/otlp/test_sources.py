"""Every canonical value tells which attribute it came from."""

from tests.factories.otlp import request, row, rows, sources, span


def test_spans_with_different_winners_have_different_sources() -> None:
    first, second, third = rows(
        request(
            span(1, attributes={"gen_ai.request.model": "model-a", "gen_ai.usage.input_tokens": 1}),
            span(2, attributes={"llm.model_name": "model-b"}),
            span(3),
            resource={"service.name": "service"},
        )
    )
    assert sources(first) == {
        "service": "resource:service.name",
        "model_requested": "gen_ai.request.model",
        "input_tokens": "gen_ai.usage.input_tokens",
    }
    assert sources(second)["model_requested"] == "llm.model_name"
    assert sources(third) == {"service": "resource:service.name"}


def test_a_span_that_tells_nothing_has_no_sources() -> None:
    assert row(span())["sources"] == "{}"


def test_a_parameter_tells_its_key() -> None:
    found = row(span(attributes={"llm.invocation_parameters": '{"seed": 7}'}))
    assert (found["seed"], sources(found)["seed"]) == (7, "llm.invocation_parameters#seed")
