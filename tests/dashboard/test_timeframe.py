import pytest

from dashboard.address import Address
from dashboard.timeframe import as_parameters, instant_ns, instant_text, resolve, shifted, widened
from vocabulary.pools import SECOND_NS, Window

NOW_NS = instant_ns("2026-11-30T13:00:00Z")


def at(search: str) -> Address:
    return Address.parse("/", search)


def test_a_relative_range_ends_now() -> None:
    frame = resolve(at("?range=1h"), NOW_NS)
    assert (frame.window, frame.relative, frame.refresh_s) == (Window(NOW_NS - 3600 * SECOND_NS, NOW_NS), "1h", 10)


def test_two_instants_win_over_a_range_and_do_not_refresh() -> None:
    frame = resolve(at("?range=1h&from=2026-11-30T01:00:00Z&to=2026-11-30T02:30:00Z"), NOW_NS)
    assert frame.window.seconds == 5400
    assert (frame.relative, frame.refresh_s, frame.is_valid) == ("", 0, True)


@pytest.mark.parametrize(
    "search", ["?range=9y", "?from=2026-11-30T01:00:00Z", "?from=x&to=y", "?from=2026-11-30&to=2026-11-29"]
)
def test_a_window_that_cannot_be_read_is_said_and_the_default_stands_in(search: str) -> None:
    frame = resolve(at(search), NOW_NS)
    assert not frame.is_valid
    assert frame.relative == "6h"


def test_instants_go_to_text_and_back_in_utc() -> None:
    assert instant_text(instant_ns("2026-11-30T20:00:00+08:00")) == "2026-11-30T12:00:00Z"
    assert instant_ns("2026-11-30T12:00:00") == instant_ns("2026-11-30T12:00:00Z")
    assert instant_ns("2026-11-30T12:00:00.25Z") % SECOND_NS == 250_000_000


def test_a_window_can_be_moved_and_widened() -> None:
    hour = Window(NOW_NS - 3600 * SECOND_NS, NOW_NS)
    assert as_parameters(shifted(hour, -0.5)) == {"from": "2026-11-30T11:30:00Z", "to": "2026-11-30T12:30:00Z"}
    assert as_parameters(widened(hour)) == {"from": "2026-11-30T11:30:00Z", "to": "2026-11-30T13:30:00Z"}
