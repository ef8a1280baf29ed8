"""What the demo tells the person who started it."""

import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from shlex import quote
from typing import Any
from urllib.parse import urlencode

import httpx

from dashboard.timeframe import RANGES
from loadtest.emission.outbox import Body
from loadtest.fleet.plan import FleetPlan
from loadtest.scenarios.demo_schedule import SHORTEST_S, Schedule
from loadtest.scenarios.page import described
from loadtest.scenarios.schema import Expectation, ScenarioFile
from peakline_server.demo_folder import DemoFolder
from peakline_server.live_traffic import Counts
from peakline_server.program import program
from vocabulary.pools import SECOND_NS

_ASK_TIMEOUT_S = 30.0
_ASK_LOAD_TIMEOUT_S = 3.0
_ROLLUPS_WITHIN_S, _POLL_S = 60.0, 0.25
_DAY_S = 86_400
_PORT, _OTLP_HTTP_PORT = 8600, 4318
_REJECTED = "  (`rejected`: the fleet turned them away, 429 or 503)"
_WHEN = re.compile(r"(?:from )?day (\d+)(?:\D*(\d\d):(\d\d))?")


@dataclass(slots=True)
class Sent:
    """What the demo has delivered."""

    requests: int = 0
    spans: int = 0
    rejected: int = 0

    def add(self, body: Body, rejected: int) -> None:
        """A body of the history that was taken, but for `rejected` of its spans."""
        self.requests += body.requests
        self.spans += body.spans
        self.rejected += rejected

    def add_live(self, counts: Counts, failed: int) -> None:
        """What live traffic sent, and how many of its spans nobody took."""
        self.requests += counts.requests
        self.spans += counts.spans
        self.rejected += failed

    def document(self) -> dict[str, int]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Stored:
    """The server's ledger over the demo's time, as its API tells it."""

    document: Mapping[str, Any]

    def lines(self) -> list[str]:
        """Both ledgers, one line each; a part of the requests that is 0 may be unknown, so it is not told."""
        book = self.document["requests"]
        counts = {name: count for name, count in book.items() if name != "verified" and count}
        requests = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
        traces = self.document["ingest"].get("traces", {})
        rejected = sum(traces.get("rejected", {}).values())
        spans = f"{traces.get('received', 0):,} received, {traces.get('stored', 0):,} stored"
        return [
            f"  requests  {requests}; {book['verified']}{_REJECTED if 'rejected' in counts else ''}",
            f"  spans     {spans}, {traces.get('duplicate', 0):,} sent twice, {rejected:,} refused",
        ]


def ask_ledger(url: str, start_ns: int, end_ns: int) -> Stored | None:
    """The ledger of [start_ns, end_ns), None when the server does not answer.

    Request counts come from rollups, so this waits a moment until these are up to date.
    """
    try:
        _await_rollups(url)
        answer = httpx.get(
            f"{url}/api/v1/ledger",
            params={"from": _instant(start_ns), "to": _instant(end_ns + SECOND_NS)},
            timeout=_ASK_TIMEOUT_S,
            trust_env=False,
        )
        return Stored(answer.raise_for_status().json())
    except (httpx.HTTPError, ValueError):
        return None


def _await_rollups(url: str) -> None:
    for _ in range(int(_ROLLUPS_WITHIN_S / _POLL_S)):
        health = httpx.get(f"{url}/api/v1/health", timeout=_ASK_TIMEOUT_S, trust_env=False).json()
        if not health.get("pending_minutes"):
            return
        time.sleep(_POLL_S)


@dataclass(frozen=True, slots=True)
class Load:
    """What the server says of the demo's alert.

    value  requests per second and replica, None without data
    """

    value: float | None
    line: float
    state: str


