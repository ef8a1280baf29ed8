import asyncio

from dashboard.house import DashboardHouse
from dashboard.pages import alerts
from tests.dashboard.looking import house_of, view_of, words
from tests.dashboard.scenery import FixedAlerts


def test_states_and_every_transition_are_shown_with_the_fixed_line() -> None:
    house = house_of(None)  # type: ignore[arg-type]  # alerts are read from their own view
    shown = words(asyncio.run(alerts.body(view_of("/alerts", house))))
    assert "Where the rules stand" in shown
    assert "pending firing 0.168 0.16 fixed 0.13 0.168: at or above the line for 30 s" in shown


def test_no_rules_are_told(empty_house: DashboardHouse) -> None:
    assert FixedAlerts([], []).states() == []
    assert "No rule has been evaluated yet." in words(asyncio.run(alerts.body(view_of("/alerts", empty_house))))
    assert alerts.refresh_s(view_of("/alerts", empty_house)) > 0
