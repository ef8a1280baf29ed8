"""What the demo tells the person who started it."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

from loadtest.fleet.demo_plan import FAULT_AFTER_S, RISE, demo_line
from loadtest.fleet.plan import FleetPlan
from vocabulary.pools import SECOND_NS

_ASK_TIMEOUT_S = 30.0
_ROLLUPS_WITHIN_S, _POLL_S = 60.0, 0.25


@dataclass(slots=True)
class Sent:
    """What the demo has delivered."""

    requests: int = 0
    spans: int = 0
    rejected: int = 0

    def document(self) -> dict[str, int]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Stored:
    """The server's ledger over the demo's time, as its API tells it."""

    document: Mapping[str, Any]

    def lines(self) -> list[str]:
        """Both ledgers, one line each."""
        requests = ", ".join(
            f"{count:,} {name.replace('_', ' ')}"
            for name, count in self.document["requests"].items()
            if isinstance(count, int) and not isinstance(count, bool)
        )
        traces = self.document["ingest"].get("traces", {})
        rejected = sum(traces.get("rejected", {}).values())
        spans = f"{traces.get('received', 0):,} received, {traces.get('stored', 0):,} stored"
        return [
            f"  requests  {requests}",
            f"  spans     {spans}, {traces.get('duplicate', 0):,} sent twice, {rejected:,} rejected",
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


def first_words(url: str, plan: FleetPlan, sent: Sent, took_s: float) -> str:
    """When history is there and live traffic begins: where to look, and for what."""
    chat = plan.models[0].replicas
    history = f"{sent.requests:,} requests ({sent.spans:,} spans) of history were sent and stored in {took_s:.0f} s."
    pool = {"service": plan.service, "model": plan.models[0].name}

    def link(path: str, **query: str) -> str:
        return f"{url}{path}?{urlencode(pool | query)}"

    return f"""
{history} Live traffic begins.

  {url}/

What to look at
  The history, tier by tier: what contention adds to a small base of defects at the peak
    {link("/", range="14d")}
  Live: load rises for {RISE.rise_s:.0f} s, over the fixed line of {demo_line(plan):g} requests/s per replica;
  latency grows first, defects follow
    {link("/", range="15m")}
  The alert on that line: pending, then firing
    {url}/alerts
  After {FAULT_AFTER_S:.0f} s one of the {chat} chat replicas goes bad. Which one? Compare the replicas of
    {link("/requests", range="15m", defect="any")}

Ctrl-C stops traffic and server."""


def live_words(past_s: float, sent: Sent, in_flight: int) -> str:
    """A line now and then."""
    return f"live {past_s:.0f} s: {sent.requests:,} requests sent so far, {in_flight} in flight"


def last_words(sent: Sent, stored: Stored | None, folder: Path) -> str:
    """At the end: what was sent, and what the server says it holds."""
    lines = [
        "",
        f"The demo has ended. Sent: {sent.requests:,} requests in {sent.spans:,} spans; {sent.rejected:,} rejected.",
    ]
    lines += ["The server's ledger over that time:", *stored.lines()] if stored else ["The ledger could not be asked."]
    return "\n".join([*lines, f"Its data stays in {folder} until the next demo."])


def _instant(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns // SECOND_NS, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
