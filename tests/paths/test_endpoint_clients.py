"""The simulated endpoint with the clients that people use: OpenAI's for Python and for Node, LiteLLM's proxy.

Node's package and LiteLLM are no part of this project; tools/try_clients.sh installs them beside it and names their
places in PEAKLINE_NODE_MODULES (a folder with node_modules/openai) and PEAKLINE_LITELLM (the command).
"""

import asyncio
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from bench.harness.server import free_port, running_server
from tests.loadtest.endpoint.process import started

MODEL = "meridian-8b-instruct"
HELLO: list[ChatCompletionMessageParam] = [{"role": "user", "content": "hello there"}]
PROXY_KEY = "sk-planted-key-of-a-test-0123456789"
NODE = Path(__file__).with_name("endpoint_client.mjs")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with started("--speed", "40") as (_, address):
        yield address


def client(url: str, retries: int = 0, key: str = "none", timeout: float = 30.0) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=retries, timeout=timeout)


def simulate(kind: str) -> dict[str, str]:
    return {"x-simulate": kind}


def test_the_python_client_lists_models(url: str) -> None:
    with client(url) as ask:
        assert [model.id for model in ask.models.list()] == [MODEL]
        assert ask.models.retrieve(MODEL).owned_by == "vllm"


def test_the_python_client_reads_the_same_greedy_answer_whole_and_streamed(url: str) -> None:
    with client(url) as ask:
        whole = ask.chat.completions.create(model=MODEL, messages=HELLO, temperature=0)
        stream = ask.chat.completions.create(
            model=MODEL, messages=HELLO, temperature=0, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == whole.choices[0].message.content
    assert chunks[-1].usage == whole.usage
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert {chunk.system_fingerprint for chunk in chunks[:-1]} == {whole.system_fingerprint}


def test_the_python_client_completes_text(url: str) -> None:
    with client(url) as ask:
        whole = ask.completions.create(model=MODEL, prompt="hello", max_tokens=9, temperature=0)
        chunks = list(ask.completions.create(model=MODEL, prompt="hello", max_tokens=9, temperature=0, stream=True))
    assert (whole.choices[0].finish_reason, whole.usage and whole.usage.completion_tokens) == ("length", 9)
    assert "".join(chunk.choices[0].text for chunk in chunks) == whole.choices[0].text


def test_the_asynchronous_client_streams_many_at_once(url: str) -> None:
    async def all_of_them() -> list[str]:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as ask:

            async def one(number: int) -> str:
                stream = await ask.chat.completions.create(
                    model=MODEL, messages=[{"role": "user", "content": f"{number % 2}"}], temperature=0, stream=True
                )
                return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

            return await asyncio.gather(*map(one, range(20)))

    assert len(set(asyncio.run(all_of_them()))) == 2


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("429", openai.RateLimitError),
        ("503", openai.InternalServerError),
        ("504", openai.InternalServerError),
        ("529", openai.InternalServerError),
        ("mid_stream_error", openai.InternalServerError),
        ("mid_stream_error:1:how=broken", openai.APIConnectionError),
    ],
)
def test_injected_trouble_is_the_right_exception(url: str, kind: str, error: type[Exception]) -> None:
    with client(url) as ask, pytest.raises(error):
        ask.chat.completions.create(model=MODEL, messages=HELLO, extra_headers=simulate(kind))


def test_a_time_out_is_the_clients_own(url: str) -> None:
    with client(url, timeout=0.3) as ask, pytest.raises(openai.APITimeoutError):
        ask.chat.completions.create(model=MODEL, messages=HELLO, extra_headers=simulate("timeout"))


def test_an_error_in_the_middle_of_a_stream_is_raised_while_it_is_read(url: str) -> None:
    with client(url) as ask:
        headers = simulate("mid_stream_error:1:after=3")
        stream = ask.chat.completions.create(model=MODEL, messages=HELLO, stream=True, extra_headers=headers)
        texts: list[str] = []
        with pytest.raises(openai.APIError, match="asked for"):
            texts.extend(chunk.choices[0].delta.content or "" for chunk in stream)


def test_wrong_questions_are_the_right_exceptions(url: str) -> None:
    with client(url) as ask:
        with pytest.raises(openai.NotFoundError, match="does not exist"):
            ask.chat.completions.create(model="absent", messages=HELLO)
        with pytest.raises(openai.BadRequestError, match="maximum context length is 16384 tokens"):
            ask.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "word " * 20_000}])
        with pytest.raises(openai.BadRequestError, match="logprobs is not simulated"):
            ask.chat.completions.create(model=MODEL, messages=HELLO, logprobs=True)


