"""The surface of the whole server while nobody configured access; test_access_matrix.py asks the configured one."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from bench.harness.pages import PageReader
from bench.harness.server import ServerProcess, running_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("surface")) as one:
        yield one


def test_the_receiver_is_in_the_documentation_of_the_api(server: ServerProcess) -> None:
    assert "post" in server.get("/api/openapi.json")["paths"]["/v1/traces"]


def test_a_page_shows_the_principal_that_the_server_named(server: ServerProcess) -> None:
    with closing(PageReader(server.port)) as pages:
        assert b"anonymous@loopback" in pages.page("/setup")
