import re
import socket
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.house import ApiHouse
from peakline_server.report import report
from store.control.open import Control
from store.telemetry.open import Telemetry
from tests.api.conftest import Naming, application, somebody
from tests.factories.requests import minute_of_traffic, request_rows, shown
from tests.factories.serving import served
from vocabulary.access import Role


@pytest.fixture
def server(peakline: str) -> str:
    return peakline


def tiers(server: str, *arguments: str) -> Result:
    return CliRunner().invoke(report, ["tiers", "--server", server, *arguments])


def test_the_report_shows_rates_with_their_intervals(server: str, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, *(minute_of_traffic(at, 20, failed=1) for at in range(8)), minute_of_traffic(9, 90, 30))
    result = tiers(server)
    assert result.exit_code == 0, result.output
    assert "chat / m: traffic tiers" in result.output
    assert "off_peak" in result.output
    assert "33.3 %" in result.output
    assert "×" in result.output
    assert "error 30" in result.output
    assert "Fewer than 7 days" in result.output


def test_the_same_answer_is_available_as_json(server: str, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(40))
    result = tiers(server, "--json")
    assert result.exit_code == 0
    assert orjson.loads(result.stdout)["rows"][0]["rate"]["requests"] == 40


def test_a_load_test_shows_its_steps(server: str, telemetry: Telemetry, control: Control) -> None:
    steps = [
        minute_of_traffic(5 * at, 100, failed=10 * at, load_test="sweep", load_test_step=at, offered_rps=5.0 * (at + 1))
        for at in range(3)
    ]
    shown(telemetry, control, *steps)
    result = tiers(server, "--load-test", "sweep")
    assert result.exit_code == 0, result.output
    assert "load test sweep" in result.output
    assert "general 2" in result.output


def test_several_pools_are_listed_to_choose_from(server: str, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(5), request_rows(5, model="n"))
    result = tiers(server)
    assert result.exit_code == 2
    assert "--service 'chat' --model 'n'" in result.output
    assert tiers(server, "--model", "n").exit_code == 0


def test_an_empty_store_says_how_to_send(server: str) -> None:
    result = tiers(server)
    assert result.exit_code == 1
    assert "OTEL_EXPORTER_OTLP_ENDPOINT=" + server in result.output


def test_an_empty_window_says_where_requests_are(server: str, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(5, -900 * 86_400.0))
    result = tiers(server)
    assert result.exit_code == 1
    assert "tiers --service chat --model m --from 2023-04-23T08:53:00Z --to 2023-04-23T08:54:00Z" in result.output
    assert re.search(r"No requests from \S+:\d\dZ to \S+:\d\dZ\.", result.output)
    assert tiers(server, "--from", "2023-04-23T08:53:00Z", "--to", "2023-04-24T08:53:00Z").exit_code == 0


def test_no_server_is_one_sentence_and_exit_code_2() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        result = tiers(f"http://127.0.0.1:{taken.getsockname()[1]}")
    assert result.exit_code == 2
    assert result.output.startswith("Error: No Peakline server answers at http://127.0.0.1:")
    assert "peakline serve" in result.output
    assert tiers("no address").exit_code == 2


def test_another_kind_of_server_is_noticed() -> None:
    other = FastAPI()
    other.add_api_route("/{path:path}", lambda: HTMLResponse("hello"))
    with served(other) as url:
        result = tiers(url)
    assert result.exit_code == 2
    assert "no Peakline server" in result.output


def test_what_the_server_refuses_is_told(server: str) -> None:
    result = tiers(server, "--from", "yesterday")
    assert result.exit_code == 2
    assert "'yesterday' is no time" in result.output


def test_a_day_is_a_time(server: str, telemetry: Telemetry, control: Control) -> None:
    shown(telemetry, control, request_rows(5, -900 * 86_400.0))
    assert tiers(server, "--from", "2023-04-23", "--to", "2023-04-24").exit_code == 0
    assert tiers(server, "--from", "2023-04-23", "--to", "2023-04-23").exit_code == 2


def test_an_address_without_a_scheme_is_told_what_to_add() -> None:
    result = tiers("127.0.0.1:9600")
    assert result.exit_code == 2
    assert "add http:// in front: http://127.0.0.1:9600" in result.output


def test_a_load_test_of_another_pool_says_where_it_ran(server: str, telemetry: Telemetry, control: Control) -> None:
    step = minute_of_traffic(0, 100, failed=1, load_test="sweep", load_test_step=0, offered_rps=5.0)
    shown(telemetry, control, step)
    result = tiers(server, "--load-test", "sweep", "--service", "nope")
    assert result.exit_code == 2
    assert "The load test 'sweep' did not run on nope" in result.output
    assert "--load-test sweep --service chat --model m" in result.output
    assert "No load test is named 'other'" in tiers(server, "--load-test", "other", "--service", "nope").output


class Wanting:
    """A server that wants a token and names somebody for a right one."""

    def __init__(self, app: ASGIApp, token: str, role: Role) -> None:
        self._token, self._known, self._unknown = token, Naming(app, somebody(role)), Naming(app, None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        told = dict(scope["headers"]).get(b"authorization", b"").decode()
        await (self._known if told == f"Bearer {self._token}" else self._unknown)(scope, receive, send)


def test_a_server_that_wants_a_token_says_how_to_give_one(
    api_house: ApiHouse, telemetry: Telemetry, control: Control
) -> None:
    shown(telemetry, control, request_rows(5))
    with served(Wanting(application(api_house), "pkl_right", Role.VIEWER)) as url:
        without = tiers(url)
        wrong = CliRunner().invoke(report, ["tiers", "--server", url], env={"PEAKLINE_TOKEN": "pkl_wrong"})
        right = CliRunner().invoke(report, ["tiers", "--server", url], env={"PEAKLINE_TOKEN": "pkl_right"})
    assert without.exit_code == wrong.exit_code == 2
    assert f"The server at {url} wants a token: set PEAKLINE_TOKEN or --token-file" in without.output
    assert "--role viewer" in without.output
    assert "The token in PEAKLINE_TOKEN (or --token-file) is not valid, expired or revoked" in wrong.output
    assert right.exit_code == 0, right.output


def test_a_token_that_may_not_read_is_told_so(api_house: ApiHouse, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("pkl_right")
    with served(Wanting(application(api_house), "pkl_right", Role.INGEST)) as url:
        result = tiers(url, "--token-file", str(tmp_path / "token"))
    assert result.exit_code == 2
    assert "ada has the role ingest, which may not read" in result.output
