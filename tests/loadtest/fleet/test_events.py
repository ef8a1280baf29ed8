"""Events that are about a request."""

import pytest
from simpy import Environment

from loadtest.fleet.events import carried
from tests.factories.clusters import asking


def test_an_event_gives_its_request_back() -> None:
    request = asking(1)
    assert carried(Environment().timeout(1.0, request)) is request


def test_an_event_that_carries_no_request_is_a_mistake() -> None:
    with pytest.raises(AssertionError):
        carried(Environment().timeout(1.0, "something"))
