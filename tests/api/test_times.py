import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.times import BadTimeError, rfc3339, time_ns

NOW_NS = 1_796_000_000_123_456_789
HOUR_NS = 3_600_000_000_000


@pytest.mark.parametrize(
    ("at_ns", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_700_000_000_000_000_000, "2023-11-14T22:13:20Z"),
        (1_700_000_000_120_000_000, "2023-11-14T22:13:20.120Z"),
        (1_700_000_000_000_001_000, "2023-11-14T22:13:20.000001Z"),
        (1_700_000_000_000_000_001, "2023-11-14T22:13:20.000000001Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
    ],
)
def test_times_are_written_in_utc_without_losing_a_nanosecond(at_ns: int, text: str) -> None:
    assert rfc3339(at_ns) == text


def test_no_time_stays_none() -> None:
    assert rfc3339(None) is None


@given(st.integers(-(2**62), 2**63 - 1))
def test_what_is_written_is_read_back(at_ns: int) -> None:
    assert time_ns(rfc3339(at_ns), NOW_NS) == at_ns


@pytest.mark.parametrize(
    ("text", "at_ns"),
    [
        ("now", NOW_NS),
        ("now-6h", NOW_NS - 6 * HOUR_NS),
        ("now-90s", NOW_NS - 90_000_000_000),
        ("now-2w", NOW_NS - 14 * 24 * HOUR_NS),
        ("0", 0),
        ("1700000000000000000", 1_700_000_000_000_000_000),
        ("2023-11-14T22:13:20Z", 1_700_000_000_000_000_000),
        ("2023-11-14t22:13:20z", 1_700_000_000_000_000_000),
        ("2023-11-14 23:13:20+01:00", 1_700_000_000_000_000_000),
        ("2023-11-14T23:13:20 01:00", 1_700_000_000_000_000_000),
        ("2023-11-14T16:43:20-05:30", 1_700_000_000_000_000_000),
        ("2023-11-14T22:13:20.5Z", 1_700_000_000_500_000_000),
        ("2023-11-14T22:13:20.1234567899Z", 1_700_000_000_123_456_789),
    ],
)
def test_times_are_read_in_every_form_that_is_promised(text: str, at_ns: int) -> None:
    assert time_ns(text, NOW_NS) == at_ns


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "now-", "now-6", "now+6h", "now-6y", "NOW", "-5", "1e18", "٣"),
        *("2023-11-14", "2023-11-14T22:13:20", "2023-13-14T22:13:20Z", "2023-11-14T25:13:20Z", "1500-01-01T00:00:00Z"),
        *("2023-11-14T22:13:20+99:00", "9999-01-01T00:00:00Z"),
    ],
)
def test_everything_else_is_refused_with_the_text_and_what_would_do(text: str) -> None:
    with pytest.raises(BadTimeError):
        time_ns(text, NOW_NS)


@pytest.mark.parametrize("text", ["1700000000", "1700000000000", "1700000000000000", "9" * 19])
def test_seconds_given_for_nanoseconds_are_noticed(text: str) -> None:
    with pytest.raises(BadTimeError, match="nanoseconds"):
        time_ns(text, NOW_NS)


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    with contextlib.suppress(BadTimeError):
        assert isinstance(time_ns(text, NOW_NS), int)
