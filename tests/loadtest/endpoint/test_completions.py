import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest

from loadtest.endpoint.plans import DEFAULT_MODEL, default_plan
from loadtest.fleet.request import End, Request
from peakline_server.listening import allow_open_files
from tests.loadtest.endpoint.running import Endpoint, content, narrow_plan, parsed, running, said

STREAMS = 1000


def simulate(kind: str, options: str = "") -> dict[str, str]:
    return {"x-simulate": f"{kind}:1:{options}"}


def test_a_chat_answer_counts_its_tokens_and_names_its_model(endpoint: Endpoint) -> None:
    answer = endpoint.chat(model=DEFAULT_MODEL, headers={"x-request-id": "mine"})
    body = answer.json()
    assert (body["id"], body["model"], answer.headers["x-request-id"]) == ("chatcmpl-mine", DEFAULT_MODEL, "mine")
    assert body["usage"]["prompt_tokens"] == 2 + 4 + 1
    assert body["usage"]["completion_tokens"] > 0
    assert content(answer)


def test_a_text_completion_has_text(endpoint: Endpoint) -> None:
    body = endpoint.post("/v1/completions", {"prompt": "one two"}).json()
    assert body["id"].startswith("cmpl-")
    assert body["usage"] == {
        "prompt_tokens": 2,
        "completion_tokens": 16,
        "total_tokens": 18,
        "prompt_tokens_details": None,
    }
    assert (body["choices"][0]["finish_reason"], bool(body["choices"][0]["text"])) == ("length", True)


def test_a_limit_cuts_with_reason_length_and_the_natural_end_is_stop(endpoint: Endpoint) -> None:
    whole = endpoint.chat(temperature=0).json()
    cut = endpoint.chat(temperature=0, max_tokens=5).json()
    assert (whole["choices"][0]["finish_reason"], cut["choices"][0]["finish_reason"]) == ("stop", "length")
    assert cut["usage"]["completion_tokens"] == 5
    assert whole["choices"][0]["message"]["content"].startswith(cut["choices"][0]["message"]["content"])


def test_a_stop_text_ends_the_answer_before_it(endpoint: Endpoint) -> None:
    whole = content(endpoint.chat(temperature=0))
    stop = whole.split()[5]
    cut = endpoint.chat(temperature=0, stop=stop)
    assert content(cut) == whole[: whole.index(stop)]
    assert cut.json()["choices"][0]["finish_reason"] == "stop"


def test_greedy_answers_are_the_same_on_every_replica_streamed_or_not(endpoint: Endpoint) -> None:
    answers = {content(endpoint.chat(temperature=0)) for _ in range(4)}
    answers.add(said(endpoint.events(temperature=0)))
    assert len(answers) == 1


def test_a_seed_repeats_a_warm_answer_and_chance_does_not(endpoint: Endpoint) -> None:
    assert content(endpoint.chat(seed=1)) == content(endpoint.chat(seed=1)) != content(endpoint.chat(seed=2))
    assert content(endpoint.chat()) != content(endpoint.chat())


def test_a_stream_is_server_sent_events_to_the_byte(endpoint: Endpoint) -> None:
    response = endpoint.chat(stream=True, temperature=0, max_tokens=4)
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    blocks = response.text.split("\n\n")
    assert (blocks[-2:], all(block.startswith("data: ") for block in blocks[:-1])) == (["data: [DONE]", ""], True)
    events = parsed(response.text)
    first, last = events[0]["choices"][0], events[-2]["choices"][0]
    assert first["delta"] == {"role": "assistant", "content": ""}
    assert (last["delta"], last["finish_reason"]) == ({"content": ""}, "length")
    assert len({(event["id"], event["created"], event["object"]) for event in events[:-1]}) == 1


def test_usage_comes_in_a_last_event_for_those_who_asked(endpoint: Endpoint) -> None:
    events = endpoint.events(temperature=0, max_tokens=4, stream_options={"include_usage": True})
    assert (events[-2]["choices"], events[-2]["usage"]["completion_tokens"]) == ([], 4)
    assert not [event for event in endpoint.events(max_tokens=4)[:-1] if event.get("usage")]


