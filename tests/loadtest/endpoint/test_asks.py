import json
from typing import Any

import pytest

from loadtest.endpoint.asks import Ask, chat_ask, completion_ask
from loadtest.endpoint.plans import DEFAULT_MODEL, default_plan
from loadtest.endpoint.refusals import Refusal

MODELS = default_plan().models
USER = {"role": "user", "content": "one two three"}


def chat(**body: Any) -> Ask:
    return chat_ask(json.dumps({"messages": [USER], **body}).encode(), MODELS)


def text(**body: Any) -> Ask:
    return completion_ask(json.dumps({"prompt": "one two", **body}).encode(), MODELS)


def refusal(raw: bytes | dict[str, Any], parse: Any = chat_ask) -> Refusal:
    body = raw if isinstance(raw, bytes) else json.dumps({"messages": [USER], "prompt": "one", **raw}).encode()
    with pytest.raises(Refusal) as caught:
        parse(body, MODELS)
    return caught.value


def test_a_chat_is_counted_with_its_template() -> None:
    ask = chat(model=DEFAULT_MODEL)
    assert (ask.model, ask.prompt_tokens, ask.prefix_tokens, ask.max_tokens) == (0, 3 + 4 + 1, 0, 0)


def test_text_parts_are_read_and_unknown_fields_are_passed_over() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two three"}]
    ask = chat(messages=[{"role": "user", "content": parts}], some_new_field=1, tools=[])
    assert ask.prompt_tokens == chat().prompt_tokens


def test_a_further_turn_knows_its_conversation_and_what_it_left() -> None:
    first = chat()
    turn = [USER, {"role": "assistant", "content": "four five"}, {"role": "user", "content": "six"}]
    further = chat(messages=turn)
    assert further.session == first.session >= 0
    assert further.prefix_tokens == 7 + 6 + 1
    assert chat(messages=[{"role": "system", "content": "x"}, *turn]).session != first.session


def test_max_completion_tokens_goes_before_max_tokens() -> None:
    assert chat(max_tokens=5).max_tokens == 5
    assert chat(max_tokens=5, max_completion_tokens=9).max_tokens == 9


def test_a_text_completion_without_a_limit_is_sixteen_tokens_long() -> None:
    assert text().max_tokens == 16
    assert text(prompt=["one two"]).prompt == text().prompt
    assert text(prompt=[1, 2, 3]).prompt_tokens == text(prompt=[[1, 2, 3]]).prompt_tokens == 3
    assert text().session == -1


def test_one_stop_text_or_several() -> None:
    assert chat(stop="x").stops == ("x",)
    assert chat(stop=["x", "", "y"]).stops == ("x", "y")


def test_null_is_as_good_as_nothing() -> None:
    nothing = dict.fromkeys(("ignore_eos", "min_tokens", "top_logprobs", "stop", "seed", "n"))
    assert chat(temperature=0, **nothing) == chat(temperature=0, top_logprobs=0)
    assert text(echo=None) == text()
    assert not chat(stream=True, stream_options={"include_usage": None}).includes_usage


def test_the_default_temperature_is_one() -> None:
    assert chat().sampling.temperature == 1.0
    assert chat(temperature=0).sampling.temperature == 0.0


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"logprobs": True}, "logprobs"),
        ({"top_logprobs": 3}, "logprobs"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"n": 2}, "n"),
        ({"temperature": -1}, "temperature"),
        ({"top_p": 0}, "top_p"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"stop": ["x"] * 17}, "stop"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
    ],
)
def test_what_is_not_simulated_or_wrong_is_refused_by_name(body: dict[str, Any], param: str) -> None:
    told = refusal(body)
    assert (told.status, told.param) == (400, param)


@pytest.mark.parametrize(
    "body", [{"echo": True}, {"suffix": "x"}, {"best_of": 2}, {"logprobs": 0}, {"prompt": ["a", "b"]}]
)
def test_so_is_what_text_completions_do_not_have(body: dict[str, Any]) -> None:
    assert refusal(body, completion_ask).status == 400


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff", b'{"messages": 1}', b"[" * 100_000])
def test_a_body_that_cannot_be_read_is_400_with_a_reason(raw: bytes) -> None:
    told = refusal(raw)
    assert told.status == 400
    assert str(told).startswith("The body ")


def test_an_unknown_model_is_404() -> None:
    told = refusal({"model": "gpt-4"})
    assert (told.status, str(told)) == (404, "The model `gpt-4` does not exist.")


def test_a_question_beyond_the_context_window_is_told_as_vllm_tells_it() -> None:
    window = MODELS[0].context_window
    long = {"messages": [{"role": "user", "content": "word " * window}]}
    assert str(refusal(long)) == (
        f"This model's maximum context length is {window} tokens. However, your request has {window + 5} input tokens. "
        "Please reduce the length of the input messages."
    )
    told = refusal({"max_tokens": window})
    assert str(told) == (
        f"This model's maximum context length is {window} tokens. However, you requested {window} output tokens and "
        f"your prompt contains 8 input tokens, for a total of {window + 8} tokens. Please reduce the length of the "
        "input prompt or the number of requested output tokens."
    )
    assert told.body["error"]["type"] == "BadRequestError"
