"""Starting: what is told in one sentence before anything runs, and what the listeners are told."""

import asyncio
import contextlib
import os
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import trustme
from click.testing import CliRunner, Result
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from bench.harness.server import free_port
from peakline_server.serve import PortTakenError, PublicBindError, bind, run_listeners, serve
from peakline_server.tls import TlsSettings, open_tls
from peakline_server.wiring import Server


def test_a_taken_port_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"port {port} on 127.0.0.1 cannot be used"):
            bind("127.0.0.1", port)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])  # noqa: S104 - refused here
def test_a_public_address_is_refused_without_access_control(host: str) -> None:
    with pytest.raises(PublicBindError, match="loopback only"):
        bind(host, 0)


def test_a_public_address_is_bound_where_callers_must_say_who_they_are() -> None:
    bind("0.0.0.0", 0, is_guarded=True).socket.close()  # noqa: S104 - nothing answers there


@pytest.fixture(autouse=True)
def _empty_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No peakline.yaml of somebody else."""
    monkeypatch.chdir(tmp_path)


def refused(*options: str, **environment: str) -> Result:
    result = CliRunner().invoke(serve, options, env=environment)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    return result


def test_a_data_folder_is_needed_from_somewhere() -> None:
    assert refused().stderr.startswith("peakline: server.data: ")
    assert (
        "does not exist"
        in refused(
            "--otlp-http-port", str(free_port()), PEAKLINE_SERVER_DATA="/no/folder", PEAKLINE_SERVER_PORT="0"
        ).stderr
    )


def test_every_mistake_in_the_configuration_is_a_line(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("server: {prot: 1}\n")
    said = refused("--config", str(file), "--role", "web", PEAKLINE_X="1").stderr.splitlines()
    assert len(said) == 3
    assert all(line.startswith("peakline: ") for line in said)


def test_an_option_overrules_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(f"server: {{data: absent, host: 0.0.0.0, port: 0, otlp_http_port: {free_port()}}}\n")
    assert "refusing to listen on 0.0.0.0" in refused("--config", str(file)).stderr
    assert "absent does not exist" in refused("--config", str(file), "--host", "127.0.0.1").stderr


def test_a_certificate_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    file = tmp_path / "a.yaml"
    file.write_text("server: {data: d, tls: {certificate_file: f, key_file: f}}\n")
    assert "is no PEM certificate" in refused("--config", str(file)).stderr


async def _told(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that tells what the server thinks of the request."""
    await PlainTextResponse(f"{scope['scheme']} {scope['client'][0]}")(scope, receive, send)


@contextlib.asynccontextmanager
async def _lifespan() -> AsyncIterator[None]:
    yield


def _server(ready: asyncio.Event, reload: Callable[[], None] = lambda: None) -> Server:
    def greeting() -> str:
        ready.set()
        return "ready"

    return Server(_told, _lifespan, lambda: None, greeting, reload)


def test_listeners_believe_no_forwarded_header_and_speak_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    issued.private_key_pem.write_to_path(tmp_path / "key")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert")
    (tmp_path / "key").chmod(0o600)
    trust = ssl.create_default_context()
    authority.configure_trust(trust)

    async def ask() -> str:
        ready = asyncio.Event()
        listener = bind("127.0.0.1", 0)
        port = listener.socket.getsockname()[1]
        tls = open_tls(TlsSettings(tmp_path / "cert", tmp_path / "key"), datetime.now(UTC))
        serving = asyncio.create_task(run_listeners(_server(ready), [listener], tls.uvicorn_options()))
        await ready.wait()
        async with httpx.AsyncClient(verify=trust, trust_env=False) as client:
            headers = {"x-forwarded-for": "8.8.8.8", "x-forwarded-proto": "http"}
            answer = await client.get(f"https://127.0.0.1:{port}/", headers=headers)
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
        return answer.text

    assert asyncio.run(ask()) == "https 127.0.0.1"


def test_a_hangup_reads_again_and_ends_nothing() -> None:
    async def hang_up() -> int:
        ready, heard = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()
        asked = []

        def reload() -> None:
            asked.append(True)
            loop.call_soon_threadsafe(heard.set)

        serving = asyncio.create_task(run_listeners(_server(ready, reload), [bind("127.0.0.1", 0)]))
        await ready.wait()
        os.kill(os.getpid(), signal.SIGHUP)
        await heard.wait()
        assert not serving.done()
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
        return len(asked)

    assert asyncio.run(hang_up()) == 1


def test_a_hangup_before_and_after_ends_nothing() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    refused()
    os.kill(os.getpid(), signal.SIGHUP)

    async def come_and_go() -> None:
        ready = asyncio.Event()
        serving = asyncio.create_task(run_listeners(_server(ready), [bind("127.0.0.1", 0)]))
        await ready.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        await serving

    asyncio.run(come_and_go())
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
