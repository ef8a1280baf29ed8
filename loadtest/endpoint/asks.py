"""What a client may ask: bodies of chat and text completions, checked; what is not simulated is refused by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec

from loadtest.endpoint.answers import Sampling
from loadtest.endpoint.refusals import Refusal, bad_request
from loadtest.endpoint.tokens import count_chat, count_tokens
from loadtest.fleet.plan import ModelPlan

_NOT_FOUND = 404
_STOPS_MAX = 16
_Body = TypeVar("_Body", bound="Body")


class StreamOptions(msgspec.Struct):
    include_usage: bool | None = None
    continuous_usage_stats: bool | None = None


class Body(msgspec.Struct, kw_only=True):
    """What both kinds share. Fields that the product does not know are passed over, as vLLM does."""

    model: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    n: int | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    logprobs: bool | int | None = None
    user: str | None = None
    ignore_eos: bool | None = None
    min_tokens: int | None = None


class Message(msgspec.Struct):
    role: str
    content: str | list[dict[str, Any]] | None = None


class ChatBody(Body, kw_only=True):
    """`POST /v1/chat/completions`."""

    messages: list[Message]
    max_completion_tokens: int | None = None
    top_logprobs: int | None = None
    tool_choice: Any = None
    response_format: dict[str, Any] | None = None


class CompletionBody(Body, kw_only=True):
    """`POST /v1/completions`."""

    prompt: Any
    echo: bool | None = None
    suffix: str | None = None
    best_of: int | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A checked question.

    model           index in the plan
    prompt          digest of all that the model reads
    prompt_tokens   its length
    prefix_tokens   part of it that the conversation's earlier turns left
    session         number of the conversation, -1: none
    max_tokens      most tokens of the answer, 0: as many as there is room
    top_p           as sent, None: not sent
    min_tokens      fewest tokens, where nothing cuts the answer
    """

    model: int
    is_chat: bool
    prompt: bytes
    prompt_tokens: int
    prefix_tokens: int
    session: int
    max_tokens: int
    sampling: Sampling
    top_p: float | None
    stops: tuple[str, ...]
    is_streamed: bool
    includes_usage: bool
    ignores_eos: bool
    min_tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as numbers; fields as in Ask."""

    digest: bytes
    tokens: int
    prefix_tokens: int = 0
    session: int = -1


def chat_ask(raw: bytes, models: Sequence[ModelPlan]) -> Ask:
    """A chat completion's question.

    raises  Refusal
    """
    body = _decoded(raw, ChatBody)
    if not body.messages:
        raise bad_request("messages must not be empty.", "messages")
    _refuse_not_simulated(
        {
            "logprobs": bool(body.logprobs) or bool(body.top_logprobs),
            "tool_choice": body.tool_choice not in (None, "auto", "none"),
            "response_format": (body.response_format or {}).get("type", "text") != "text",
        }
    )
    contents = [_text(message.content) for message in body.messages]
    limit = body.max_tokens if body.max_completion_tokens is None else body.max_completion_tokens
    return _ask(body, _chat_prompt(body.messages, contents), limit, models, is_chat=True)


def completion_ask(raw: bytes, models: Sequence[ModelPlan]) -> Ask:
    """A text completion's question. vLLM answers 16 tokens where no limit is sent, and so does this.

    raises  Refusal
    """
    body = _decoded(raw, CompletionBody)
    _refuse_not_simulated(
        {
            "logprobs": body.logprobs is not None and body.logprobs is not False,
            "echo": bool(body.echo),
            "suffix": bool(body.suffix),
            "best_of": body.best_of not in (None, 1),
        }
    )
    limit = 16 if body.max_tokens is None else body.max_tokens
    return _ask(body, _text_prompt(body.prompt), limit, models, is_chat=False)


def _decoded(raw: bytes, kind: type[_Body]) -> _Body:
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as problem:
        raise bad_request(f"The body does not fit: {problem}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise bad_request(f"The body is no JSON: {problem}") from None


def _refuse_not_simulated(asked: Mapping[str, bool]) -> None:
    for name, is_asked in asked.items():
        if is_asked:
            raise bad_request(f"{name} is not simulated by this endpoint.", name)


def _text(content: str | list[dict[str, Any]] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if any(part.get("type") != "text" or not isinstance(part.get("text"), str) for part in content):
        raise bad_request("Only text parts are simulated; this is not a multimodal model.", "messages")
    return "\n".join(part["text"] for part in content)


def _chat_prompt(messages: Sequence[Message], contents: Sequence[str]) -> Prompt:
    """A conversation is known by what stands in front of its first answer; all up to its last answer is its prefix."""
    answers = [place for place, message in enumerate(messages) if message.role == "assistant"]
    pairs = [(message.role, content) for message, content in zip(messages, contents, strict=True)]
    opening = pairs[: answers[0]] if answers else pairs
    prefix = count_chat(contents[: answers[-1] + 1]) if answers else 0
    session = int.from_bytes(_digest(opening)[:6], "little")
    return Prompt(_digest(pairs), count_chat(contents), prefix, session)


def _text_prompt(prompt: Any) -> Prompt:
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], str | list):
        prompt = prompt[0]
    if isinstance(prompt, str):
        return Prompt(_digest(prompt), count_tokens(prompt))
    if isinstance(prompt, list) and prompt and all(type(token) is int for token in prompt):
        return Prompt(_digest(prompt), len(prompt))
    raise bad_request("prompt must be one text or one list of token ids; several prompts are not simulated.", "prompt")


def _digest(content: Any) -> bytes:
    return blake2b(msgspec.json.encode(content), digest_size=16).digest()


def _ask(body: Body, prompt: Prompt, limit: int | None, models: Sequence[ModelPlan], *, is_chat: bool) -> Ask:
    _check_numbers(body, limit)
    model = _model_index(body.model, models)
    _check_room(prompt.tokens, limit, models[model].context_window)
    stops = (body.stop,) if isinstance(body.stop, str) else tuple(body.stop or ())
    return Ask(
        model=model,
        is_chat=is_chat,
        prompt=prompt.digest,
        prompt_tokens=max(prompt.tokens, 1),
        prefix_tokens=prompt.prefix_tokens,
        session=prompt.session,
        max_tokens=limit or 0,
        sampling=Sampling(1.0 if body.temperature is None else body.temperature, body.seed),
        top_p=body.top_p,
        stops=tuple(stop for stop in stops if stop),
        is_streamed=bool(body.stream),
        includes_usage=body.stream_options is not None and bool(body.stream_options.include_usage),
        ignores_eos=bool(body.ignore_eos),
        min_tokens=body.min_tokens or 0,
    )


def _check_numbers(body: Body, limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise bad_request(f"max_tokens must be at least 1, got {limit}.", "max_tokens")
    if body.temperature is not None and not 0.0 <= body.temperature <= 2.0:  # noqa: PLR2004 - OpenAI's range
        raise bad_request(f"temperature must be in [0, 2], got {body.temperature}.", "temperature")
    if body.top_p is not None and not 0.0 < body.top_p <= 1.0:
        raise bad_request(f"top_p must be in (0, 1], got {body.top_p}.", "top_p")
    if body.n not in (None, 1):
        raise bad_request(f"n must be 1, got {body.n}: several answers to one question are not simulated.", "n")
    if body.stream_options is not None and not body.stream:
        raise bad_request("Stream options can only be defined when `stream=True`.", "stream_options")
    if isinstance(body.stop, list) and len(body.stop) > _STOPS_MAX:
        raise bad_request(f"stop may hold at most {_STOPS_MAX} texts.", "stop")


def _model_index(name: str | None, models: Sequence[ModelPlan]) -> int:
    """Where no model is named the first one answers, as vLLM does."""
    if name is None:
        return 0
    for index, model in enumerate(models):
        if model.name == name:
            return index
    raise Refusal(_NOT_FOUND, f"The model `{name}` does not exist.", "model")


def _check_room(prompt_tokens: int, limit: int | None, window: int) -> None:
    begins = f"This model's maximum context length is {window} tokens. However, "
    if limit is not None and prompt_tokens + limit > window:
        raise bad_request(
            f"{begins}you requested {limit} output tokens and your prompt contains {prompt_tokens} input tokens, for a "
            f"total of {prompt_tokens + limit} tokens. Please reduce the length of the input prompt or the number of "
            "requested output tokens.",
            "input_tokens",
        )
    if prompt_tokens >= window:
        raise bad_request(
            f"{begins}your request has {prompt_tokens} input tokens. Please reduce the length of the input messages.",
            "input_tokens",
        )