def test_a_text_stream_carries_text(endpoint: Endpoint) -> None:
    events = parsed(endpoint.post("/v1/completions", {"prompt": "one", "stream": True, "temperature": 0}).text)
    whole = endpoint.post("/v1/completions", {"prompt": "one", "temperature": 0}).json()
    assert "".join(event["choices"][0]["text"] for event in events[:-1]) == whole["choices"][0]["text"]


def test_a_further_turn_finds_its_context_in_the_cache(endpoint: Endpoint) -> None:
    first = {"role": "user", "content": "word " * 500}
    told = endpoint.post("/v1/chat/completions", {"messages": [first], "temperature": 0}).json()
    answer = told["choices"][0]["message"]["content"]
    turns = [first, {"role": "assistant", "content": answer}, {"role": "user", "content": "and then?"}]
    usage = endpoint.post("/v1/chat/completions", {"messages": turns, "temperature": 0}).json()["usage"]
    assert 500 < usage["prompt_tokens_details"]["cached_tokens"] < usage["prompt_tokens"]


def test_errors_come_in_vllms_shape_with_the_request_id(endpoint: Endpoint) -> None:
    response = endpoint.chat(logprobs=True, headers={"x-request-id": "mine"})
    assert (response.status_code, response.headers["x-request-id"]) == (400, "mine")
    assert set(response.json()["error"]) == {"message", "type", "param", "code"}


def test_a_body_over_the_bound_is_413_and_closes() -> None:
    with running(body_bytes_max=1000) as endpoint:
        response = endpoint.chat("x" * 2000)
        assert (response.status_code, response.headers["connection"]) == (413, "close")
        assert endpoint.chat().status_code == 200


# What is injected


@pytest.mark.parametrize("status", [429, 503, 529])
def test_refusals_say_when_to_come_back(endpoint: Endpoint, status: int) -> None:
    response = endpoint.chat(headers=simulate(str(status), "retry_after=3"))
    assert (response.status_code, response.headers["retry-after"]) == (status, "3")
    assert response.json()["error"]["code"] == status


def test_504_says_nothing_of_the_kind(endpoint: Endpoint) -> None:
    response = endpoint.chat(headers=simulate("504"))
    assert response.status_code == 504
    assert "retry-after" not in response.headers


def test_a_time_out_never_answers_and_the_client_may_leave(endpoint: Endpoint) -> None:
    before = endpoint.count("timeout")
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(
            f"{endpoint.url}/v1/chat/completions",
            json={"messages": [{"role": "user", "content": "x"}]},
            headers=simulate("timeout"),
            timeout=0.3,
            trust_env=False,
        )
    assert endpoint.count("timeout") == before + 1


def test_a_truncated_answer_ends_early_with_reason_length(endpoint: Endpoint) -> None:
    whole, cut = (
        endpoint.chat(temperature=0).json(),
        endpoint.chat(temperature=0, headers=simulate("truncation")).json(),
    )
    assert cut["choices"][0]["finish_reason"] == "length"
    assert cut["usage"]["completion_tokens"] == whole["usage"]["completion_tokens"] // 3


def test_an_empty_answer_is_200_without_a_token(endpoint: Endpoint) -> None:
    response = endpoint.chat(headers=simulate("empty"))
    assert content(response) == ""
    assert response.json()["usage"]["completion_tokens"] == 0
    events = endpoint.events(headers=simulate("empty"))
    assert (said(events), events[-1]) == ("", "[DONE]")


def test_an_error_in_the_middle_is_an_event_after_so_many_tokens(endpoint: Endpoint) -> None:
    events = endpoint.events(temperature=0, headers=simulate("mid_stream_error", "after=3"))
    whole = content(endpoint.chat(temperature=0, max_tokens=3))
    assert said(events) == whole
    assert (events[-2]["error"]["code"], events[-1]) == (500, "[DONE]")
    assert endpoint.chat(headers=simulate("mid_stream_error")).status_code == 500


