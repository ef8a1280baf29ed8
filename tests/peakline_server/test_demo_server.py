"""The demo's server: started, watched, stopped; its last words reach the person."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from bench.harness.server import free_port
from peakline_server.demo_folder import DemoFolder, DemoFolderError, open_folder
from peakline_server.demo_server import DemoServer, DemoServerError, assert_port_free

STUB = (sys.executable, "-m", "tests.factories.otlp_stub")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DemoFolder]:
    one = open_folder(tmp_path / "demo")
    yield one
    one.lock.close()


def saying(words: str, code: int) -> tuple[str, ...]:
    return (sys.executable, "-c", f"import sys; sys.stderr.write({words!r}); sys.exit({code})")


def test_it_is_ready_when_start_returns_and_gone_after_stop(folder: DemoFolder) -> None:
    server = DemoServer(folder, free_port(), free_port(), STUB)
    server.start(lambda: False)
    assert httpx.get(f"{server.otlp_url}/readyz").is_success
    server.assert_runs()
    server.stop()
    with pytest.raises(DemoServerError, match="ended by itself with code 0"):
        server.assert_runs()


def test_a_server_that_cannot_start_is_quoted(folder: DemoFolder) -> None:
    words = "one\npeakline: the store is locked"
    with pytest.raises(DemoServerError, match="ended by itself with code 2: the store is locked"):
        DemoServer(folder, free_port(), free_port(), saying(words, 2)).start(lambda: False)


def test_a_silent_end_is_told_too(folder: DemoFolder) -> None:
    with pytest.raises(DemoServerError, match="code 3: it said nothing"):
        DemoServer(folder, free_port(), free_port(), saying("", 3)).start(lambda: False)


def test_waiting_ends_when_the_person_has_had_enough(folder: DemoFolder) -> None:
    server = DemoServer(folder, free_port(), free_port(), (sys.executable, "-c", "import time; time.sleep(60)"))
    server.start(lambda: True)
    server.stop()


def test_the_server_keeps_the_folder_locked_when_the_demo_dies(folder: DemoFolder) -> None:
    server = DemoServer(folder, free_port(), free_port(), STUB)
    server.start(lambda: False)
    folder.lock.close()
    with pytest.raises(DemoFolderError, match="another demo is running"):
        open_folder(folder.path)
    server.stop()
    open_folder(folder.path).lock.close()


def test_stopping_what_never_started_does_nothing(folder: DemoFolder) -> None:
    DemoServer(folder, 1, 2).stop()


def test_a_taken_port_names_the_option() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(DemoServerError, match=rf"port {port} cannot be used .* choose another with --port"):
            assert_port_free(port, "--port")
    assert_port_free(port, "--port")