def test_a_key_that_is_wrong_is_an_authentication_error() -> None:
    with started("--speed", "40", "--api-key", "right") as (_, url):
        with client(url, key="wrong") as ask, pytest.raises(openai.AuthenticationError):
            ask.models.list()
        with client(url, key="right") as ask:
            assert ask.chat.completions.create(model=MODEL, messages=HELLO).choices


def test_the_python_client_comes_back_after_the_time_it_was_told() -> None:
    with started("--speed", "40", "--inject", "429:1:times=1,retry_after=2") as (_, url):
        began = time.monotonic()
        with client(url, retries=1) as ask:
            assert ask.chat.completions.create(model=MODEL, messages=HELLO).choices
        assert time.monotonic() - began >= 2.0
        assert httpx.get(f"{url}/simulate/faults", trust_env=False).json()["counts"]["429"] == 1


def test_a_server_sees_the_endpoints_requests(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with started("--speed", "40", "--otlp", server.url) as (process, url):
            with client(url) as ask:
                for number in range(3):
                    ask.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": str(number)}])
            process.terminate()
            assert process.wait(30) == 0
        found = server.get("/api/v1/requests?from=now-1h")["items"]
    assert [item["model"] for item in found] == [MODEL] * 3


def test_nodes_client() -> None:
    modules = os.environ.get("PEAKLINE_NODE_MODULES")
    if modules is None or shutil.which("node") is None:
        pytest.skip("node and PEAKLINE_NODE_MODULES (a folder with node_modules/openai) are not here")
    with started("--speed", "40") as (_, url):
        ran = subprocess.run(
            ["node", str(NODE), f"{url}/v1", modules], check=False, capture_output=True, text=True, timeout=120
        )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["models"] == [MODEL]
    assert (told["same"], told["finish"]) == (True, "stop")
    assert told["tokens"][0] == told["tokens"][1] > 0
    assert told["text"] == ["length", 7]
    assert told["errors"] == {
        "429": "RateLimitError 429",
        "503": "InternalServerError 503",
        "504": "InternalServerError 504",
        "529": "InternalServerError 529",
        "400": "BadRequestError 400",
        "404": "NotFoundError 404",
    }
    assert told["midStream"] == "APIError"
    assert told["retried"] == ["chat.completion", True], "it came back after the second that it was told"


def test_litellms_proxy_in_front(tmp_path: Path) -> None:
    command = os.environ.get("PEAKLINE_LITELLM")
    if command is None:
        pytest.skip("PEAKLINE_LITELLM (LiteLLM's command) is not here")
    with (
        started("--speed", "40") as (_, url),
        proxied(command, url, tmp_path) as proxy,
        client(proxy, key=PROXY_KEY) as ask,
    ):
        whole = ask.chat.completions.create(model="through", messages=HELLO, temperature=0)
        chunks = list(ask.chat.completions.create(model="through", messages=HELLO, temperature=0, stream=True))
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        assert text == whole.choices[0].message.content
        assert whole.usage is not None
        assert whole.usage.completion_tokens > 0
        plant(url, kind="429", times=1)
        with pytest.raises(openai.RateLimitError):
            ask.chat.completions.create(model="through", messages=HELLO)
        plant(url, kind="503", times=1)
        with pytest.raises(openai.APIStatusError) as caught:
            ask.chat.completions.create(model="through", messages=HELLO)
        assert caught.value.status_code == 503


def plant(url: str, **fault: object) -> None:
    assert httpx.post(f"{url}/simulate/faults", json=fault, trust_env=False).status_code == 201


@contextmanager
def proxied(command: str, url: str, folder: Path) -> Iterator[str]:
    """LiteLLM's proxy on a free port, without retries of its own, in front of an endpoint."""
    parameters = {"model": f"hosted_vllm/{MODEL}", "api_base": f"{url}/v1", "api_key": "none"}
    models = [{"model_name": "through", "litellm_params": parameters}]
    settings = {"num_retries": 0, "disable_cooldowns": True}
    config = folder / "litellm.json"
    config.write_text(json.dumps({"model_list": models, "router_settings": settings}))
    port = free_port()
    options = ["--config", str(config), "--host", "127.0.0.1", "--port", str(port), "--num_workers", "1"]
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "127.0.0.1", "LITELLM_MASTER_KEY": PROXY_KEY}
    with (folder / "litellm.log").open("w") as log:
        process = subprocess.Popen([command, *options], stdout=log, stderr=log, env=os.environ | offline)
    try:
        deadline = time.monotonic() + 120
        while not _answers(f"http://127.0.0.1:{port}/health/liveliness"):
            assert process.poll() is None, (folder / "litellm.log").read_text()[-3000:]
            assert time.monotonic() < deadline, "the proxy did not start"
            time.sleep(0.3)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, timeout=2, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False
