"""`peakline simulate-endpoint`: an OpenAI-compatible server whose engines are simulated."""

import math
import time
from typing import TYPE_CHECKING, Any

import click

from peakline_server.settings import LOOPBACK_HOSTS
from vocabulary.errors import PeaklineError

if TYPE_CHECKING:
    from loadtest.endpoint.options import EndpointOptions
    from loadtest.fleet.plan import FleetPlan

_BACKLOG = 4096
_PUBLIC = (
    "peakline: listening on {host}, beyond this machine, without TLS; whoever reaches the port and has the key may use "
    "it. Injections by request stay limited to loopback."
)
_NEEDS_KEY = (
    "refusing to listen on {host} without a key: set --api-key or PEAKLINE_ENDPOINT_KEY, or use --host 127.0.0.1"
)


@click.command("simulate-endpoint")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65_535), help="0 takes a free one.")
@click.option("--fleet", metavar="NAME|FILE", help="Cluster behind it. Default: one small model without faults.")
@click.option("--model", metavar="NAME", help="Name of the default model; with --fleet: serve this model only.")
@click.option("--replicas", type=click.IntRange(1, 256), help="Replicas of each model.  [default: 2, or the fleet's]")
@click.option("--speed", default=1.0, show_default=True, type=click.FloatRange(0.01, 1000), help="Simulated s per s.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Decides fates and injections.")
@click.option("--api-key", envvar="PEAKLINE_ENDPOINT_KEY", help="Ask for this bearer token.", show_envvar=True)
@click.option("--drift", multiple=True, type=click.IntRange(min=0), metavar="REPLICA", help="It runs other weights.")
@click.option("--drift-silent", is_flag=True, help="Drifted replicas tell the fingerprint of the planned weights.")
@click.option(
    "--inject",
    multiple=True,
    metavar="KIND[:SHARE[:OPTIONS]]",
    help="For example 429:0.1:retry_after=2, stall:0.05:seconds=8,after=20, behave:1:speed=0.2. Repeatable.",
)
@click.option(
    "--allow-header/--no-allow-header",
    default=True,
    show_default=True,
    help="Obey `x-simulate: KIND` of callers on this machine.",
)
@click.option(
    "--otlp", metavar="URL", help="Send a span per finished request there, for example http://127.0.0.1:4318."
)
def simulate_endpoint(**asked: Any) -> None:
    """Serve an OpenAI-compatible API from simulated engines, in real time.

    Queues, batching, KV cache and limits are those of the simulated fleet; answers are made up, the same for the
    same greedy question. For load tests, chaos drills and clients' own tests.

    Stops cleanly on SIGTERM or Ctrl-C. Exit code 2 when it cannot start.
    """
    host, port = asked.pop("host"), asked.pop("port")
    try:
        options = _options(**asked)
        _serve(options, host, port)
    except PeaklineError as problem:
        click.echo(f"peakline: {problem}", err=True)
        raise SystemExit(2) from None


def _options(
    *, model: str | None, inject: tuple[str, ...], drift: tuple[int, ...], drift_silent: bool, **asked: Any
) -> "EndpointOptions":
    from loadtest.endpoint.behaviours import KIND, behave_from_text
    from loadtest.endpoint.injections import injection_from_text
    from loadtest.endpoint.options import EndpointOptions

    if not math.isfinite(asked["speed"]):
        raise PeaklineError(f"--speed must be a number, got {asked['speed']}")
    if asked["otlp"] and not asked["otlp"].startswith(("http://", "https://")):
        raise PeaklineError(f"--otlp must begin with http:// or https://, got {asked['otlp']!r}")
    plan = _plan(asked["fleet"], model, asked["replicas"], asked["seed"])
    first = plan.models[0]
    most = max(one.replicas for one in plan.models)
    if any(place >= most for place in drift):
        raise PeaklineError(f"--drift names a replica that is not there; replicas are 0 to {most - 1}")
    behaving = [text for text in inject if text.partition(":")[0] == KIND]
    return EndpointOptions(
        plan=plan,
        speed=asked["speed"],
        api_key=asked["api_key"] or None,
        drifted=frozenset(drift),
        drift_is_silent=drift_silent,
        injections=tuple(injection_from_text(text) for text in inject if text not in behaving),
        behaviours=tuple(behave_from_text(text, first.name) for text in behaving),
        allows_header=asked["allow_header"],
        otlp=asked["otlp"],
    )


def _plan(fleet: str | None, model: str | None, replicas: int | None, seed: int) -> "FleetPlan":
    from loadtest.endpoint.plans import DEFAULT_MODEL, default_plan, narrowed
    from loadtest.scenarios import catalogue

    if fleet is None:
        return default_plan(model or DEFAULT_MODEL, replicas or 2, seed, time.time_ns())
    return narrowed(catalogue.fleet(fleet, seed, time.time_ns()), model, replicas)


def _serve(options: "EndpointOptions", host: str, port: int) -> None:
    from loadtest.endpoint.app import create_app
    from peakline_server.listening import allow_open_files, listen, run

    is_public = host not in LOOPBACK_HOSTS
    if is_public and not options.api_key:
        raise PeaklineError(_NEEDS_KEY.format(host=host))
    app = create_app(options)
    allow_open_files()
    listening = listen(host, port, _BACKLOG)
    if is_public:
        click.echo(_PUBLIC.format(host=host), err=True)
    address = f"[{host}]" if ":" in host else host
    models = ", ".join(f"{one.name} ({one.replicas} replicas)" for one in options.plan.models)
    greeting = f"Serving {models} at http://{address}:{listening.getsockname()[1]}/v1 - Ctrl-C stops it."
    run(app, listening, app.state.desk.stopping, lambda: click.echo(greeting))
