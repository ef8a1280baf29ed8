"""`peakline report`: reports in the terminal, asked from a running server."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from peakline_server.report_table import print_report

NOTHING_FOUND = 1
CANNOT_ASK = 2
DEFAULT_SERVER = "http://127.0.0.1:8600"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
TIMEOUT_S = 60
EARLIEST = "now-5200d"
"""Nothing that this product reads is older than this."""


class AskError(click.ClickException):
    """The question could not be asked or was refused; exit code 2."""

    exit_code = CANNOT_ASK


@dataclass(frozen=True, slots=True)
class Server:
    """A running server, by its address.

    One process owns the store, so a report asks that process instead of opening the files.
    """

    url: str

    def get(self, path: str, query: Mapping[str, str]) -> Any:
        """The JSON answer.

        raises  AskError with one sentence when nothing answers or the server refuses
        """
        import httpx

        asked = {name: value for name, value in query.items() if value}
        try:
            # A proxy from the environment cannot reach this machine's own loopback.
            with httpx.Client(timeout=TIMEOUT_S, trust_env=httpx.URL(self.url).host not in LOOPBACK) as client:
                response = client.get(self.url.rstrip("/") + path, params=asked)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = f"No Peakline server answers at {self.url} ({error}); start one with `peakline serve`."
            raise AskError(message) from error
        return _body(response, self.url)


def _body(response: Any, url: str) -> Any:
    is_json = "json" in response.headers.get("content-type", "")
    if response.status_code == 200 and is_json:  # noqa: PLR2004 - HTTP's own number
        return response.json()
    if not is_json:
        message = f"What answers at {url} is no Peakline server (status {response.status_code})."
        raise AskError(message)
    problem = response.json()
    lines = [problem.get("detail", f"The server answered {response.status_code}.")]
    if named := problem.get("pools"):
        choices = (f"  --service '{pool['service']}' --model '{pool['model']}'" for pool in named)
        lines = ["Several pools fit; name one:", *choices]
    raise AskError("\n".join(lines))


@click.group()
def report() -> None:
    """Reports from a running server."""


@report.command()
@click.option("--server", default=DEFAULT_SERVER, show_default=True, help="Address of the running server.")
@click.option("--service", default="", help="Service name; may be left out where only one pool fits.")
@click.option("--model", default="", help="Served model name; may be left out where only one pool fits.")
@click.option("--from", "from_", default="", help="Start: now-7d, or a time such as 2026-11-30T08:00:00Z.")
@click.option("--to", default="", help="End, exclusive; now if left out.")
@click.option("--load-test", default="", help="A load test: one row per step instead of one per load tier.")
@click.option("--json", "as_json", is_flag=True, help="Print the server's answer as JSON.")
def tiers(server: str, as_json: bool, **asked: str) -> None:  # noqa: FBT001 - click passes flags by name
    """Defects per traffic tier, with intervals.

    Exit code 0 with a report, 1 when no request is in the window, 2 when the server cannot be asked.
    """
    query = {name.rstrip("_"): value for name, value in asked.items()}
    found = Server(server).get("/api/v1/reports/tiers", query)
    if as_json:
        import orjson

        click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    elif found["rows"]:
        print_report(found)
    if not found["rows"]:
        click.echo(_nothing(server, found, query), err=True)
        sys.exit(NOTHING_FOUND)


def _nothing(server: str, found: Mapping[str, Any], query: Mapping[str, str]) -> str:
    """What to do about an empty report: look where there are requests, or send some."""
    window = found["basis"]["window"]
    lines = [f"No requests from {window['start']} to {window['end']}."]
    others = Server(server).get("/api/v1/pools", {"from": EARLIEST, "to": query["to"]})["items"]
    if others:
        lines.append("The server has these:")
        lines += [
            f"  --service '{pool['service']}' --model '{pool['model']}' --from {pool['first']}"
            f"   ({pool['requests']} requests up to {pool['last']})"
            for pool in others
        ]
    else:
        lines.append(f"Send spans over OTLP/HTTP to {server.rstrip('/')}/v1/traces, for example with")
        lines.append(f"  export OTEL_EXPORTER_OTLP_ENDPOINT={server.rstrip('/')}")
        lines.append("or try `peakline demo`, or `peakline import --help`.")
    return "\n".join(lines)
