from dashboard.clock_text import ClockText
from dashboard.timeframe import instant_ns

AT_NS = instant_ns("2026-11-30T22:05:09.123Z")


def test_every_time_carries_its_zone() -> None:
    shanghai = ClockText.named("Asia/Shanghai")
    assert shanghai.second(AT_NS) == "2026-12-01 06:05:09 Asia/Shanghai"
    assert ClockText.named("").precise(AT_NS) == "2026-11-30 22:05:09.123 UTC"
    assert ClockText.named("UTC").minute(AT_NS) == "2026-11-30 22:05 UTC"


def test_a_zone_that_does_not_exist_is_utc() -> None:
    for name in ("Mars/Olympus", "../etc/passwd", "\0"):
        assert ClockText.named(name).is_utc


def test_axes_and_rows_leave_the_zone_to_their_heads() -> None:
    clock = ClockText.named("Asia/Kolkata")
    assert clock.axis(AT_NS) == "2026-12-01 03:35:09"
    assert clock.row(AT_NS) == "12-01 03:35:09.123"


def test_an_input_shows_seconds_only_where_there_are_any() -> None:
    clock = ClockText.named("UTC")
    assert clock.field(AT_NS) == "2026-11-30 22:05:09"
    assert clock.field(instant_ns("2026-11-30T22:05:00Z")) == "2026-11-30 22:05"
