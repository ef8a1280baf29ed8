"""A real API on a real store behind a real socket, for commands that ask a server."""

from collections.abc import Iterator

import pytest

from api.house import ApiHouse
from store.telemetry.open import Telemetry
from tests.api.administration import Registry
from tests.api.conftest import NOW_NS, Alerts, Naming, Switchboard, application
from tests.factories.serving import served
from tests.factories.stores import START_NS
from vocabulary.access import ANONYMOUS


@pytest.fixture
def board() -> Switchboard:
    """What a test may change about the server behind `peakline`."""
    return Switchboard()


@pytest.fixture
def registry() -> Registry:
    """Its tokens and users."""
    return Registry()


@pytest.fixture
def api_house(telemetry: Telemetry, board: Switchboard, registry: Registry) -> ApiHouse:
    return ApiHouse(
        reader_for=lambda principal: telemetry.reader.within(principal.tenants),
        alerts=Alerts(board),
        clock_ns=lambda: NOW_NS,
        pending_minutes=lambda: board.pending,
        version="1.2.3",
        started_ns=START_NS,
        store_healthy=lambda: board.healthy,
        failing=lambda: board.failing,
        administration=registry,
    )


@pytest.fixture
def peakline(api_house: ApiHouse) -> Iterator[str]:
    """Address of a server that takes everybody for an admin."""
    with served(Naming(application(api_house), ANONYMOUS)) as url:
        yield url
