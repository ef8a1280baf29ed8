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
        ("llm.reasoning", KeyClass.LOOKALIKE),
        ("gen_ai.reasoning", KeyClass.LOOKALIKE),
        ("response", KeyClass.LOOKALIKE),
        ("responses.0", KeyClass.LOOKALIKE),
        ("response.text.id", KeyClass.LOOKALIKE),
        ("reply", KeyClass.LOOKALIKE),
        ("ai.response.value", KeyClass.CONTENT),
        ("ai.response.object", KeyClass.LOOKALIKE),
        ("ai.toolCall.result", KeyClass.CONTENT),
        ("app.thought", KeyClass.LOOKALIKE),
        ("thoughts", KeyClass.LOOKALIKE),
        ("summary", KeyClass.LOOKALIKE),
        ("rag.chunk", KeyClass.LOOKALIKE),
        ("rag.chunks.0", KeyClass.LOOKALIKE),
        ("app.history", KeyClass.LOOKALIKE),
        ("turn", KeyClass.LOOKALIKE),
        ("dialogTurns", KeyClass.LOOKALIKE),
        ("question", KeyClass.LOOKALIKE),
        ("query text", KeyClass.LOOKALIKE),
        ("description", KeyClass.LOOKALIKE),
        ("call.transcript", KeyClass.LOOKALIKE),
        ("instruction", KeyClass.LOOKALIKE),
        ("instructions", KeyClass.LOOKALIKE),
        ("gen_ai.response", KeyClass.LOOKALIKE),
        ("gen_ai.response.0", KeyClass.LOOKALIKE),
        ("gen_ai.response.value", KeyClass.CONTENT),
        ("gen_ai.response.reasoning", KeyClass.LOOKALIKE),
        ("http.response.body", KeyClass.CONTENT),
        ("process.command", KeyClass.CONTENT),
        ("process.command_line", KeyClass.CONTENT),
        ("process.command_args", KeyClass.CONTENT),
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
        ("reasoning_tokens", KeyClass.MEASURE),
        ("gen_ai.usage.reasoning_tokens", KeyClass.MEASURE),
        ("gen_ai.response.time_to_first_chunk", KeyClass.MEASURE),
        ("response.status_code", KeyClass.MEASURE),
        ("http.response.body.size", KeyClass.MEASURE),
        ("response.id", KeyClass.PLAIN),
        ("response.model", KeyClass.PLAIN),
        ("response.status", KeyClass.PLAIN),
        ("reasoning.level", KeyClass.PLAIN),
        ("reasoning.effort", KeyClass.PLAIN),
        ("gen_ai.request.reasoning_effort", KeyClass.PLAIN),
        ("gen_ai.response.id", KeyClass.PLAIN),
        ("gen_ai.response.finish_reasons", KeyClass.PLAIN),
        ("gen_ai.response.system_fingerprint", KeyClass.PLAIN),
        ("ai.response.finishReason", KeyClass.PLAIN),
        ("http.response.header.x-request-id", KeyClass.PLAIN),
        ("prompt.name", KeyClass.PLAIN),
        ("prompt.version", KeyClass.PLAIN),
        ("gen_ai.prompt.name", KeyClass.PLAIN),
        ("gen_ai.prompt.version", KeyClass.PLAIN),
        ("gen_ai.conversation.id", KeyClass.PLAIN),
        ("history.length", KeyClass.PLAIN),
        ("os.description", KeyClass.PLAIN),
        ("process.executable.path", KeyClass.PLAIN),
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
    for word in rules.content_words | rules.broad_words | rules.facts | rules.secret_words:
        assert word == word.lower()
        assert words_of(word) == word.split(), "a word that no name can have is dead"


def test_every_whole_name_has_the_class_of_its_list() -> None:
    rules = key_rules()
    lists = {
        KeyClass.PLAIN: rules.plain,
        KeyClass.MEASURE: rules.measures,
        KeyClass.CONTENT: rules.content,
        KeyClass.SECRET: rules.secret,
        KeyClass.PERSONAL: rules.personal,
    }
    for wanted, globs in lists.items():
        assert {key_class(name) for name in globs.exact} <= {wanted}
