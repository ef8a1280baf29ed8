import os
import signal
import socket

import httpx
import pytest
from click.testing import CliRunner, Result

from loadtest.fleet.simulation import Simulation
from loadtest.scenarios.catalogue import fleet, fleet_names
from peakline_server.simulate_endpoint import simulate_endpoint
from tests.loadtest.endpoint.process import started


def refused(*options: str) -> Result:
    result = CliRunner().invoke(simulate_endpoint, options)
    assert result.exit_code == 2, result.output
    return result


def post(url: str, **headers: str) -> httpx.Response:
    body = {"messages": [{"role": "user", "content": "hi"}]}
    return httpx.post(f"{url}/v1/chat/completions", json=body, headers=headers, timeout=30, trust_env=False)


def test_it_serves_what_was_asked_for_and_stops_on_a_signal() -> None:
    options = ["--speed", "50", "--model", "mine", "--replicas", "3", "--inject", "behave:1:speed=0.5"]
    with started(*options, "--inject", "503:1:times=1") as (process, url):
        assert post(url).status_code == 503
        assert post(url).json()["model"] == "mine"
        kinds = [fault["kind"] for fault in httpx.get(f"{url}/simulate/faults", trust_env=False).json()["faults"]]
        assert kinds == ["503", "behave"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_fleet_by_its_name_and_a_key() -> None:
    with started("--fleet", "small", "--api-key", "right", "--speed", "500", "--replicas", "1") as (_, url):
        assert post(url).status_code == 401
        assert post(url, authorization="Bearer right").status_code == 200


def test_requests_that_never_get_an_answer_do_not_hold_up_the_end() -> None:
    with started("--inject", "timeout") as (process, url):
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as waiting:
            body = b'{"messages": [{"role": "user", "content": "x"}]}'
            waiting.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: e\r\nContent-Length: %d\r\n\r\n" % len(body))
            waiting.sendall(body)
            while httpx.get(f"{url}/simulate/faults", trust_env=False).json()["counts"]["timeout"] == 0:
                pass
            process.send_signal(signal.SIGINT)
            assert waiting.recv(1000).startswith(b"HTTP/1.1 200"), "left unanswered, not cut off"
            assert process.wait(20) == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::"])  # noqa: S104 - it is what the test is about
@pytest.mark.parametrize("key", [(), ("--api-key", "")])
def test_a_public_address_without_a_key_is_refused(host: str, key: tuple[str, ...]) -> None:
    assert "--api-key" in refused("--port", "0", "--host", host, *key).stderr


def test_a_public_address_with_a_key_is_used_and_told() -> None:
    with started("--host", "0.0.0.0", "--api-key", "right") as (process, _):  # noqa: S104 - it is what the test is about
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0, "a signal is minded from the greeting on"
        assert process.stderr is not None
        assert "beyond this machine" in process.stderr.read()


def test_a_taken_port_is_told_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert port in refused("--port", port).stderr


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--inject", "418"], "kinds are"),
        (["--inject", "behave:9:speed=1"], "replicas of"),
        (["--fleet", "absent"], "there is no fleet"),
        (["--fleet", "small", "--model", "absent"], "no model"),
        (["--drift", "2"], "replicas are 0 to 1"),
        (["--speed", "0"], "--speed"),
        (["--speed", "nan"], "--speed"),
        (["--otlp", "localhost:4318"], "--otlp"),
        (["--inject", "503:1:model=absent"], "no model"),
        (["--inject", "behave:0:speed=0.1,for_s=10"], "for_s"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(options: list[str], word: str) -> None:
    assert word in refused(*options).stderr


def test_the_key_may_come_from_the_environment() -> None:
    os.environ["PEAKLINE_ENDPOINT_KEY"] = "right"
    try:
        with started("--speed", "50") as (_, url):
            assert post(url).status_code == 401
    finally:
        del os.environ["PEAKLINE_ENDPOINT_KEY"]


@pytest.mark.parametrize("name", fleet_names())
def test_every_shipped_fleet_can_stand_behind_an_endpoint(name: str) -> None:
    Simulation(fleet(name, 5, 9), lambda _: None)
