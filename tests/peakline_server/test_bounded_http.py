"""Heads that do not end, connections that say nothing, and too many of them cost little."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from peakline_server.bounded_http import CONNECTIONS_MAX, HEAD_BYTES_MAX, BoundedHttp, bounded_http


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(str(len(body)))(scope, receive, send)


@contextmanager
def serving(protocol: type[BoundedHttp]) -> Iterator[int]:
    config = uvicorn.Config(echo, host="127.0.0.1", port=0, log_level="critical", lifespan="off", http=protocol)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield int(server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(bounded_http(100_000, 1)) as found:
        yield found


def is_closed(link: socket.socket) -> bool:
    try:
        return link.recv(1) == b""
    except ConnectionResetError:
        return True


def sent_until_cut(link: socket.socket) -> int:
    """Bytes of a head that were taken, at most a hundred times the bound."""
    sent = 0
    try:
        while sent < 100 * HEAD_BYTES_MAX:
            sent += link.send(b"X-A: b\r\n" * 500)
            time.sleep(0.001)
    except OSError:
        pass
    return sent


def test_a_head_that_does_not_end_is_cut_off(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 20) as link:
        link.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert sent_until_cut(link) < 50 * HEAD_BYTES_MAX


def test_a_connection_that_says_nothing_or_half_a_head_is_closed() -> None:
    class Hasty(BoundedHttp):
        head_max_s = 0.2

    with serving(Hasty) as hasty:
        for said in (b"", b"GET / HTTP/1.1\r\nHost:"):
            with socket.create_connection(("127.0.0.1", hasty), 20) as link:
                link.sendall(said)
                assert is_closed(link)


def test_bodies_and_later_requests_of_a_connection_are_not_heads(port: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        assert client.post("/", content=b"x" * (5 << 20)).text == str(5 << 20)
        assert [client.post("/", content=b"ab").text for _ in range(200)] == ["2"] * 200
        long = {f"x-{number}": "v" * 1000 for number in range(60)}
        assert client.get("/", headers=long).text == "0"


def test_many_requests_sent_at_once_are_all_answered(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 20) as link:
        link.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 500)
        answered = b""
        while answered.count(b"HTTP/1.1 200") < 500:
            piece = link.recv(1 << 16)
            assert piece
            answered += piece


def test_beyond_the_most_connections_a_new_one_is_closed_and_the_old_ones_serve() -> None:
    class Narrow(BoundedHttp):
        connections_max = 2

    with serving(Narrow) as narrow:
        links = [socket.create_connection(("127.0.0.1", narrow), 20) for _ in range(3)]
        assert is_closed(links[2])
        links[0].sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert links[0].recv(100).startswith(b"HTTP/1.1 200")
        for link in links:
            link.close()


@pytest.mark.parametrize(("files", "listeners", "most"), [(1024, 2, 384), (1 << 20, 2, CONNECTIONS_MAX), (100, 2, 16)])
def test_connections_leave_files_to_the_stores(files: int, listeners: int, most: int) -> None:
    assert bounded_http(files, listeners).connections_max == most
