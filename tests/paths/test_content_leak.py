"""A planted prompt and planted keys are found nowhere: not in files, rows, the log or answers."""

import base64
import gzip
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from bench.harness.server import ServerProcess, free_port

PROMPT = "PLANTED-PROMPT the patient Ada Lovelace asks about her diagnosis"
KEY = "sk-plantedKEY1234567890abcdefABCDEF1234567890"
TOKEN = "tok-plantedTOKEN0123456789"
BASIC = base64.b64encode(b"planted-user:planted-password").decode()
WITNESS = "witness-route-7f3a"

_CONTENT_KEYS = (
    "gen_ai.prompt", "gen_ai.prompt.0.content", "gen_ai.completion", "gen_ai.completion.0.content",
    "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.definitions",
    "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "llm.prompts", "llm.completions",
    "llm.input_messages.0.message.content", "llm.output_messages.0.message.content", "input.value", "output.value",
    "traceloop.entity.input", "traceloop.entity.output", "llm.headers", "llm.request.functions", "hidden_params",
    "http.request.header.authorization", "http.request.header.x-api-key", "http.request.body", "http.response.body",
    "metadata.user_api_key", "litellm.request.messages", "exception.message", "exception.stacktrace",
    "my.custom.prompt", "app.userMessage", "vendor.request_text", "vendor.completion_text", "company.secret",
    "db.statement", "url.query", "url.full", "user.question",
    "llm.reasoning", "gen_ai.reasoning", "response", "reply", "ai.response.value", "thought", "thoughts", "summary",
    "rag.chunk", "rag.chunks", "app.history", "turn", "turns", "question", "query text", "description", "transcript",
    "instruction", "instructions", "gen_ai.response", "gen_ai.response.text", "gen_ai.response.value", "app.turns.0",
    "process.command", "process.command_line", "process.command_args",
)  # fmt: skip
_KEYS_IN_PLAIN_TEXTS = (
    f"called with {KEY}", f"vllm serve --api-key {TOKEN} --port 8000", f"vllm serve --api-key={TOKEN}",
    f"['vllm', '--hf-token', '{TOKEN}']", f"Namespace(api_key=['{TOKEN}'])", f"Authorization: Basic {BASIC}",
    f"sent Basic {BASIC}", f"token={TOKEN}", f"auth_token: {TOKEN}", f'{{"note": "refresh-token: {TOKEN}"}}',
)  # fmt: skip


def _values(text: str) -> Iterator[AnyValue]:
    yield AnyValue(string_value=text)
    yield AnyValue(string_value='[{"role": "user", "content": "' + text + '"}]')
    yield AnyValue(bytes_value=text.encode())
    array = AnyValue()
    array.array_value.values.add().string_value = text
    yield array
    nested = AnyValue()
    nested.kvlist_value.values.add(key="content").value.CopyFrom(array)
    yield nested


def _plant_keys(owner: Span | Span.Event | Span.Link | Resource | InstrumentationScope) -> None:
    """Keys under names that tell nothing, and those of the start line of a server."""
    for number, text in enumerate(_KEYS_IN_PLAIN_TEXTS):
        owner.attributes.add(key=f"plain.note.{number}").value.string_value = text
    for name in ("process.command_args", "plain.list"):
        arguments = owner.attributes.add(key=name).value.array_value.values
        for text in ("vllm", "--api-key", TOKEN):
            arguments.add().string_value = text


def planted() -> bytes:
    """A body with the prompt and the key in every place that may hold content, and a witness that is kept."""
    request = ExportTraceServiceRequest()
    for number, value in enumerate(value for text in (PROMPT, KEY) for value in _values(text)):
        resource_spans = request.resource_spans.add()
        resource_spans.resource.attributes.add(key="service.name").value.string_value = "leaky"
        scope_spans = resource_spans.scope_spans.add()
        span = scope_spans.spans.add(
            trace_id=(number + 1).to_bytes(16, "big"), span_id=(number + 1).to_bytes(8, "big"), name="chat m", kind=3,
            start_time_unix_nano=1_796_000_000_000_000_000, end_time_unix_nano=1_796_000_001_000_000_000,
        )  # fmt: skip
        span.attributes.add(key="http.route").value.string_value = WITNESS
        span.attributes.add(key="gen_ai.request.model").value.string_value = "m"
        event, link = (
            span.events.add(name="gen_ai.content.prompt"),
            span.links.add(trace_id=bytes(16), span_id=bytes(8)),
        )
        for owner in (span, event, link, resource_spans.resource, scope_spans.scope):
            for key in _CONTENT_KEYS:
                owner.attributes.add(key=key).value.CopyFrom(value)
        if value.HasField("string_value"):
            span.status.message = f"invalid request: {value.string_value}"
        for owner in (span, event, link, resource_spans.resource, scope_spans.scope):
            _plant_keys(owner)
        span.attributes.add(key="llm.invocation_parameters").value.string_value = (
            '{"temperature": 0.5, "messages": [{"content": "' + PROMPT + '"}], "api_key": "' + KEY + '"}'
        )
    return bytes(request.SerializeToString())


def _send(server: ServerProcess) -> None:
    body = planted()
    headers = {"Content-Type": "application/x-protobuf", "Authorization": f"Bearer {KEY}"}
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        assert client.post("/v1/traces", content=body, headers=headers).status_code == 200
        gzipped = gzip.compress(body)
        assert (
            client.post("/v1/traces", content=gzipped, headers={**headers, "Content-Encoding": "gzip"}).status_code
            == 200
        )
        assert client.post("/v1/traces", content=body[:-7], headers=headers).status_code == 400
        assert client.post("/v1/traces", content=PROMPT.encode(), headers=headers).status_code == 400
        client.post("/v1/traces", content=PROMPT.encode(), headers={"Content-Type": "text/plain"})
        client.get("/api/v1/requests", params={"prompt": PROMPT})
        client.get(f"/v1/{KEY}")


def _answers(server: ServerProcess) -> str:
    texts = []
    for number in range(1, 11):
        with urllib.request.urlopen(f"{server.url}/api/v1/traces/{number:032x}") as answer:
            texts.append(answer.read().decode())
    return "\n".join(texts)


@pytest.mark.timeout(120)
def test_a_planted_prompt_and_planted_keys_are_found_nowhere(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", free_port(), tmp_path / "server.log")
    server.start()
    _send(server)
    answers = _answers(server)
    assert server.stop() == 0
    files = b"\n".join(path.read_bytes() for path in server.data.rglob("*") if path.is_file())
    command = [sys.executable, "-m", "tests.paths.store_dump", str(server.data)]
    rows = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2]).stdout
    assert WITNESS in rows
    assert WITNESS in answers
    for planted_text in ("PLANTED-PROMPT", "Ada Lovelace", KEY, KEY[3:20], TOKEN, TOKEN[4:], BASIC):
        assert planted_text not in rows
        assert planted_text not in answers
        assert planted_text.encode() not in files
        assert planted_text not in server.log.read_text()
