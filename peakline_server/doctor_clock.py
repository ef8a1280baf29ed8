"""Clocks: ours, the server's, and those of the emitters; wrong ones put requests into the wrong minutes."""

import email.utils
import time
from collections.abc import Callable
from datetime import UTC, datetime

from api.times import rfc3339, time_ns
from peakline_server.doctor_finding import Finding, Place, ok, problem, skipped, warning
from peakline_server.doctor_server import unanswered
from vocabulary.access import Role
from vocabulary.pools import SECOND_NS

OWN, EMITTERS = "clock", "emitters' clocks"
NTP = "Run a time service (NTP) on every host."
_YEARS = range(2025, 2101)
_LOOK_S = 0.2
_STEP_S = 0.05
_APART_S = 5.0
_AHEAD_NS, _BEHIND_NS = 60 * SECOND_NS, 3600 * SECOND_NS
_DAY_NS = 86_400 * SECOND_NS


def own(place: Place) -> list[Finding]:
    """The year, whether the clock runs evenly, and whether the server's agrees."""
    year = datetime.fromtimestamp(place.clock_ns() / SECOND_NS, UTC).year
    if year not in _YEARS:
        return [problem(OWN, f"The clock of this machine says that it is {year}.", NTP)]
    if abs(step := uneven_s()) > _STEP_S:
        return [warning(OWN, f"The clock of this machine was set by {step:+.2f} s while it was watched.", NTP)]
    return [*_apart(place)] or [ok(OWN, f"The clock says {rfc3339(place.clock_ns() // SECOND_NS * SECOND_NS)}.")]


def uneven_s(
    wall_s: Callable[[], float] = time.time,
    steady_s: Callable[[], float] = time.monotonic,
    wait: Callable[[float], object] = time.sleep,
) -> float:
    """Seconds by which the wall clock moved more than time did."""
    wall, steady = wall_s(), steady_s()
    wait(_LOOK_S)
    return (wall_s() - wall) - (steady_s() - steady)


def _apart(place: Place) -> list[Finding]:
    reply = place.server.get("/healthz")
    try:
        theirs_s = email.utils.parsedate_to_datetime(reply.date).timestamp()
    except ValueError:
        return []
    apart_s = theirs_s - reply.at_ns / SECOND_NS
    if abs(apart_s) <= _APART_S:
        return []
    return [warning(OWN, f"The clock of the server is {apart_s:+.0f} s from the one of this machine.", NTP)]


def emitters(place: Place) -> list[Finding]:
    """Whether the newest request starts in the future, or hours ago although spans arrive now."""
    now_ns = place.clock_ns()
    asked = {"from": rfc3339(now_ns - _DAY_NS), "to": rfc3339(now_ns + _DAY_NS), "limit": "1"}
    reply = place.server.get("/api/v1/requests", asked)
    if not reply.is_answer:
        return [unanswered(EMITTERS, place, reply, Role.VIEWER)]
    if not reply.body["items"]:
        return [skipped(EMITTERS, "No request started in the last 24 hours.")]
    newest = reply.body["items"][0]
    late_ns = now_ns - time_ns(newest["start"], now_ns)
    who = newest["service"] or "an emitter"
    if late_ns < -_AHEAD_NS:
        said = f"The newest request, of {who}, starts {_long(-late_ns)} in the future."
        return [problem(EMITTERS, said, NTP)]
    if late_ns > _BEHIND_NS and _arrives(place):
        said = f"Spans arrive now, but the newest request, of {who}, started {_long(late_ns)} ago."
        fix = (
            "Unless files are imported, or spans are kept back on their way: run a time service on the emitters' hosts."
        )
        return [warning(EMITTERS, said, fix)]
    return [ok(EMITTERS, f"The newest request started {_long(max(late_ns, 0))} ago.")]


def _arrives(place: Place) -> bool:
    reply = place.server.get("/api/v1/ledger", {"from": "now-15m"})
    return reply.is_answer and any(signal["stored"] for signal in reply.body["ingest"].values())


def _long(span_ns: int) -> str:
    seconds = span_ns / SECOND_NS
    for unit, length_s in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length_s:
            return f"{seconds / length_s:.0f} {unit}"
    return f"{seconds:.0f} s"
