from typing import Any

import pytest

from peakline_server.report_table import cells_of, print_report, shown_time, table_of

NOTHING = {"low": None, "high": None, "level": 0.95}
ROW: dict[str, Any] = {
    "service_tier": "core",
    "load_tier": "busy",
    "step": None,
    "load_from_rps": 1.25,
    "load_to_rps": 2.5,
    "rate": {"requests": 12_345, "defective": 12, "rate": 0.000972, "interval": {"low": 0.0005, "high": 0.0017}},
    "unknown": 0,
    "multiplier": 3.456,
    "multiplier_interval": {"low": 1.2, "high": 9.9},
    "e2e": {"count": 5, "p50_s": 0.5, "p95_s": 1.23456, "p99_s": None},
    "defects": {"error": 7, "timeout": 0, "rejected": 5},
    "status": "insufficient_data",
}


def test_a_row_shows_numbers_with_units_and_names() -> None:
    assert cells_of(ROW) == [
        *("core busy", "1.25 to 2.5", "12,345", "12", "0.0972 %", "0.05–0.17 %", "3.46×", "1.2–9.9×"),
        *("0.5 / 1.23 / –", "insufficient data", "error 7, rejected 5"),
    ]


@pytest.mark.parametrize(
    ("low", "high", "step", "text"),
    [
        (None, 2.0, None, "up to 2"),
        (2.0, None, None, "over 2"),
        (None, None, None, "all"),
        (5.0, 5.0, 3, "5"),
        (None, None, 3, "–"),
    ],
)
def test_loads_read_as_ranges(low: float | None, high: float | None, step: int | None, text: str) -> None:
    assert cells_of({**ROW, "load_from_rps": low, "load_to_rps": high, "step": step})[1] == text


def test_unknown_is_a_dash_and_never_zero() -> None:
    rate = {"requests": 0, "defective": 0, "rate": None, "interval": NOTHING}
    found = cells_of({**ROW, "rate": rate, "unknown": 9, "multiplier": None, "multiplier_interval": NOTHING})
    assert found[2:8] == ["0 (+9 unknown)", "0", "–", "–", "–", "–"]


def report(**changed: Any) -> dict[str, Any]:
    basis = {"window": {"start": "a", "end": "b"}, "requests": 5}
    return {
        "pool": {"service": "s", "model": "m[bold]"},
        "load_test": "",
        "rows": [ROW],
        "flags": [],
        "basis": basis,
        **changed,
    }


def test_names_from_outside_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(report(rows=[{**ROW, "service_tier": "[red]vip[/red]"}], flags=["binomial_interval"]))
    shown = capsys.readouterr().out
    assert "s / m[bold]: traffic tiers" in shown
    assert "[red]vip[/red] busy" in shown
    assert "rest on counts alone" in shown


def test_steps_and_tiers_have_columns_of_their_own() -> None:
    assert table_of(report()).columns[0].header == "tier"
    assert table_of(report(load_test="sweep")).columns[0].header == "step"


def test_times_are_shown_in_whole_seconds() -> None:
    assert shown_time("2026-11-30T08:00:00.123456789Z") == shown_time("2026-11-30T08:00:00Z") == "2026-11-30T08:00:00Z"
