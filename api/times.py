"""Times on the wire: RFC 3339 out; RFC 3339, nanoseconds or `now-6h` in."""

import re
from datetime import UTC, datetime, timedelta
from typing import overload

from vocabulary.errors import PeaklineError
from vocabulary.pools import SECOND_NS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
RELATIVE = re.compile(r"now(?:-(\d{1,9})([smhdw]))?")
# A plus sign in a query string arrives as a blank unless the sender escaped it; both mean the same offset here.
ABSOLUTE = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[-+ ]\d\d:\d\d)")
NANOSECONDS = re.compile(r"\d{1,19}")
LEAST_NS = 10**17
"""Numbers from 1 up to this (1973) are seconds, milliseconds or microseconds by mistake."""
MOST_NS = 2**63 - 1


class BadTimeError(PeaklineError):
    """A text that names no time."""


@overload
def rfc3339(at_ns: int) -> str: ...
@overload
def rfc3339(at_ns: None) -> None: ...
def rfc3339(at_ns: int | None) -> str | None:
    """UTC with Z and as many decimals, by threes, as the nanoseconds need; None stays None."""
    if at_ns is None:
        return None
    seconds, rest = divmod(at_ns, SECOND_NS)
    text = (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    decimals = f"{rest:09d}"
    while decimals.endswith("000"):
        decimals = decimals[:-3]
    return f"{text}.{decimals}Z" if decimals else f"{text}Z"


def time_ns(text: str, now_ns: int) -> int:
    """Nanoseconds since the epoch from a query.

    text    RFC 3339 with an offset, nanoseconds since the epoch, `now`, or `now-6h` with s, m, h, d or w
    raises  BadTimeError for anything else
    """
    if relative := RELATIVE.fullmatch(text):
        return now_ns - int(relative[1] or 0) * UNITS_S[relative[2] or "s"] * SECOND_NS
    if NANOSECONDS.fullmatch(text):
        return _nanoseconds(int(text))
    if absolute := ABSOLUTE.fullmatch(text):
        return _absolute(text, *absolute.groups(default=""))
    message = f"'{text}' is no time: use 2026-11-30T08:00:00Z, nanoseconds since the epoch, now, or now-6h (s m h d w)."
    raise BadTimeError(message)


def _nanoseconds(value: int) -> int:
    if 0 < value < LEAST_NS or value > MOST_NS:
        message = f"{value} is no count of nanoseconds since the epoch; a present-day one has 19 digits."
        raise BadTimeError(message)
    return value


def _absolute(text: str, day: str, clock: str, decimals: str, offset: str) -> int:
    zone = "+00:00" if offset in "Zz" else offset.replace(" ", "+")
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{zone}")
    except ValueError as error:
        message = f"'{text}' is no time: {error}."
        raise BadTimeError(message) from error
    whole = (moment - EPOCH) // timedelta(seconds=1) * SECOND_NS + int(decimals.ljust(9, "0"))
    if abs(whole) > MOST_NS:
        message = f"'{text}' is outside the years 1678 to 2262."
        raise BadTimeError(message)
    return whole
