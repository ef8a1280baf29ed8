"""The store under test: the embedded engine always, a server where PEAKLINE_TEST_CLICKHOUSE names one."""

import os
from collections.abc import Iterator

import pytest

from store.telemetry.open import Telemetry, open_telemetry
from tests.factories.stores import emptied

SERVER_URL = os.environ.get("PEAKLINE_TEST_CLICKHOUSE", "")


@pytest.fixture(scope="session")
def served_store() -> Iterator[Telemetry]:
    """A store on a ClickHouse server."""
    store = open_telemetry(SERVER_URL)
    yield store
    store.close()


@pytest.fixture(params=["embedded", "served"] if SERVER_URL else ["embedded"])
def store(request: pytest.FixtureRequest) -> Telemetry:
    """An empty store, once per kind of engine: what a conformance test asks for."""
    opened: Telemetry = request.getfixturevalue(f"{request.param}_store")
    return emptied(opened)
