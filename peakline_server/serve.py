"""`peakline serve`: listen, answer, stop cleanly."""

import asyncio
import os
import signal
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import uvicorn
from starlette.types import ASGIApp

from peakline_server.bounded_http import bounded_http
from peakline_server.listening import CannotListenError, QuietServer, allow_open_files, listen
from peakline_server.settings import PUBLIC_BIND, Role, ServeSettings, is_loopback
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


def bind(host: str, port: int, *, is_guarded: bool = False) -> Listener:
    """Bind a listener before anything else starts, so that a taken port is told at once.

    is_guarded  whether callers must say who they are; only then another address than loopback is bound
    raises      PortTakenError, PublicBindError
    """
    if not is_guarded and not is_loopback(host):
        raise PublicBindError(PUBLIC_BIND.format(host=host))
    try:
        return Listener(port, listen(host, port, _BACKLOG))
    except CannotListenError as problem:
        raise PortTakenError(f"{problem}; choose another with --port or --otlp-http-port") from problem


async def run_listeners(
    server: "Server",
    listeners: list[Listener],
    tls_options: Mapping[str, Any] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT: requests under way are answered, then the parts are closed in order.

    SIGHUP reads changed files again, in a thread, for that may take its time.

    tls_options  further keyword arguments of uvicorn.Config, the same for every listener
    """
    app: ASGIApp = server.app
    protocol = bounded_http(allow_open_files(), len(listeners))
    uvicorns = [QuietServer(_config(app, protocol, tls_options or {})) for _ in listeners]
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _stop, uvicorns)
    loop.add_signal_handler(signal.SIGHUP, lambda: loop.run_in_executor(None, server.reload))
    try:
        async with server.lifespan(), asyncio.TaskGroup() as group:
            for listening, one in zip(listeners, uvicorns, strict=True):
                group.create_task(one.serve(sockets=[listening.socket]))
            group.create_task(_announce(server, uvicorns))
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _config(app: ASGIApp, protocol: type[asyncio.Protocol], tls_options: Mapping[str, Any]) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=protocol,
        lifespan="off",
        log_level="error",  # garbage from strangers is answered, and must not fill the log
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
        server_header=False,
        proxy_headers=False,  # whose forwarded headers count is for the access layer to say
        **tls_options,
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


_OPTIONS = {
    "data": "server.data",
    "host": "server.host",
    "port": "server.port",
    "otlp_http_port": "server.otlp_http_port",
    "otlp_grpc_port": "server.otlp_grpc_port",
    "role": "server.role",
    "store": "store.telemetry_url",
    "control": "store.control_url",
    "rules": "alerts.rules_file",
    "capture_content": "ingest.capture_content",
}
"""Option -> the setting that it overrides."""


def _settings(config: Path | None, options: Mapping[str, object], *, init: bool) -> ServeSettings:
    """Options before environment variables before the file before defaults.

    raises  ConfigurationError
    """
    from peakline_server.configuration.loading import load
    from peakline_server.configuration.serving import serve_settings

    told = {_OPTIONS[name]: (f"--{name.replace('_', '-')}", value) for name, value in options.items()}
    return serve_settings(load(config, os.environ, told), init=init)


def _tls_options(settings: ServeSettings) -> Mapping[str, Any]:
    """Keyword arguments of uvicorn.Config; what will be wrong soon is said now.

    raises  TlsError
    """
    if settings.tls is None:
        return {}
    from peakline_server.tls import open_tls

    tls = open_tls(settings.tls, datetime.now(UTC))
    for warning in tls.warnings:
        click.echo(f"peakline: {warning}", err=True)
    return tls.uvicorn_options()


@click.command()
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Configuration. Default: the file that PEAKLINE_CONFIG names, else ./peakline.yaml where it exists.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of everything the server keeps; needed here or in the configuration.",
)
@click.option("--init", is_flag=True, help="Make the data folder when it is missing.")
@click.option("--host", help="Address to listen on; loopback only without access control.  [default: 127.0.0.1]")
@click.option("--port", type=_PORT, help="API, dashboard and OTLP/HTTP.  [default: 8600]")
@click.option("--otlp-http-port", type=_PORT, help="OTLP/HTTP alone; 0 switches it off.  [default: 4318]")
@click.option("--otlp-grpc-port", type=_PORT, help="OTLP/gRPC; 0 switches it off. Not received yet.  [default: 4317]")
@click.option(
    "--store",
    metavar="URL",
    help="ClickHouse, for example clickhousedb://user@host:8123/peakline. Default: embedded, in the data folder.",
)
@click.option(
    "--control",
    metavar="URL",
    help="PostgreSQL, for example postgresql+psycopg://user@host/peakline. Default: SQLite, in the data folder.",
)
@click.option("--rules", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Alert rules, YAML.")
@click.option(
    "--role", type=click.Choice([role.value for role in Role]), help="Parts to run in this process.  [default: all]"
)
@click.option(
    "--capture-content",
    is_flag=True,
    default=None,
    help="Keep prompts and outputs instead of reducing them to length and salted hash.",
)
def serve(*, config: Path | None, init: bool, **options: object) -> None:
    """Receive telemetry, keep it, show it.

    Every option overrules its setting in the configuration (`peakline config docs`). Stops cleanly on SIGTERM or
    Ctrl-C, reads changed files again on SIGHUP. Exit code 2 when it cannot start.
    """
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # while it starts and while it stops nothing is there to be read again
    listeners: list[Listener] = []
    try:
        settings = _settings(config, options, init=init)
        tls_options = _tls_options(settings)
        ports = dict.fromkeys(port for port in (settings.port, settings.otlp_http_port) if port)
        listeners.extend(bind(settings.host, port, is_guarded=settings.web.is_on) for port in ports)
        server = _build(settings)
    except PeaklineError as problem:
        for listening in listeners:
            listening.socket.close()
        click.echo("\n".join(f"peakline: {line}" for line in str(problem).splitlines()), err=True)
        raise SystemExit(2) from None
    try:
        asyncio.run(run_listeners(server, listeners, tls_options))
    finally:
        server.close()
