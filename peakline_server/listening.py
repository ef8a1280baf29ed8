"""A listening socket, and a server that runs until a signal and lets waiting requests go then."""

import asyncio
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from vocabulary.errors import PeaklineError

_GRACE_S = 5


class CannotListenError(PeaklineError):
    """The address or the port cannot be used."""


class QuietServer(uvicorn.Server):
    """Signals are handled once, by whoever runs it, so that a signal is a clean end and not an error."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def run(
    app: object, listening: socket.socket, stopping: asyncio.Event, announce: Callable[[], None] = lambda: None
) -> None:
    """Serve until SIGTERM or SIGINT; then `stopping` is set, and answers under way have some seconds to end.

    stopping   for requests that wait for nothing else: they would hold up the end
    announce   called when signals are minded, so that whoever heard of it can end it
    """
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application, whoever made it
        log_level="critical",  # broken connections are what callers asked for
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
        server_header=False,
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(_serve(QuietServer(config), listening, stopping, announce))


async def _serve(
    server: uvicorn.Server, listening: socket.socket, stopping: asyncio.Event, announce: Callable[[], None]
) -> None:
    def stop() -> None:
        stopping.set()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    announce()
    await server.serve(sockets=[listening])


def allow_open_files() -> int:
    """Raise the number of files that this process may have open as far as the system lets it: each stream is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def listen(host: str, port: int, backlog: int) -> socket.socket:
    """Bind before anything is announced, so that a taken port is told at once.

    raises  CannotListenError
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only of a socket that names its protocol does the event loop send small pieces at once: without it, an answer on a
    # connection that is kept waits 40 ms for the acknowledgement of its own head.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(backlog)
    except (OSError, UnicodeError, TypeError, ValueError) as problem:  # the last three: a host that is no name
        listening.close()
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise CannotListenError(f"port {port} on {host} cannot be used ({reason})") from problem
    return listening
