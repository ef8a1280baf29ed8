"""Stores for the dashboard's tests: one filled once a module, and one that stays empty."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.house import DashboardHouse
from store.control.open import open_control
from store.telemetry.open import Telemetry
from tests.dashboard.looking import house_of
from tests.dashboard.scenery import FixedAlerts, fill
from tests.factories.stores import emptied


@pytest.fixture(scope="module")
def filled_house(embedded_store: Telemetry, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DashboardHouse]:
    """The scenery's last hour and a half. Not for a module that also asks for `telemetry`."""
    folder: Path = tmp_path_factory.mktemp("control")
    control = open_control(f"sqlite:///{folder / 'control.db'}")
    fill(emptied(embedded_store), control, minutes=100)
    yield house_of(embedded_store.reader)
    control.close()


@pytest.fixture
def empty_house(telemetry: Telemetry) -> DashboardHouse:
    """Nothing was ever received, and no rule was evaluated."""
    return house_of(telemetry.reader, FixedAlerts([], []))
