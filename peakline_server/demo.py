"""`peakline demo`: a server, the history of a simulated fleet, then live traffic that goes wrong."""

from pathlib import Path

import click


@click.command()
@click.option(
    "--duration",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Seconds of live traffic, into which all that happens fits from 45 on; until Ctrl-C if left out.",
)
@click.option(
    "--scenario",
    default="",
    metavar="NAME|FILE",
    help="Play this scenario, or one of your own from a YAML file, instead of the demo's own story; `peakline fleet "
    "list` names them.",
)
@click.option(
    "--days",
    type=click.FloatRange(0.05, 100),
    help="Days of history: 14, or as many as the scenario has. A scenario begins at a midnight (UTC), so its history "
    "is up to a day longer.",
)
@click.option(
    "--requests",
    type=click.IntRange(100, 5_000_000),
    help="Requests in these days, about: 300,000, or as many as the scenario has; a longer history has as many a day. "
    "The demo's own fleet is sized for about 21,000 a day.",
)
@click.option(
    "--data",
    default=Path(".demo"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the demo.",
)
@click.option(
    "--keep",
    is_flag=True,
    help="Go on with what the last demo stored there and fill the gap since; otherwise it is removed.",
)
@click.option("--port", default=8600, show_default=True, type=click.IntRange(1, 65_535), help="Dashboard and API.")
@click.option("--otlp-http-port", default=4318, show_default=True, type=click.IntRange(1, 65_535), help="OTLP/HTTP.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Seed of the simulated fleet.")
@click.option("--json", "is_json", is_flag=True, help="Print the summary as JSON.")
def demo(**options: object) -> None:
    """Start a server and a simulated fleet: history first, then live traffic in which load rises.

    A gateway and six replicas with queues, batching and a bounded KV cache are simulated; their spans
    reach the server as OTLP. While live traffic rises, contention grows and one replica goes bad. With
    --scenario another fleet meets other troubles. What really happened is written to the folder truth of the demo.

    Exit code 0: ended as asked. 2: could not start, or the server ended by itself.
    """
    from peakline_server.demo_run import DemoOptions, run_demo
    from vocabulary.errors import PeaklineError

    try:
        run_demo(DemoOptions(**options))  # type: ignore[arg-type]  # click has checked the types
    except PeaklineError as problem:
        click.echo(f"peakline: {problem}", err=True)
        raise SystemExit(2) from None
