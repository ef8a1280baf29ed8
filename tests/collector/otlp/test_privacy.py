"""A planted prompt and planted keys are found nowhere in the rows, wherever a sender hides them."""

import base64
import io
import json
import time

import pyarrow as pa
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from collector.otlp.decode import decode_traces
from collector.otlp.normalise import Normaliser
from collector.otlp.privacy import MASK, Privacy, mask_text, mask_texts, may_hold_secrets
from tests.factories.otlp import RECEIVED_NS, SALT, attributes, request, row, span

PROMPT = "Zebulon Quartermain asks about his liver"
KEY = "sk-planted0123456789abcdefABCDEF"
MESSAGES = [{"role": "user", "content": PROMPT}]
PRIVACY = Privacy(SALT)

CONTENT: dict[str, object] = {
    "gen_ai.prompt": PROMPT,
    "gen_ai.prompt.0.content": PROMPT,
    "gen_ai.completion.0.content": PROMPT,
    "gen_ai.input.messages": json.dumps(MESSAGES),
    "gen_ai.output.messages": [{"parts": [PROMPT]}],
    "gen_ai.system_instructions": [PROMPT],
    "gen_ai.tool.definitions": {"function": {"description": PROMPT}},
    "gen_ai.tool.call.arguments": json.dumps({"q": PROMPT}),
    "input.value": PROMPT,
    "OUTPUT.VALUE": PROMPT,
    "llm.input_messages.0.message.content": PROMPT,
    "llm.prompts.0.prompt.text": PROMPT,
    "llm.invocation_parameters": json.dumps({"temperature": 0.1, "stop": [PROMPT], "messages": MESSAGES}),
    "db.statement": f"SELECT '{PROMPT}'",
    "exception.message": PROMPT,
    "traceloop.entity.input": PROMPT,
    "my.userPrompt": PROMPT,
    "vendor.last_message": PROMPT.encode(),
    "vendor.request-body": {"deep": [{"deeper": PROMPT}]},
    "metadata": json.dumps({"a": {"b": [{"prompt": PROMPT}]}}),
    "nested": {"list": [{"messages": MESSAGES}]},
    "nested.json": [json.dumps({"completion": PROMPT})],
    "python.repr": str({"messages": MESSAGES}),
    "gen_ai.usage.input_tokens": PROMPT,
    "gen_ai.request.stop_sequences": [PROMPT],
    "llm.reasoning": PROMPT,
    "response": PROMPT,
    "ai.response.value": PROMPT,
    "rag.chunks": [PROMPT],
    "app.history": {"turns": [PROMPT]},
    "gen_ai.response.summary": PROMPT,
    "process.command_line": f"vllm serve --served-model-name {PROMPT}",
}
SECRETS: dict[str, object] = {
    "http.request.header.authorization": ["Basic dXNlcjpwYXNz", KEY],
    "http.request.header.x-api-key": KEY,
    "llm.headers": str({"Authorization": f"Bearer {KEY}"}),
    "hidden_params": json.dumps({"api_key": KEY}),
    "my.password": KEY,
    "session_token": KEY,
    "innocent": f"curl -H 'Authorization: Bearer {KEY}'",
    "innocent.list": [f"key={KEY}"],
    "url.full": f"https://example.com/v1?api_key={KEY}",
    "gen_ai.request.model": KEY,
    "user.id": KEY,
    f"key.with.{KEY}": 1,
    "process.command_args": ["vllm", "serve", "--api-key", KEY[3:]],
    "process.command": f"vllm --api-key {KEY[3:]}",
    "innocent.list of arguments": ["vllm", "--hf-token", KEY[3:]],
    "innocent.line": f"vllm serve --api-key {KEY[3:]} --port 8000",
    "innocent.repr": str(["vllm", "--api-key", KEY[3:]]),
    "innocent.basic": f"Authorization: Basic {base64.b64encode(KEY.encode()).decode()}",
    "innocent.token": f"token={KEY[3:]}",
    "bytes.secret": KEY.encode(),
    "innocent.bytes": f"Bearer {KEY}".encode(),
}


