import json
from typing import Any

from loadtest.endpoint.refusals import Refusal
from loadtest.endpoint.replies import DONE, Reply, Usage, error_event


def reply(*, is_chat: bool = True) -> Reply:
    return Reply(is_chat=is_chat, request_id="chatcmpl-1", model="m", created_s=7, fingerprint="f")


def document(event: bytes) -> Any:
    assert event.startswith(b"data: ")
    assert event.endswith(b"\n\n")
    return json.loads(event.removeprefix(b"data: "))


def test_a_whole_chat() -> None:
    body = json.loads(reply().whole("one", "stop", Usage(3, 1, 2)))
    assert body["object"] == "chat.completion"
    assert body["choices"][0]["message"]["content"] == "one"
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["system_fingerprint"] == "f"
    assert body["usage"] == {
        "prompt_tokens": 3,
        "total_tokens": 4,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 2},
    }


def test_a_whole_text() -> None:
    body = json.loads(reply(is_chat=False).whole("one", "length", Usage(3, 1)))
    assert (body["object"], body["choices"][0]["text"]) == ("text_completion", "one")
    assert body["usage"]["prompt_tokens_details"] is None


def test_a_stream_opens_tells_and_closes() -> None:
    one = reply()
    assert document(one.opening())["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    for text in ("a", 'quo"te\n', "\x00", "é"):
        assert document(one.delta(text))["choices"][0]["delta"] == {"content": text}
    closing = document(one.closing("length"))["choices"][0]
    assert (closing["delta"], closing["finish_reason"]) == ({"content": ""}, "length")
    usage = document(one.usage(Usage(3, 1)))
    assert (usage["choices"], usage["usage"]["total_tokens"]) == ([], 4)


def test_a_text_stream_carries_text() -> None:
    event = document(reply(is_chat=False).delta("x"))
    assert (event["object"], event["choices"][0]["text"]) == ("text_completion", "x")


def test_errors_and_the_end_are_events() -> None:
    assert document(error_event(Refusal(500, "Broken.")))["error"]["message"] == "Broken."
    assert DONE == b"data: [DONE]\n\n"
