"""Fixtures that every part's tests may use: a clean telemetry store, a control store, a clock that counts."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.control.open import Control, open_control
from store.control.tables import CONTROL
from store.telemetry.open import Telemetry, open_telemetry
from tests.factories.postgresql import running_postgresql, server_programs
from tests.factories.stores import emptied


class CountingClock:
    """Nanoseconds since the epoch, one second further at every look; `at_ns` may be set."""

    def __init__(self, at_ns: int = 1_760_000_000_000_000_000) -> None:
        self.at_ns = at_ns

    def __call__(self) -> int:
        self.at_ns += 1_000_000_000
        return self.at_ns


@pytest.fixture
def clock() -> CountingClock:
    return CountingClock()


@pytest.fixture(scope="session")
def embedded_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Telemetry]:
    """The one embedded store of the test process: the engine allows one folder per process."""
    store = open_telemetry(f"clickhousedb://?interface=chdb&path={tmp_path_factory.mktemp('telemetry')}")
    yield store
    store.close()


@pytest.fixture
def telemetry(embedded_store: Telemetry) -> Telemetry:
    """An empty embedded telemetry store."""
    return emptied(embedded_store)


@pytest.fixture
def control(tmp_path: Path) -> Iterator[Control]:
    """An empty control store."""
    store = open_control(f"sqlite:///{tmp_path / 'control.db'}")
    yield store
    store.close()


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """A PostgreSQL server of the test run's own; CI must have one."""
    programs = server_programs()
    if programs is None:
        reason = "no PostgreSQL server is installed (Debian: apt-get install postgresql)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with running_postgresql(programs) as url:
        yield url


@pytest.fixture
def shared_control(postgresql_url: str) -> Iterator[Control]:
    """An empty control store on PostgreSQL."""
    store = open_control(postgresql_url)
    with store.engine.begin() as connection:
        for table in CONTROL.sorted_tables:
            connection.execute(table.delete())
    yield store
    store.close()