@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_broken_connection_is_noticed_by_the_client(endpoint: Endpoint, is_streamed: bool) -> None:  # noqa: FBT001
    with pytest.raises(httpx.RemoteProtocolError):
        endpoint.chat(stream=is_streamed, headers=simulate("mid_stream_error", "how=broken"))


@pytest.mark.parametrize(("kind", "options"), [("slow_start", "seconds=0.4"), ("stall", "seconds=0.4,after=2")])
def test_pauses_are_taken_and_nothing_is_lost(endpoint: Endpoint, kind: str, options: str) -> None:
    events = endpoint.client.build_request(
        "POST",
        "/v1/chat/completions",
        json={"messages": [{"role": "user", "content": "hello there"}], "stream": True, "temperature": 0},
        headers=simulate(kind, options),
    )
    response = endpoint.client.send(events)
    assert response.elapsed.total_seconds() >= 0.4
    assert said(parsed(response.text)) == content(endpoint.chat(temperature=0))


# What the cluster does


def test_a_failing_replica_answers_500_and_its_stream_ends_with_an_error() -> None:
    with running(narrow_plan()) as endpoint:
        endpoint.post("/simulate/faults", {"kind": "behave", "error_probability": 1.0})
        assert endpoint.chat().status_code == 500
        streamed = [endpoint.chat(str(number), stream=True) for number in range(8)]
        begun = [parsed(response.text) for response in streamed if response.status_code == 200]
        assert all(events[-2]["error"]["type"] == "InternalServerError" for events in begun)
        assert begun


def test_a_replica_that_hangs_stops_talking_and_the_gateway_gives_up() -> None:
    with running(narrow_plan(), speed=800.0) as endpoint:
        endpoint.post("/simulate/faults", {"kind": "behave", "hang_probability": 1.0})
        events = endpoint.events(temperature=0)
    assert events[-2]["error"]["code"] == 504
    assert len(said(events).split()) == 1


def test_drift_shows_in_a_part_of_the_greedy_answers_and_in_the_fingerprint() -> None:
    questions = [str(number) for number in range(40)]
    with running(default_plan(replicas=1), speed=400.0) as planned:
        expected = [content(planned.chat(text, temperature=0)) for text in questions]
        fingerprint = planned.chat().json()["system_fingerprint"]
    with running(default_plan(replicas=1), speed=400.0, drifted=frozenset({0})) as drifted:
        answers = [content(drifted.chat(text, temperature=0)) for text in questions]
        assert drifted.chat().json()["system_fingerprint"] != fingerprint
    differing = [(one, other) for one, other in zip(expected, answers, strict=True) if one != other]
    assert 2 <= len(differing) <= 16
    assert all(one.split()[0] == other.split()[0] for one, other in differing)
    with running(default_plan(replicas=1), speed=400.0, drifted=frozenset({0}), drift_is_silent=True) as silent:
        assert silent.chat().json()["system_fingerprint"] == fingerprint


def test_a_full_engine_queue_is_503_and_a_full_gateway_is_429() -> None:
    assert set(asyncio.run(_statuses(narrow_plan(batch_max=1, queue_max=1), 8))) == {200, 503}
    plan = default_plan(replicas=1)
    model = msgspec.structs.replace(plan.models[0], in_flight_max=1, queue_max=1)
    small = msgspec.structs.replace(plan, models=(model,))
    assert sorted(asyncio.run(_statuses(small, 5))) == [200, 200, 429, 429, 429]


@pytest.mark.parametrize(("left", "status"), [(1, 502), (0, 0)])
def test_a_gateway_without_file_descriptors_cannot_forward_or_not_even_accept(left: int, status: int) -> None:
    plan = default_plan()
    gateway = msgspec.structs.replace(plan.gateway, fd_limit=plan.gateway.fd_idle + left)
    with running(msgspec.structs.replace(plan, gateway=gateway)) as endpoint:
        if status:
            assert endpoint.chat().status_code == status
            return
        with pytest.raises(httpx.RemoteProtocolError):
            endpoint.chat()


