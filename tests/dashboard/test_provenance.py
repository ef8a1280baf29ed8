from dashboard.provenance import Source, source_of
from tests.dashboard.spans import span
from vocabulary.fields import BY_NAME


def test_the_preferred_hop_that_knows_the_value_is_named() -> None:
    gateway = span("g", hop_role="gateway", fields={"input_tokens": 7, "tenant": "a"}, sources={"tenant": "team"})
    engine = span(
        "e", hop_role="engine", fields={"input_tokens": 9}, sources={"input_tokens": "gen_ai.usage.input_tokens"}
    )
    assert source_of(BY_NAME["input_tokens"], 9, [gateway, engine]) == Source("gen_ai.usage.input_tokens", "engine")
    assert source_of(BY_NAME["tenant"], "a", [engine, gateway]) == Source("team", "gateway")


def test_a_value_that_no_span_tells_has_no_source() -> None:
    assert source_of(BY_NAME["tenant"], "b", [span("g", hop_role="gateway", fields={"tenant": "a"})]) is None
    assert source_of(BY_NAME["tenant"], "b", []) is None


def test_a_sum_over_attempts_names_the_first_hop_that_counts() -> None:
    attempts = [
        span(name, hop_role="engine", fields={"output_tokens": 5}, sources={"output_tokens": "o"}) for name in "ab"
    ]
    assert source_of(BY_NAME["output_tokens"], 10, attempts) == Source("o", "engine")
