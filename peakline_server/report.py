"""`peakline report`: reports in the terminal, asked from a running server."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from api.times import time_ns
from peakline_server.client_token import NO_CREDENTIALS, Credentials, client_options, warn_in_the_clear
from peakline_server.look import DEFAULT_SERVER, Look, whole_minutes
from peakline_server.program import program
from peakline_server.report_table import print_report, shown_time
from peakline_server.web_address import web_address
from vocabulary.access import Role

NOTHING_FOUND = 1
CANNOT_ASK = 2
LOOPBACK = ("127.0.0.1", "localhost", "::1")
TIMEOUT_S = 60
EARLIEST = "now-5200d"
"""Nothing that this product reads is older than this."""


class AskError(click.ClickException):
    """The question could not be asked or was refused; exit code 2."""

    exit_code = CANNOT_ASK


@dataclass(frozen=True, slots=True)
class Server:
    """A running server, by its address, and who asks it.

    One process owns the store, so a report asks that process instead of opening the files.
    """

    url: str
    credentials: Credentials = NO_CREDENTIALS

    def get(self, path: str, query: Mapping[str, str]) -> Any:
        """The JSON answer.

        raises  AskError with one sentence when nothing answers or the server refuses
        """
        import httpx

        asked = {name: value for name, value in query.items() if value}
        try:
            # A proxy from the environment cannot reach this machine's own loopback.
            with httpx.Client(
                timeout=TIMEOUT_S,
                trust_env=httpx.URL(self.url).host not in LOOPBACK,
                verify=self.credentials.verify(),
                headers=self.credentials.headers(),
            ) as client:
                response = client.get(self.url.rstrip("/") + path, params=asked)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise AskError(_nobody_there(self, error)) from error
        return _body(response, self)


def _nobody_there(server: Server, error: Exception) -> str:
    if not_met := server.credentials.not_met(server.url, error):
        return _sentence(not_met)
    return f"No Peakline server answers at {server.url} ({error}); start one with `{program()} serve --data DIR`."


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _body(response: Any, server: Server) -> Any:
    url, is_json = server.url, "json" in response.headers.get("content-type", "")
    if response.status_code == 200 and is_json:  # noqa: PLR2004 - HTTP's own number
        return response.json()
    if not is_json:
        message = f"What answers at {url} is no Peakline server (status {response.status_code})."
        raise AskError(message)
    problem = response.json()
    if refused := server.credentials.refused(url, response.status_code, problem.get("detail", ""), Role.VIEWER):
        raise AskError(_sentence(refused))
    lines = [problem.get("detail", f"The server answered {response.status_code}.")]
    if named := problem.get("pools"):
        choices = (f"  --service '{pool['service']}' --model '{pool['model']}'" for pool in named)
        lines = ["Several pools fit; name one:", *choices]
    raise AskError("\n".join(lines))


_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_FROM_HELP = "Start: now-7d, a UTC day such as 2026-11-30, or a time such as 2026-11-30T08:00:00Z."


def _instant(_context: click.Context, _option: click.Parameter, text: str) -> str:
    """A day means its beginning in UTC; the server judges everything else."""
    return f"{text}T00:00:00Z" if _DAY.fullmatch(text) else text


@click.group()
def report() -> None:
    """Reports from a running server."""


@report.command()
@click.option(
    "--server", default=DEFAULT_SERVER, show_default=True, callback=web_address, help="Address of the running server."
)
@click.option("--service", default="", help="Service name; may be left out where only one pool fits.")
@click.option("--model", default="", help="Served model name; may be left out where only one pool fits.")
@click.option("--from", "from_", default="", callback=_instant, help=_FROM_HELP)
@click.option("--to", default="", callback=_instant, help="End, exclusive, written like the start; now if left out.")
@click.option("--load-test", default="", help="A load test: one row per step instead of one per load tier.")
@client_options
@click.option("--json", "as_json", is_flag=True, help="Print the server's answer as JSON.")
def tiers(server: str, *, as_json: bool, credentials: Credentials, **asked: str) -> None:
    """Defects per traffic tier, with intervals.

    Exit code 0 with a report, 1 when no request is in the window, 2 when the server cannot be asked.
    """
    query = {name.rstrip("_"): value for name, value in asked.items()}
    asking = Server(server, credentials)
    warn_in_the_clear(credentials, server)
    found = _asked(asking, query)
    if as_json:
        import orjson

        click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    elif found["rows"]:
        print_report(found)
    if not found["rows"]:
        click.echo(_nothing(asking, found, query), err=True)
        sys.exit(NOTHING_FOUND)


def _asked(server: Server, query: Mapping[str, str]) -> Any:
    try:
        return server.get("/api/v1/reports/tiers", query)
    except AskError:
        name = query["load_test"]
        runs = server.get("/api/v1/loadtests", {})["items"] if name else []
        others = [run for run in runs if run["load_test"] == name]
        if not others or _fits(others, query):
            raise
        named = " / ".join(word for word in (query["service"], query["model"]) if word)
        lines = [f"The load test '{name}' did not run on {named}. Where it ran:"]
        lines += [f"  {Look(server.url, run['service'], run['model'], load_test=name).command()}" for run in others]
        raise AskError("\n".join(lines)) from None


def _fits(runs: list[Mapping[str, str]], query: Mapping[str, str]) -> bool:
    return any(all(query[half] in ("", run[half]) for half in ("service", "model")) for run in runs)


def _nothing(server: Server, found: Mapping[str, Any], query: Mapping[str, str]) -> str:
    """What to do about an empty report: look where there are requests, or send some."""
    window, url = found["basis"]["window"], server.url.rstrip("/")
    lines = [f"No requests from {shown_time(window['start'])} to {shown_time(window['end'])}."]
    try:
        others = server.get("/api/v1/pools", {"from": EARLIEST, "to": query["to"]})["items"]
    except AskError:  # a caller limited to tenants may not ask about so long a time
        return "\n".join([*lines, "Ask about another time with --from and --to."])
    if others:
        lines.append("The server has these:")
        lines += [f"  {_look(server.url, pool).command()}   ({pool['requests']:,} requests)" for pool in others]
    else:
        lines.append(f"Send spans over OTLP/HTTP to {url}/v1/traces, for example with")
        lines.append(f"  export OTEL_EXPORTER_OTLP_ENDPOINT={url}")
        lines.append(f"or try `{program()} demo`, or `{program()} import --help`.")
    return "\n".join(lines)


def _look(server: str, pool: Mapping[str, Any]) -> Look:
    window = whole_minutes(time_ns(pool["first"], 0), time_ns(pool["last"], 0) - 1)  # `last` is an end
    return Look(server, pool["service"], pool["model"], window)
