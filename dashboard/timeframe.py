"""Which stretch of time a page is about: relative to now, or fixed by two instants."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dashboard.address import Address
from vocabulary.pools import SECOND_NS, Window

RANGES: dict[str, int] = {
    "15m": 900,
    "1h": 3600,
    "6h": 21_600,
    "24h": 86_400,
    "3d": 259_200,
    "7d": 604_800,
    "14d": 1_209_600,
    "30d": 2_592_000,
}
"""Relative ranges and their lengths in seconds."""

DEFAULT_RANGE = "6h"
REFRESH_S: dict[str, int] = {"15m": 5, "1h": 10, "6h": 15, "24h": 30}
_SLOWEST_REFRESH_S = 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Timeframe:
    """A window and how it was asked for.

    window    the window
    relative  key of RANGES, '' for a fixed window
    is_valid  False when the address named a window that cannot be read, and the default stands in
    """

    window: Window
    relative: str
    is_valid: bool = True

    @property
    def refresh_s(self) -> int:
        """Seconds between two refreshes; 0 for a fixed window, which does not change by itself."""
        return REFRESH_S.get(self.relative, _SLOWEST_REFRESH_S) if self.relative else 0


def resolve(address: Address, now_ns: int, default: str = DEFAULT_RANGE) -> Timeframe:
    """The address's timeframe: `from` and `to` when both are there, else `range`, else the default."""
    asked = address.get("range")
    relative = asked if asked in RANGES else default
    fallback = Window(now_ns - RANGES[relative] * SECOND_NS, now_ns)
    start, end = address.get("from"), address.get("to")
    if not start and not end:
        return Timeframe(fallback, relative, is_valid=not asked or asked in RANGES)
    try:
        return Timeframe(Window(instant_ns(start), instant_ns(end)), "")
    except ValueError:
        return Timeframe(fallback, relative, is_valid=False)


def instant_ns(text: str) -> int:
    """RFC 3339 to nanoseconds since the epoch; without an offset it is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


def instant_text(at_ns: int) -> str:
    """Nanoseconds to RFC 3339 UTC in whole seconds, as it stands in addresses."""
    return (_EPOCH + timedelta(seconds=at_ns // SECOND_NS)).strftime("%Y-%m-%dT%H:%M:%SZ")


def shifted(window: Window, share: float) -> Window:
    """The window moved by a share of its length; negative goes back."""
    step = round((window.end_ns - window.start_ns) * share)
    return Window(window.start_ns + step, window.end_ns + step)


def widened(window: Window) -> Window:
    """The window at twice its length about the same middle."""
    half = (window.end_ns - window.start_ns) // 2
    return Window(window.start_ns - half, window.end_ns + half)


def as_parameters(window: Window) -> dict[str, str]:
    """The window as address parameters."""
    return {"from": instant_text(window.start_ns), "to": instant_text(window.end_ns)}
