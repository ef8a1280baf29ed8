"""Names tell what must not be stored, and what may."""

import pytest

from collector.otlp.key_classes import KeyClass, class_of, key_class, key_rules, words_of


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("gen_ai.prompt", KeyClass.CONTENT),
        ("GEN_AI.Prompt.0.Content", KeyClass.CONTENT),
        ("llm.input_messages.0.message.content", KeyClass.CONTENT),
        ("input.value", KeyClass.CONTENT),
        ("exception.stacktrace", KeyClass.CONTENT),
        ("app.userPrompt", KeyClass.LOOKALIKE),
        ("request_body", KeyClass.LOOKALIKE),
        ("chat-message", KeyClass.LOOKALIKE),
        ("http.request.header.authorization", KeyClass.SECRET),
        ("hidden_params", KeyClass.SECRET),
        ("dbPassword", KeyClass.SECRET),
        ("x_api_key", KeyClass.SECRET),
        ("X-API-Key", KeyClass.SECRET),
        ("session.token", KeyClass.TOKEN),
        ("user.id", KeyClass.PERSONAL),
        ("gen_ai.usage.input_tokens", KeyClass.MEASURE),
        ("vendor.prompt_tokens", KeyClass.MEASURE),
        ("gen_ai.latency.time_to_first_token", KeyClass.MEASURE),
        ("token_count", KeyClass.PLAIN),
        ("gen_ai.token.type", KeyClass.PLAIN),
        ("gen_ai.request.model", KeyClass.PLAIN),
        ("gen_ai.output.type", KeyClass.PLAIN),
        ("http.route", KeyClass.PLAIN),
        ("k8s.pod.name", KeyClass.PLAIN),
        ("context.length", KeyClass.PLAIN),
        ("", KeyClass.PLAIN),
    ],
)
def test_a_name_has_a_class(key: str, wanted: KeyClass) -> None:
    assert key_class(key) is wanted


def test_captured_content_is_plain_and_secrets_stay_secret() -> None:
    assert class_of("gen_ai.prompt", capture_content=True) is KeyClass.PLAIN
    assert class_of("app.userPrompt", capture_content=True) is KeyClass.PLAIN
    assert class_of("session.token", capture_content=True) is KeyClass.TOKEN
    assert class_of("my.password", capture_content=True) is KeyClass.SECRET


def test_words_end_at_punctuation_digits_and_capitals() -> None:
    assert words_of("my.userPrompt_2x-HTTPBody") == ["my", "user", "prompt", "2", "x", "http", "body"]


def test_words_are_written_as_they_are_compared() -> None:
    rules = key_rules()
    for word in rules.content_words | rules.secret_words:
        assert word == word.lower()
