"""`peakline serve`: listen, answer, stop cleanly."""

import asyncio
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
import uvicorn
from starlette.types import ASGIApp

from peakline_server.listening import CannotListenError, QuietServer, listen
from peakline_server.settings import LOOPBACK_HOSTS, Role, ServeSettings
from vocabulary.errors import PeaklineError

if TYPE_CHECKING:
    from peakline_server.wiring import Server

_GRACE_S = 20
_BACKLOG = 2048
_PORT = click.IntRange(0, 65_535)


class PortTakenError(PeaklineError):
    """Another process listens on the port."""


class PublicBindError(PeaklineError):
    """The host is not loopback and no access control is configured."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A bound socket and what it answers."""

    port: int
    socket: socket.socket


def bind(host: str, port: int) -> Listener:
    """Bind a listener before anything else starts, so that a taken port is told at once.

    raises  PortTakenError, PublicBindError
    """
    if host not in LOOPBACK_HOSTS:
        message = (
            f"refusing to listen on {host}: without access control Peakline listens on loopback only; "
            "use --host 127.0.0.1 and put an authenticating proxy or an SSH tunnel in front"
        )
        raise PublicBindError(message)
    try:
        return Listener(port, listen(host, port, _BACKLOG))
    except CannotListenError as problem:
        raise PortTakenError(f"{problem}; choose another with --port or --otlp-http-port") from problem


async def run_listeners(server: "Server", listeners: list[Listener]) -> None:
    """Serve until SIGTERM or SIGINT: requests under way are answered, then the parts are closed in order."""
    app: ASGIApp = server.app
    uvicorns = [QuietServer(_config(app)) for _ in listeners]
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _stop, uvicorns)
    async with server.lifespan(), asyncio.TaskGroup() as group:
        for listening, one in zip(listeners, uvicorns, strict=True):
            group.create_task(one.serve(sockets=[listening.socket]))
        group.create_task(_announce(server, uvicorns))


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
        server_header=False,
    )


def _stop(uvicorns: list[QuietServer]) -> None:
    for one in uvicorns:
        one.should_exit = True


async def _announce(server: "Server", uvicorns: list[QuietServer]) -> None:
    while not all(one.started for one in uvicorns):
        if any(one.should_exit for one in uvicorns):
            return
        await asyncio.sleep(0.02)
    click.echo(server.greeting())


def _build(settings: ServeSettings) -> "Server":
    """Bound ports come first: stores, Dash and the engine take seconds to import."""
    from peakline_server.wiring import build_server

    return build_server(settings)


@click.command()
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder of everything the server keeps.",
)
@click.option("--init", is_flag=True, help="Make the data folder when it is missing.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; loopback only until access is configured.",
)
@click.option("--port", type=_PORT, default=8600, show_default=True, help="API, dashboard and OTLP/HTTP.")
@click.option(
    "--otlp-http-port", type=_PORT, default=4318, show_default=True, help="OTLP/HTTP alone; 0 switches it off."
)
@click.option(
    "--otlp-grpc-port",
    type=_PORT,
    default=4317,
    show_default=True,
    help="OTLP/gRPC; 0 switches it off. Not received yet.",
)
@click.option(
    "--store",
    default="",
    metavar="URL",
    help="ClickHouse, for example clickhousedb://user@host:8123/peakline. Default: embedded, in --data.",
)
@click.option(
    "--control",
    default="",
    metavar="URL",
    help="PostgreSQL, for example postgresql+psycopg://user@host/peakline. Default: SQLite, in --data.",
)
@click.option("--rules", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Alert rules, YAML.")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.ALL.value,
    show_default=True,
    help="Parts to run in this process.",
)
@click.option(
    "--capture-content",
    is_flag=True,
    help="Keep prompts and outputs instead of reducing them to length and salted hash.",
)
def serve(*, role: str, **options: object) -> None:
    """Receive telemetry, keep it, show it.

    Stops cleanly on SIGTERM or Ctrl-C. Exit code 2 when it cannot start.
    """
    settings = ServeSettings(role=Role(role), **options)  # type: ignore[arg-type]  # click has checked the types
    ports = [port for port in (settings.port, settings.otlp_http_port) if port]
    listeners: list[Listener] = []
    try:
        listeners.extend(bind(settings.host, port) for port in dict.fromkeys(ports))
        server = _build(settings)
    except PeaklineError as problem:
        for listening in listeners:
            listening.socket.close()
        click.echo(f"peakline: {problem}", err=True)
        raise SystemExit(2) from None
    try:
        asyncio.run(run_listeners(server, listeners))
    finally:
        server.close()
