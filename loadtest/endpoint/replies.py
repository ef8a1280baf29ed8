"""Bodies of answers, field by field as vLLM sends them, and the events of a stream."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from loadtest.endpoint.refusals import Refusal

DONE = b"data: [DONE]\n\n"
_encode = msgspec.json.encode


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer; `cached` is the part of the prompt that the engine did not compute again."""

    prompt: int
    completion: int
    cached: int = 0

    @property
    def document(self) -> dict[str, Any]:
        """The `usage` object."""
        return {
            "prompt_tokens": self.prompt,
            "total_tokens": self.prompt + self.completion,
            "completion_tokens": self.completion,
            "prompt_tokens_details": {"cached_tokens": self.cached} if self.cached else None,
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """What stays the same in all parts of one answer.

    request_id   with its prefix, `chatcmpl-…` or `cmpl-…`
    created_s    epoch seconds
    fingerprint  what the engine says of its configuration
    """

    is_chat: bool
    request_id: str
    model: str
    created_s: int
    fingerprint: str
    _around: list[bytes] = field(default_factory=list, init=False, repr=False, compare=False)

    def whole(self, text: str, finish_reason: str, usage: Usage) -> bytes:
        """The body of an answer that is not streamed."""
        choice: dict[str, Any] = {"index": 0}
        if self.is_chat:
            message = {"role": "assistant", "content": text, "refusal": None, "annotations": None, "audio": None}
            choice["message"] = message | {"function_call": None, "tool_calls": [], "reasoning": None}
        else:
            choice["text"] = text
        choice |= {"logprobs": None, "finish_reason": finish_reason, "stop_reason": None, "token_ids": None}
        if not self.is_chat:
            choice["prompt_logprobs"] = choice["prompt_token_ids"] = None
        kind = "chat.completion" if self.is_chat else "text_completion"
        document = self._head(kind) | {"choices": [choice], "service_tier": None}
        document |= {"system_fingerprint": self.fingerprint, "usage": usage.document, "kv_transfer_params": None}
        return _encode(document)

    def opening(self) -> bytes:
        """The first event of a chat: who speaks."""
        return _event(self._chunk({"delta": {"role": "assistant", "content": ""}, "logprobs": None}, None))

    def delta(self, text: str) -> bytes:
        """An event with further text. The rest of it never changes, so it is encoded once."""
        if not self._around:
            mark = "\x00"
            self._around.extend(_event(self._chunk(self._content(mark), None)).split(_encode(mark)))
        return _encode(text).join(self._around)

    def closing(self, finish_reason: str) -> bytes:
        """The event that ends the text."""
        return _event(self._chunk(self._content("") | {"stop_reason": None}, finish_reason))

    def usage(self, usage: Usage) -> bytes:
        """The event after it, for those who asked for usage."""
        return _event(self._head(self._chunk_kind) | {"choices": [], "usage": usage.document})

    def _content(self, text: str) -> dict[str, Any]:
        return {"delta": {"content": text}, "logprobs": None} if self.is_chat else {"text": text, "logprobs": None}

    def _chunk(self, content: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
        choice = {"index": 0, **content, "finish_reason": finish_reason}
        return self._head(self._chunk_kind) | {"choices": [choice], "system_fingerprint": self.fingerprint}

    @property
    def _chunk_kind(self) -> str:
        return "chat.completion.chunk" if self.is_chat else "text_completion"

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.request_id, "object": kind, "created": self.created_s, "model": self.model}


def error_event(refusal: Refusal) -> bytes:
    """An error in the middle of a stream."""
    return _event(refusal.body)


def _event(document: dict[str, Any]) -> bytes:
    return b"data: " + _encode(document) + b"\n\n"
