"""The surface of the whole server: who may ask, and what is documented."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.harness.pages import PageReader
from bench.harness.server import ServerProcess, running_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("surface")) as one:
        yield one


def test_no_route_of_the_application_answers_a_request_that_nobody_named(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.paths.surface_walk", str(tmp_path / "data")]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr[-2000:]
    statuses: dict[str, list[int]] = json.loads(ended.stdout)
    assert {"POST /v1/traces", "POST /_dash-update-component", "GET /api/v1/requests", "GET /healthz"} <= set(statuses)
    assert {asked: found[0] for asked, found in statuses.items() if found[0] != 401} == {}
    assert {asked: found[1] for asked, found in statuses.items() if found[1] == 401} == {}


def test_the_receiver_is_in_the_documentation_of_the_api(server: ServerProcess) -> None:
    assert "post" in server.get("/api/openapi.json")["paths"]["/v1/traces"]


def test_a_page_shows_the_principal_that_the_server_named(server: ServerProcess) -> None:
    with closing(PageReader(server.port)) as pages:
        assert b"anonymous@loopback" in pages.page("/setup")
