"""Starting and stopping: one human sentence and exit code 2 when it cannot start, nothing lost when it stops."""

import asyncio
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.harness.server import ServerProcess, free_port
from tests.paths.exports import Sender, seeded, split_request


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A running server that tests of this module collide with."""
    folder = tmp_path_factory.mktemp("server")
    running = ServerProcess(folder / "data", free_port(), folder / "server.log")
    running.start()
    yield running
    running.stop()


def _serve(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "peakline_server.main", "serve", "--otlp-http-port", "0", *options]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def _assert_one_sentence(ended: subprocess.CompletedProcess[str], *words: str) -> None:
    assert ended.returncode == 2, ended.stderr
    assert ended.stdout == ""
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    assert all(word in ended.stderr for word in words), ended.stderr


def test_a_second_process_on_the_same_folder(server: ServerProcess) -> None:
    _assert_one_sentence(_serve("--data", str(server.data), "--port", str(free_port())), "in use")


def test_a_taken_port(server: ServerProcess, tmp_path: Path) -> None:
    _assert_one_sentence(_serve("--init", "--data", str(tmp_path / "d"), "--port", str(server.port)), str(server.port))


def test_a_missing_folder(tmp_path: Path) -> None:
    _assert_one_sentence(_serve("--data", str(tmp_path / "typo"), "--port", str(free_port())), "does not exist")


def test_a_public_address(tmp_path: Path) -> None:
    _assert_one_sentence(_serve("--init", "--data", str(tmp_path / "d"), "--host", "0.0.0.0"), "loopback")  # noqa: S104 - refused


def test_a_folder_of_a_newer_version(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    server = ServerProcess(folder, free_port(), tmp_path / "log")
    server.start()
    server.stop()
    with sqlite3.connect(folder / "control.sqlite") as control:
        control.execute("update alembic_version set version_num = '9999_future'")
    control.close()
    _assert_one_sentence(_serve("--data", str(folder), "--port", str(server.port)), "newer")


def test_a_role_that_embedded_stores_cannot_have(tmp_path: Path) -> None:
    _assert_one_sentence(_serve("--init", "--data", str(tmp_path / "d"), "--role", "web"), "--role all")


def test_sigterm_answers_exports_under_way_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", free_port(), tmp_path / "log")
    server.start()
    sender, rng = Sender(server.url), seeded()
    exports = [export for _ in range(600) for export in split_request(rng)]

    async def stop_under_load() -> int:
        sending = asyncio.create_task(sender.send(exports))
        while sender.bodies < 300:  # noqa: ASYNC110 - the server is another process
            await asyncio.sleep(0.002)
        code = await asyncio.to_thread(server.stop)
        await sending
        return code

    assert asyncio.run(stop_under_load()) == 0
    assert "Traceback" not in server.log.read_text()
    acknowledged = len(sender.acknowledged)
    server.start()
    stored = server.get("/api/v1/ledger?from=now-1d")["ingest"]["traces"]["stored"]
    server.stop()
    assert stored >= acknowledged > 0


def test_a_stop_with_idle_keep_alive_connections_is_quick(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", free_port(), tmp_path / "log")
    server.start()
    with socket.create_connection(("127.0.0.1", server.port)) as idle:
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert idle.recv(100).startswith(b"HTTP/1.1 200")
        process = server.process
        assert process is not None
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(timeout=15) == 0


def test_the_greeting_says_where_to_look_and_what_to_paste(server: ServerProcess) -> None:
    text = server.log.read_text()
    assert f"{server.url}/api/docs" in text
    assert f"export OTEL_EXPORTER_OTLP_ENDPOINT={server.url}" in text


def test_a_data_folder_moves_with_its_content(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", free_port(), tmp_path / "log")
    server.start()
    asyncio.run(Sender(server.url).send(split_request(seeded())))
    server.stop()
    shutil.move(tmp_path / "data", tmp_path / "moved")
    moved = ServerProcess(tmp_path / "moved", server.port, tmp_path / "log")
    moved.start()
    assert moved.get("/api/v1/ledger?from=now-1d")["ingest"]["traces"]["stored"] == 2
    moved.stop()