def ask_load(url: str) -> Load | None:
    """Load and alert of the chat pool, None when the server does not tell them."""
    try:
        answer = httpx.get(f"{url}/api/v1/alerts", timeout=_ASK_LOAD_TIMEOUT_S, trust_env=False)
        alert = answer.raise_for_status().json()["items"][0]
        return Load(alert["value"], alert["line"], alert["state"])
    except (httpx.HTTPError, ValueError, LookupError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where and when live traffic begins.

    days        of history
    duration_s  of live traffic, None without an end
    began_s     epoch seconds
    """

    url: str
    days: float
    duration_s: float | None
    began_s: float

    def clock(self, past_s: float) -> str:
        """The local time so many seconds after the beginning, as a clock shows it."""
        return time.strftime("%H:%M:%S", time.localtime(self.began_s + past_s))


def history_words(days: float, *, from_midnight: bool) -> str:
    """Before the history is sent: how long it is, and why."""
    why = ", from a midnight (UTC) to now" if from_midnight else ""
    return f"Sending {days:g} days of history of a simulated fleet{why} …"


def first_words(begin: Beginning, plan: FleetPlan, schedule: Schedule) -> str:
    """Live traffic begins: where to look, for what, and about when."""
    pool = {"service": plan.service, "model": plan.models[0].name}

    def link(path: str, **query: str) -> str:
        return f"{begin.url}{path}?{urlencode(pool | query)}"

    return f"""
  {begin.url}/

What to look at
  The history, tier by tier: what contention adds to a small base of defects at the peak
    {link("/", range=_range(begin.days))}
  Live: until {begin.clock(schedule.rise.rise_s)} load rises, over the fixed line of {schedule.line:g} requests/s \
per replica; latency grows first, defects follow
    {link("/", range="15m")}
  At {begin.clock(schedule.fault_s)} one of the {plan.models[0].replicas} chat replicas goes bad. Which one? \
Compare the replicas of
    {link("/requests", range="15m", defect="any")}
  About {begin.clock(schedule.alert_s)} the alert on that line fires; a few seconds before that it is pending
    {begin.url}/alerts

{_end(begin)}"""


def scenario_words(begin: Beginning, plan: FleetPlan, scenario: ScenarioFile) -> str:
    """Live traffic of a scenario begins: what is in the history, and what will happen when."""
    query = urlencode({"service": plan.service, "model": plan.models[0].name, "range": _range(begin.days)})
    past_s = begin.began_s - plan.origin_ns / SECOND_NS
    seen = [one for one in scenario.expect if _begins_s(one) < past_s]
    finds = [f"  {one.what}\n    {one.when}; {one.where}" for one in seen]
    return "\n".join(
        [
            f"\n{scenario.title}: {scenario.summary}\n",
            f"  {begin.url}/?{query}\n",
            f"What a good observer finds in the history; day 0 is {_instant(plan.origin_ns)[:10]}",
            *(finds or ["  Nothing."]),
            *_not_yet(past_s, scenario),
            "\nLive",
            *(_live(begin, scenario) or ["  Traffic goes on as in the history."]),
            f"\n{_end(begin, scenario.live_s if _is_eventful(scenario) else 0.0)}",
        ]
    )


def _begins_s(finding: Expectation) -> float:
    """Since the origin; 0 where its time is not told as `day 2, 10:00`."""
    match = _WHEN.match(finding.when)
    if match is None:
        return 0.0
    day, hour, minute = (int(part or 0) for part in match.groups())
    return day * _DAY_S + hour * 3600.0 + minute * 60.0


def _is_eventful(scenario: ScenarioFile) -> bool:
    return bool(scenario.live or scenario.rise)


def _live(begin: Beginning, scenario: ScenarioFile) -> list[str]:
    """What will happen, each with its time by the clock."""
    rise = scenario.rise
    lines = []
    if rise is not None:
        course = f"from {rise.from_factor:g} to {rise.to_factor:g} times a typical weekday's peak"
        lines.append(f"  Until {begin.clock(rise.rise_s)} arrivals go {course}")
    for one in scenario.live:
        what, on, how = described(one)
        lines.append(f"  At {begin.clock(one.at_s)} {what} ({on}{': ' if how else ''}{how.replace('_', ' ')})")
    return lines


def _not_yet(past_s: float, scenario: ScenarioFile) -> list[str]:
    """A shortened history ends before some of it happens."""
    later = [one for one in scenario.timeline if one.at_s > past_s]
    if not later:
        return []
    count, days = len(scenario.timeline), f"{scenario.days:g}"
    verb = "is" if len(later) == 1 else "are"
    return [f"  {len(later)} of its {count} happenings {verb} not in this history; --days {days} has all of them."]


def _range(days: float) -> str:
    """The dashboard's shortest range that holds all history."""
    return next((name for name, seconds in RANGES.items() if seconds >= days * _DAY_S), list(RANGES)[-1])


def _end(begin: Beginning, enough_s: float | None = None) -> str:
    """`enough_s`: after which a scenario has shown everything; None for the demo's own story."""
    if begin.duration_s is None:
        return "Ctrl-C stops traffic and server."
    what = "the alert" if enough_s is None else "all of that"
    enough_s = SHORTEST_S if enough_s is None else enough_s
    short = f" That is too early for {what}: {enough_s:.0f} s are enough." if begin.duration_s < enough_s else ""
    return f"Traffic and server end at {begin.clock(begin.duration_s)}, or with Ctrl-C.{short}"


def live_words(past_s: float, requests: int, in_flight: int, load: Load | None) -> str:
    """A line now and then; `requests` ended since live traffic began."""
    told = f"live {past_s:3.0f} s: {requests:,} requests ended, {in_flight} in flight"
    if load is None:
        return told
    value = "no load yet" if load.value is None else f"load {load.value:.3f} of {load.line:g} requests/s per replica"
    return f"{told}; {value}; alert {load.state}"


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the demo's server listens: dashboard and API, and OTLP/HTTP."""

    port: int = _PORT
    otlp_http_port: int = _OTLP_HTTP_PORT

    def options(self) -> str:
        """What `peakline serve` must be told to listen there; nothing for its defaults."""
        port = "" if self.port == _PORT else f" --port {self.port}"
        return port + ("" if self.otlp_http_port == _OTLP_HTTP_PORT else f" --otlp-http-port {self.otlp_http_port}")


def last_words(sent: Sent, stored: Stored | None, folder: DemoFolder, ports: Ports) -> str:
    """At the end: what was sent, what the server says it holds, and how to open it again."""
    lines = [
        "",
        f"The demo has ended. It sent {sent.requests:,} requests in {sent.spans:,} spans; {sent.rejected:,} refused.",
    ]
    lines += ["The server's ledger over that time:", *stored.lines()] if stored else ["The ledger could not be asked."]
    again = f"{program()} serve --data {quote(str(folder.data))} --rules {quote(str(folder.rules))}{ports.options()}"
    return "\n".join([*lines, "The next demo removes its data. Until then this opens it again:", f"  {again}"])


def _instant(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns // SECOND_NS, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
