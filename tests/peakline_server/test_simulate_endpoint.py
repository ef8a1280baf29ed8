import os
import signal
import socket
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from loadtest.endpoint.plans import UnknownPartError
from loadtest.fleet.simulation import Simulation
from loadtest.scenarios.catalogue import FLEETS, fleet_names
from loadtest.scenarios.document import ScenarioError
from peakline_server.simulate_endpoint import fleet_from, simulate_endpoint
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


def test_a_public_address_is_used_when_it_is_asked_for_and_told() -> None:
    with started("--host", "0.0.0.0") as (process, _):  # noqa: S104 - it is what the test is about
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        assert process.stderr is not None
        told = process.stderr.read()
        assert "beyond this machine" in told
        assert "--api-key" in told


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
    plan = fleet_from(name, 5, 9)
    assert (plan.seed, plan.origin_ns) == (5, 9)
    Simulation(plan, lambda _: None)


def test_a_fleet_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text((FLEETS / "small.yaml").read_text())
    assert fleet_from(str(file), 0, 0) == fleet_from("small", 0, 0)
    file.write_text("wrong: 1\n")
    with pytest.raises(ScenarioError):
        fleet_from(str(file), 0, 0)
    with pytest.raises(UnknownPartError, match=r"absent\.yaml"):
        fleet_from("absent.yaml", 0, 0)
