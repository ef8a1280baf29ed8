import asyncio
import os
import resource
import signal
import socket
import threading

import pytest
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from peakline_server.listening import CannotListenError, allow_open_files, listen, run


def test_a_taken_port_is_told_at_once() -> None:
    with listen("127.0.0.1", 0, 1) as taken, pytest.raises(CannotListenError, match="cannot be used"):
        listen("127.0.0.1", taken.getsockname()[1], 1)


@pytest.mark.parametrize("host", ["ü" * 100, "a\0b", "a..b"])
def test_a_host_that_is_no_name_is_told_too(host: str) -> None:
    with pytest.raises(CannotListenError, match="cannot be used"):
        listen(host, 0, 1)


def test_a_signal_lets_waiting_requests_go_and_is_a_clean_end() -> None:
    stopping = asyncio.Event()

    async def waits(scope: Scope, receive: Receive, send: Send) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await stopping.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    app = Starlette()
    app.mount("/", waits)
    listening = listen("127.0.0.1", 0, 1)
    answers: list[bytes] = []
    asking = threading.Thread(target=lambda: answers.append(_ask(listening.getsockname()[1])))
    asking.start()
    run(app, listening, stopping)
    asking.join(10)
    assert answers[0].startswith(b"HTTP/1.1 204")


def _ask(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: e\r\n\r\n")
        return connection.recv(1000)


def test_as_many_files_may_be_open_as_the_system_lets_a_process_have() -> None:
    assert allow_open_files() == resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_small_answers_are_sent_at_once() -> None:
    async def is_at_once() -> bool:
        answered: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def met(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            link = writer.get_extra_info("socket")
            answered.set_result(link.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = listen("127.0.0.1", 0, 5)
        async with await asyncio.start_server(met, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            writer.close()
            return bool(await answered)

    assert asyncio.run(is_at_once())
