"""Numbers as text: a rate never stands without its interval, an unknown is never a zero."""

from analyzer.questions.answers import Interval, Rate

UNKNOWN = "–"
UNITS = "d h min s"
_THOUSAND = 1000.0
_MINUTE_S = 60.0
_HOUR_S = 3600.0
_DAY_S = 86_400.0


def count(value: int | None) -> str:
    """12,345 with thin grouping; a dash when unknown."""
    return UNKNOWN if value is None else f"{value:,}"


def short_count(value: float) -> str:
    """At most four characters before the unit: 948, 12.3k, 4.56M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= 10 * size or (value >= size and unit != "k"):
            return f"{value / size:.3g}{unit}"
    return f"{value:,.0f}"


def percent(share: float | None) -> str:
    """A share as per cent with three significant digits at most: 0.0213 % · 2.31 % · 41.2 %."""
    if share is None:
        return UNKNOWN
    return f"{share * 100:.3g} %" if share else "0 %"


def interval(found: Interval) -> str:
    """[2.20, 2.43] %, in per cent; a dash when it cannot be computed."""
    if found.low is None or found.high is None:
        return UNKNOWN
    return f"[{_bound(found.low)}, {_bound(found.high)}] %"


def evidence(rate: Rate, level_word: str) -> str:
    """What must stand beside a rate: interval, level and n."""
    return f"{interval(rate.interval)} {level_word} · n = {count(rate.requests)}"


def times(value: float | None, found: Interval) -> str:
    """A multiplier with its interval: ×2.31 [1.90, 2.81]; an open bound is ∞."""
    return UNKNOWN if value is None else f"×{value:.3g} {interval_of_times(found)}"


def interval_of_times(found: Interval) -> str:
    """[1.90, 2.81]; an open bound is ∞, no interval at all an empty text."""
    if found.low is None and found.high is None:
        return ""
    low = UNKNOWN if found.low is None else f"{found.low:.3g}"
    high = "∞" if found.high is None else f"{found.high:.3g}"
    return f"[{low}, {high}]"


def load(value: float | None) -> str:
    """Requests per second with three significant digits."""
    if value is None:
        return UNKNOWN
    return f"{value:.3g}" if value < _THOUSAND else f"{value:,.0f}"


def seconds(value: float | None) -> str:
    """A duration in the unit people read: 812 µs, 14.2 ms, 1.23 s, 2 min 5 s."""
    if value is None:
        return UNKNOWN
    if value < 0.001:  # noqa: PLR2004 - one millisecond
        return f"{value * 1e6:.3g} µs"
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    if value < _MINUTE_S:
        return f"{value:.3g} s"
    return ago(value)


def ago(value: float, units: str = UNITS) -> str:
    """A long duration in its two largest units: 2 min 5 s, 3 h 12 min, 5 d 2 h.

    units  the words for days, hours, minutes and seconds, with spaces between
    """
    total = int(value)
    day, hour, minute, second = units.split()
    if total < _MINUTE_S:
        return f"{total} {second}"
    if total < _HOUR_S:
        return f"{total // 60} {minute} {total % 60} {second}"
    if total < _DAY_S:
        return f"{total // 3600} {hour} {total % 3600 // 60} {minute}"
    return f"{total // 86400} {day} {total % 86400 // 3600} {hour}"


def _bound(share: float) -> str:
    return f"{share * 100:.3g}"