def planted() -> ExportTraceServiceRequest:
    """The prompt and the key in every place that can hold a text."""
    everything = CONTENT | SECRETS
    one = span(
        name=f"chat {KEY}",
        trace_state=f"vendor={KEY}",
        attributes=everything,
        events=[
            Span.Event(name=f"leak {KEY}", attributes=attributes(everything)),
            Span.Event(
                name="exception", attributes=attributes({"exception.stacktrace": PROMPT, "exception.type": KEY})
            ),
        ],
        links=[Span.Link(trace_id=b"t" * 16, span_id=b"s" * 8, trace_state=KEY, attributes=attributes(everything))],
        status=Status(code=Status.STATUS_CODE_ERROR, message=f"maximum context length is 4096, prompt: {PROMPT} {KEY}"),
    )
    two = span(2, status=Status(code=Status.STATUS_CODE_ERROR, message=PROMPT))
    message = request(one, two, resource=everything, scope=f"scope {KEY}", scope_attributes=everything)
    message.resource_spans[0].schema_url = f"https://u:{KEY}@example.com"
    message.resource_spans[0].scope_spans[0].scope.version = KEY
    message.resource_spans[0].scope_spans[0].schema_url = f"https://example.com?token={KEY}"
    return message


def table(message: ExportTraceServiceRequest, privacy: Privacy) -> pa.Table:
    return Normaliser(privacy).normalise(decode_traces(message.SerializeToString()), RECEIVED_NS).spans


def serialised(rows: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return sink.getvalue() + repr(rows.to_pylist()).encode()


def test_a_planted_prompt_and_a_planted_key_are_found_nowhere() -> None:
    stored = serialised(table(planted(), PRIVACY))
    assert b"Zebulon" not in stored
    assert b"planted0123456789" not in stored
    assert base64.b64encode(f"Bearer {KEY}".encode()) not in stored


def test_nothing_planted_is_lost_without_a_trace() -> None:
    (first, _) = table(planted(), PRIVACY).to_pylist()
    kept = {key for name in ("attr_text", "attr_int", "attr_double", "attr_json") for key, _ in first[name]}
    unmasked = {key for key in CONTENT | SECRETS if KEY not in key}
    assert unmasked - kept <= {"gen_ai.request.model", "user.id"}, "these two have columns of their own"


def test_captured_content_is_kept_and_secrets_are_not() -> None:
    stored = serialised(table(planted(), Privacy(SALT, capture_content=True)))
    assert b"Zebulon" in stored
    assert b"planted0123456789" not in stored


def test_equal_texts_have_equal_hashes_under_one_salt_only() -> None:
    first = row(span(attributes={"gen_ai.prompt": PROMPT, "input.value": PROMPT}))["attr_json"]
    assert first["gen_ai.prompt"] == first["input.value"]
    assert PRIVACY.hashed(b"x") != Privacy(b"another").hashed(b"x")


def test_a_reduced_text_tells_its_length() -> None:
    reduced = json.loads(row(span(attributes={"gen_ai.prompt": "naïve ☃"}))["attr_json"]["gen_ai.prompt"])
    assert reduced["chars"] == 7
    assert len(reduced["hash"]) == 32


def test_numbers_under_content_names_are_kept() -> None:
    found = row(span(attributes={"message.count": 3, "prompt.cached": True, "body.share": 0.5, "my.password": 7}))
    assert found["attr_int"] == {"message.count": 3}
    assert found["attr_double"] == {"body.share": 0.5}
    assert found["attr_json"]["prompt.cached"] == "true"
    assert "hash" in found["attr_json"]["my.password"]


def test_one_person_stays_one_person() -> None:
    first, second = ({"user.id": name, "tenant.id": "team"} for name in ("ann@example.com", "ann@example.com"))
    texts = [row(span(attributes=facts))["attr_text"]["user.id"] for facts in (first, second)]
    assert texts[0] == texts[1]
    assert texts[0].startswith("user:")


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Error: This model's maximum context length is 8192 tokens. You sent: secret",
            "maximum context length is 8192 tokens",
        ),
        ("Request timed out after 120 s for prompt secret", "Request timed out"),
        ("CUDA out of memory. Tried to allocate 2 GiB", "CUDA out of memory"),
        ("", ""),
    ],
)
def test_of_an_error_message_only_known_phrases_are_kept(message: str, kept: str) -> None:
    assert PRIVACY.message(message) == kept


