"""First present and valid source wins, for every type that a value may come in."""

import pytest

from collector.otlp.alias_tables import alias_tables
from collector.otlp.resolve import plan
from tests.factories.otlp import request, row, rows, sources, span


@pytest.mark.parametrize("raw", [17, 17.0, "17", " 17.0 "])
def test_numbers_may_come_in_any_type(raw: object) -> None:
    found = row(span(attributes={"gen_ai.usage.input_tokens": raw}))
    assert (found["input_tokens"], found["quality"]) == (17, "")


@pytest.mark.parametrize("raw", [17.5, "many", -1, True, float("nan"), float("inf"), [17], b"17", 1e300])
def test_what_is_no_number_of_tokens_stays_in_the_map_and_is_flagged(raw: object) -> None:
    found = row(span(attributes={"gen_ai.usage.input_tokens": raw}))
    assert (found["input_tokens"], found["quality"]) == (None, "bad_value")
    kept = [name for name in ("attr_text", "attr_int", "attr_double", "attr_json") if found[name]]
    assert len(kept) == 1
    assert "input_tokens" not in sources(found)


def test_an_invalid_source_gives_way_to_the_next() -> None:
    found = row(span(attributes={"gen_ai.usage.input_tokens": "many", "gen_ai.usage.prompt_tokens": 9}))
    assert (found["input_tokens"], found["quality"]) == (9, "bad_value")
    assert sources(found)["input_tokens"] == "gen_ai.usage.prompt_tokens"


def test_one_body_may_mix_types_of_one_attribute() -> None:
    raw: list[object] = [1, "2", 3.0, None, "x", 2**62]
    found = rows(request(*(span(n, attributes={"gen_ai.usage.input_tokens": item}) for n, item in enumerate(raw, 1))))
    assert [one["input_tokens"] for one in found] == [1, 2, 3, None, None, 2**62]


@pytest.mark.parametrize("blank", ["", "None", None])
def test_blank_texts_are_no_values(blank: object) -> None:
    found = row(span(attributes={"gen_ai.request.model": blank, "llm.model_name": "real"}))
    assert found["model_requested"] == "real"


def test_texts_of_many_lengths_find_their_spans() -> None:
    names = ["m", "a-model", "x" * 300, "None", "another-model"]
    found = rows(request(*(span(n, attributes={"gen_ai.request.model": name}) for n, name in enumerate(names, 1))))
    assert [one["model_requested"] for one in found] == ["m", "a-model", "x" * 256, "", "another-model"]


def test_zero_is_a_value() -> None:
    found = row(span(attributes={"gen_ai.request.temperature": 0.0, "gen_ai.usage.output_tokens": 0}))
    assert (found["temperature"], found["output_tokens"]) == (0.0, 0)


def test_milliseconds_are_converted_once() -> None:
    found = row(span(attributes={"llm_d.pd_proxy.true_ttft_ms": 250, "llm_d.pd_proxy.prefill_duration_ms": "100"}))
    assert (found["client_ttft_s"], found["prefill_s"]) == (0.25, pytest.approx(0.1))


def test_a_name_that_means_something_to_one_emitter_only() -> None:
    facts = {"queue_time": "1.5ms", "seed": "Some(7)", "total_time": "2s"}
    found = row(span(name="generate", attributes=facts), scope="text-generation-router")
    assert (found["queue_s"], found["seed"], found["engine_e2e_s"]) == (0.0015, 7, 2.0)
    other = row(span(attributes=facts), scope="somebody")
    assert (other["queue_s"], other["seed"]) == (None, None)
    assert other["attr_text"] == facts


def test_the_address_that_a_client_called_is_the_last_name_of_a_replica() -> None:
    facts: dict[str, object] = {"server.address": "10.0.0.7", "server.port": 8000}
    assert row(span(kind=3, attributes=facts))["replica"] == "10.0.0.7:8000"
    assert row(span(kind=3, attributes={"server.address": "10.0.0.7"}))["replica"] == "10.0.0.7"
    assert row(span(kind=2, attributes=facts))["replica"] == ""
    assert row(span(kind=3, attributes={**facts, "vllm.backend_url": "http://vllm-1"}))["replica"] == "http://vllm-1"


def test_a_finish_reason_leaves_the_maps_where_the_column_says_it_all() -> None:
    key = "gen_ai.response.finish_reasons"
    assert row(span(attributes={key: ["stop"]}))["attr_json"] == {}
    several = row(span(attributes={key: ["max_tokens", "stop"]}))
    assert (several["finish_reason"], several["attr_json"]) == ("length", {key: '["max_tokens","stop"]'})


def test_a_structured_text_is_not_taken_as_it_is() -> None:
    found = row(span(attributes={"gen_ai.request.model": '{"prompt": "my words"}'}))
    assert "my words" not in found["model_requested"]


def test_a_plan_asks_in_the_order_of_the_tables() -> None:
    steps = plan(("gen_ai.usage.prompt_tokens", "gen_ai.usage.input_tokens"), alias_tables())["input_tokens"]
    names = [step[0].name for step in steps if not isinstance(step, float)]
    assert names == ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"]