async def _statuses(plan: Any, count: int) -> list[int]:
    with running(plan) as endpoint:
        async with httpx.AsyncClient(base_url=endpoint.url, timeout=60, trust_env=False) as client:
            asked = [client.post("/v1/chat/completions", json=_question(number)) for number in range(count)]
            return [response.status_code for response in await asyncio.gather(*asked)]


def _question(number: int, **body: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": f"question {number}"}], "temperature": 0, **body}


def test_more_at_once_wait_longer_for_their_first_token() -> None:
    def median_ttft_s(together: int) -> float:
        waits: list[float] = []
        with running(narrow_plan(batch_max=8), speed=100.0) as endpoint:
            endpoint.desk.room.heard.append(lambda one: waits.append(one.first_token_s - one.arrival_s))
            asyncio.run(_together(endpoint, together))
        return sorted(waits)[len(waits) // 2]

    assert median_ttft_s(64) > 3 * median_ttft_s(4)


async def _together(endpoint: Endpoint, count: int) -> None:
    async with httpx.AsyncClient(base_url=endpoint.url, timeout=60, trust_env=False) as client:
        bodies = [_question(number, max_tokens=60, ignore_eos=True) for number in range(count)]
        await asyncio.gather(*(client.post("/v1/chat/completions", json=body) for body in bodies))


@pytest.fixture
def single() -> Iterator[Endpoint]:
    """One slot, at the pace of the wall clock."""
    with running(narrow_plan(batch_max=1), speed=1.0) as endpoint:
        yield endpoint


@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_client_that_leaves_frees_its_slot(single: Endpoint, is_streamed: bool) -> None:  # noqa: FBT001
    ended: list[Request] = []
    single.desk.room.heard.append(ended.append)
    body = _question(1, max_tokens=3000, ignore_eos=True, stream=is_streamed)
    if is_streamed:
        with single.client.stream("POST", "/v1/chat/completions", json=body) as response:
            next(response.iter_lines())
    else:
        with pytest.raises(httpx.ReadTimeout):
            single.client.post("/v1/chat/completions", json=body, timeout=0.3)
    assert single.chat(max_tokens=3).status_code == 200
    assert [request.end for request in ended] == [End.CLIENT_GONE, End.COMPLETED]
    assert 'finished_reason="abort",model_name="meridian-8b-instruct"} 1.0' in single.client.get("/metrics").text


def test_a_thousand_streams_at_once_all_end_whole() -> None:
    assert allow_open_files() > 2 * STREAMS + 200, "this system allows too few open files"
    with running(default_plan(replicas=16), speed=10.0) as endpoint:
        endpoint.post("/simulate/faults", {"kind": "behave", "speed": 0.0})
        streams = asyncio.run(_streams(endpoint))
    assert all(stream.count("data: [DONE]") == 1 for stream in streams)
    usages = [
        event["usage"]["completion_tokens"] for stream in streams for event in _events(stream) if event.get("usage")
    ]
    assert usages == [150] * STREAMS


async def _streams(endpoint: Endpoint) -> list[str]:
    """Raw connections, so that the client costs little; the stalled cluster goes on when all are in."""
    host, port = endpoint.url.removeprefix("http://").split(":")

    async def one(number: int) -> str:
        options = {"max_tokens": 150, "ignore_eos": True, "stream": True, "stream_options": {"include_usage": True}}
        body = json.dumps(_question(number, **options)).encode()
        reader, writer = await asyncio.open_connection(host, int(port))
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: e\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        text = (await reader.read()).decode()
        writer.close()
        return text

    asking = [asyncio.ensure_future(one(number)) for number in range(STREAMS)]
    while len(endpoint.desk.room.tickets) < STREAMS:  # noqa: ASYNC110 - they arrive in another thread
        await asyncio.sleep(0.02)
    endpoint.client.delete("/simulate/faults")
    return await asyncio.gather(*asking)


def _events(stream: str) -> Iterator[Any]:
    for line in stream.splitlines():
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))