def test_an_unknown_error_message_is_reduced() -> None:
    assert json.loads(PRIVACY.message("my own words"))["chars"] == 12


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnopqrst",
        "Bearer abcdefgh12345678",
        "bearer abcdefgh12345678",
        "AKIAABCDEFGHIJKLMNOP",
        "hf_abcdefghijklmnopqrst",
        "ghp_abcdefghijklmnopqrstuvwxyz",
        "github_pat_abcdefghijklmnopqrstuv",
        "glpat-abcdefghijklmnopqrst",
        "xoxb-1234567890-abc",
        "nvapi-abcdefghijklmnopqrst",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-123",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
        "https://user:hunter22@example.com/",
        "https://example.com/?key=abcd1234&x=1",
        "api_key: abcd1234",
        'API-KEY="abcd1234"',
        "password=hunter22",
        "Passwd : hunter22",
        "access_token=abcd1234",
        "vllm serve m --api-key tok-abcd1234",
        "--api-key=tok-abcd1234",
        "-password hunter22",
        "--auth-token\thunter22",
        "--served-secret 'hunter22'",
        "['vllm', '--api-key', 'tok-abcd1234']",
        "api_key=['tok-abcd1234']",
        "API key: hunter22",
        "Authorization: Basic dTpw",
        "authorization=Digest abcd1234",
        "sent Basic dXNlcjpwYXNz",
        "token=abc1234567",
        "token=hunterhunter",
        "token: 8f3a9c0d1e",
        'token = "abc1234567"',
        "auth_token: hunter22",
        "X-Auth-Token: hunter22",
        "id_token=hunter22",
        "refreshToken : hunter22",
        "HF_TOKEN=hunter22",
        r"{\"auth_token\": \"hunter22\"}",
    ],
)
def test_secrets_are_known_by_their_look(secret: str) -> None:
    text = f"before {secret} after"
    assert MASK in mask_text(text)
    assert may_hold_secrets(pa.array([text])), "the first look must not miss what the second would find"
    assert mask_texts(pa.array([text, "clean"])).to_pylist() == [mask_text(text), "clean"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "task-queue-runner-17",
            "chatcmpl-0123456789abcdef",
            "meta-llama/Llama-3.1-8B",
            "https://example.com:80/a",
            "",
        ),
        *(
            "max_tokens=5",
            "max_tokens=4096",
            "tokens: 10",
            "total_tokens=1234567",
            "token_type",
            "token_type: completion",
        ),
        *("--max-tokens 4096", "--max-token 4096", "--token-limit 5000", "--tokenizer meta-llama/Llama-3.1-8B"),
        *("first-token latency", "first token: 350ms", "ms_per_token: 12ms", "eos_token=</s>", "eos_token_id=128009"),
        *("unexpected token: identifier", "valid_token: True", "tokenizer: meta-llama3", '{"token":12345678}'),
        *("basic authentication", "Basic information", "author: somebody", "authority=example.com:443"),
    ],
)
def test_ordinary_texts_are_not_masked(text: str) -> None:
    assert mask_text(text) == text
    assert mask_texts(pa.array([text])).to_pylist() == [text]


def test_a_long_text_is_masked_as_a_short_one_is_and_as_fast() -> None:
    text = "eyJ" * 100_000 + " --api-key hunter22 " + "-" * 300_000
    began = time.thread_time()
    assert mask_text(text) == text.replace("--api-key hunter22", MASK)
    assert time.thread_time() - began < 5, "a pattern that starts over at every place would take minutes"


def test_captured_arguments_hide_what_follows_the_name_of_a_key() -> None:
    listed = {"process.command_args": ["vllm", "--api-key", "hunter22", "--port", "80"]}
    message = request(span(attributes=listed))
    (found,) = table(message, Privacy(SALT, capture_content=True)).to_pylist()
    assert json.loads(dict(found["attr_json"])["process.command_args"]) == ["vllm", "--api-key", MASK, "--port", "80"]


def test_the_name_and_version_of_a_prompt_are_kept() -> None:
    facts = {"gen_ai.prompt.name": "support", "gen_ai.prompt.version": "7", "prompt.name": "billing"}
    assert row(span(attributes=facts))["attr_text"] == facts


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"a":' * 900 + '"bottom"' + "}" * 900, id="deep maps"),
        pytest.param('{"a":' + "[" * 900 + '"bottom"' + "]" * 900 + "}", id="deep lists"),
        pytest.param("{" * 70_000 + "bottom", id="braces only"),
        pytest.param('{"prompt": "' + "x" * 70_000 + 'bottom"}', id="long"),
    ],
)
def test_structures_beyond_reason_end_in_a_hash(text: str) -> None:
    found = row(span(attributes={"odd": text}), resource={"odd": text})
    assert "bottom" not in repr(found)
    assert json.loads(found["attr_text"]["odd"])["chars"] == len(text)
